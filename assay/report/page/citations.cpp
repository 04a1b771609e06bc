// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/citations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/base/text.hpp"
#include "assay/report/figures/figure_scene.hpp"

namespace assay::report {
namespace {

constexpr CitedWork works[] = {
    {"metricsreloaded2024", "Metrics Reloaded 2024", "article",
     "Maier-Hein, Lena and Reinke, Annika and Godau, Patrick and Tizabi, Minu D. and others",
     "Metrics reloaded: recommendations for image analysis validation", "2024", "Nature Methods",
     "21", "2", "195--212", "10.1038/s41592-023-02151-z"},
    {"dice1945", "Dice 1945", "article", "Dice, Lee R.",
     "Measures of the Amount of Ecologic Association Between Species", "1945", "Ecology", "26", "3",
     "297--302", "10.2307/1932409"},
    {"jaccard1912", "Jaccard 1912", "article", "Jaccard, Paul",
     "The Distribution of the Flora in the Alpine Zone", "1912", "New Phytologist", "11", "2",
     "37--50", "10.1111/j.1469-8137.1912.tb05611.x"},
    {"matthews1975", "Matthews 1975", "article", "Matthews, Brian W.",
     "Comparison of the predicted and observed secondary structure of T4 phage lysozyme", "1975",
     "Biochimica et Biophysica Acta (BBA) - Protein Structure", "405", "2", "442--451",
     "10.1016/0005-2795(75)90109-9"},
    {"cohen1960", "Cohen 1960", "article", "Cohen, Jacob",
     "A Coefficient of Agreement for Nominal Scales", "1960",
     "Educational and Psychological Measurement", "20", "1", "37--46",
     "10.1177/001316446002000104"},
    {"vanrijsbergen1979", "van Rijsbergen 1979", "book", "van Rijsbergen, C. J.",
     "Information Retrieval", "1979", "Butterworths"},
    {"taha2015", "Taha and Hanbury 2015", "article", "Taha, Abdel Aziz and Hanbury, Allan",
     "Metrics for evaluating 3D medical image segmentation: analysis, selection, and tool", "2015",
     "BMC Medical Imaging", "15", "", "29", "10.1186/s12880-015-0068-x"},
    {"heimann2009", "Heimann et al. 2009", "article",
     "Heimann, Tobias and van Ginneken, Bram and Styner, Martin A. and others",
     "Comparison and Evaluation of Methods for Liver Segmentation From CT Datasets", "2009",
     "IEEE Transactions on Medical Imaging", "28", "8", "1251--1265", "10.1109/TMI.2009.2013851"},
    {"nikolov2021", "Nikolov et al. 2021", "article",
     "Nikolov, Stanislav and Blackwell, Sam and Zverovitch, Alexei and others",
     "Clinically Applicable Segmentation of Head and Neck Anatomy for Radiotherapy: Deep Learning "
     "Algorithm Development and Validation Study",
     "2021", "Journal of Medical Internet Research", "23", "7", "e26151", "10.2196/26151"},
    {"cheng2021", "Cheng et al. 2021", "inproceedings",
     "Cheng, Bowen and Girshick, Ross and Doll{\\'a}r, Piotr and Berg, Alexander C. and Kirillov, "
     "Alexander",
     "Boundary IoU: Improving Object-Centric Image Segmentation Evaluation", "2021",
     "Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)", "",
     "", "15334--15342"},
    {"vaassen2020", "Vaassen et al. 2020", "article",
     "Vaassen, Femke and Hazelaar, Colien and Vaniqui, Ana and others",
     "Evaluation of measures for assessing time-saving of automatic organ-at-risk segmentation in "
     "radiotherapy",
     "2020", "Physics and Imaging in Radiation Oncology", "13", "", "1--6",
     "10.1016/j.phro.2019.12.001"},
    {"kirillov2019", "Kirillov et al. 2019", "inproceedings",
     "Kirillov, Alexander and He, Kaiming and Girshick, Ross and Rother, Carsten and Doll{\\'a}r, "
     "Piotr",
     "Panoptic Segmentation", "2019",
     "Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)", "",
     "", "9404--9413"},
    {"commowick2018", "Commowick et al. 2018", "article",
     "Commowick, Olivier and Istace, Audrey and Kain, Micha{\\\"e}l and others",
     "Objective Evaluation of Multiple Sclerosis Lesion Segmentation using a Data Management and "
     "Processing Infrastructure",
     "2018", "Scientific Reports", "8", "", "13650", "10.1038/s41598-018-31911-7"},
    {"brats2023", "BraTS challenge 2023", "misc",
     "Moawad, Ahmed W. and Janas, Anastasia and Baid, Ujjwal and others",
     "The Brain Tumor Segmentation (BraTS-METS) Challenge 2023: Brain Metastasis Segmentation on "
     "Pre-treatment MRI",
     "2023", "arXiv:2306.00838"},
    {"isles2022", "ISLES challenge 2022", "article",
     "Hernandez Petzsche, Moritz R. and de la Rosa, Ezequiel and Hanning, Uta and others",
     "ISLES 2022: A multi-center magnetic resonance imaging stroke lesion segmentation dataset",
     "2022", "Scientific Data", "9", "", "762", "10.1038/s41597-022-01875-5"},
    {"autopet2022", "autoPET challenge 2022", "article",
     "Gatidis, Sergios and Hepp, Tobias and Fr{\\\"u}h, Marcel and others",
     "A whole-body FDG-PET/CT Dataset with manually annotated Tumor Lesions", "2022",
     "Scientific Data", "9", "", "601", "10.1038/s41597-022-01718-3"},
    {"brier1950", "Brier 1950", "article", "Brier, Glenn W.",
     "Verification of Forecasts Expressed in Terms of Probability", "1950",
     "Monthly Weather Review", "78", "1", "1--3",
     "10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2"},
    {"guo2017", "Guo et al. 2017", "inproceedings",
     "Guo, Chuan and Pleiss, Geoff and Sun, Yu and Weinberger, Kilian Q.",
     "On Calibration of Modern Neural Networks", "2017",
     "Proceedings of the 34th International Conference on Machine Learning", "70", "",
     "1321--1330"},
    {"naeini2015", "Naeini et al. 2015", "inproceedings",
     "Naeini, Mahdi Pakdaman and Cooper, Gregory F. and Hauskrecht, Milos",
     "Obtaining Well Calibrated Probabilities Using Bayesian Binning", "2015",
     "Proceedings of the AAAI Conference on Artificial Intelligence", "29", "1", "2901--2907",
     "10.1609/aaai.v29i1.9602"},
    {"hanley1982", "Hanley and McNeil 1982", "article", "Hanley, James A. and McNeil, Barbara J.",
     "The meaning and use of the area under a receiver operating characteristic (ROC) curve",
     "1982", "Radiology", "143", "1", "29--36", "10.1148/radiology.143.1.7063747"},
    {"zhu2004", "Zhu 2004", "techreport", "Zhu, Mu", "Recall, Precision and Average Precision",
     "2004", "Department of Statistics and Actuarial Science, University of Waterloo", "",
     "2004-09"},
    {"scikitlearn2011", "scikit-learn", "article",
     "Pedregosa, Fabian and Varoquaux, Ga{\\\"e}l and Gramfort, Alexandre and others",
     "Scikit-learn: Machine Learning in Python", "2011", "Journal of Machine Learning Research",
     "12", "", "2825--2830"},
    {"wilcoxon1945", "Wilcoxon 1945", "article", "Wilcoxon, Frank",
     "Individual Comparisons by Ranking Methods", "1945", "Biometrics Bulletin", "1", "6", "80--83",
     "10.2307/3001968"},
    {"hodges1963", "Hodges and Lehmann 1963", "article", "Hodges, J. L. and Lehmann, E. L.",
     "Estimates of Location Based on Rank Tests", "1963", "The Annals of Mathematical Statistics",
     "34", "2", "598--611", "10.1214/aoms/1177704172"},
    {"kerby2014", "Kerby 2014", "article", "Kerby, Dave S.",
     "The Simple Difference Formula: An Approach to Teaching Nonparametric Correlation", "2014",
     "Comprehensive Psychology", "3", "", "11.IT.3.1", "10.2466/11.IT.3.1"},
    {"holm1979", "Holm 1979", "article", "Holm, Sture",
     "A Simple Sequentially Rejective Multiple Test Procedure", "1979",
     "Scandinavian Journal of Statistics", "6", "2", "65--70"},
    {"dunn1961", "Dunn 1961", "article", "Dunn, Olive Jean", "Multiple Comparisons among Means",
     "1961", "Journal of the American Statistical Association", "56", "293", "52--64",
     "10.1080/01621459.1961.10482090"},
    {"sidak1967", "Sidak 1967", "article", "{\\v{S}}id{\\'a}k, Zbyn{\\v{e}}k",
     "Rectangular Confidence Regions for the Means of Multivariate Normal Distributions", "1967",
     "Journal of the American Statistical Association", "62", "318", "626--633",
     "10.1080/01621459.1967.10482935"},
    {"hochberg1988", "Hochberg 1988", "article", "Hochberg, Yosef",
     "A sharper Bonferroni procedure for multiple tests of significance", "1988", "Biometrika",
     "75", "4", "800--802", "10.1093/biomet/75.4.800"},
    {"hommel1988", "Hommel 1988", "article", "Hommel, G.",
     "A stagewise rejective multiple test procedure based on a modified Bonferroni test", "1988",
     "Biometrika", "75", "2", "383--386", "10.1093/biomet/75.2.383"},
    {"benjamini1995", "Benjamini and Hochberg 1995", "article",
     "Benjamini, Yoav and Hochberg, Yosef",
     "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
     "1995", "Journal of the Royal Statistical Society: Series B", "57", "1", "289--300",
     "10.1111/j.2517-6161.1995.tb02031.x"},
    {"benjamini2001", "Benjamini and Yekutieli 2001", "article",
     "Benjamini, Yoav and Yekutieli, Daniel",
     "The control of the false discovery rate in multiple testing under dependency", "2001",
     "The Annals of Statistics", "29", "4", "1165--1188", "10.1214/aos/1013699998"},
    {"gavrilov2009", "Gavrilov et al. 2009", "article",
     "Gavrilov, Yulia and Benjamini, Yoav and Sarkar, Sanat K.",
     "An adaptive step-down procedure with proven FDR control under independence", "2009",
     "The Annals of Statistics", "37", "2", "619--629", "10.1214/07-AOS586"},
    {"benjamini2006", "Benjamini et al. 2006", "article",
     "Benjamini, Yoav and Krieger, Abba M. and Yekutieli, Daniel",
     "Adaptive linear step-up procedures that control the false discovery rate", "2006",
     "Biometrika", "93", "3", "491--507", "10.1093/biomet/93.3.491"},
    {"westfall1993", "Westfall and Young 1993", "book", "Westfall, Peter H. and Young, S. Stanley",
     "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment", "1993",
     "Wiley"},
    {"schuirmann1987", "Schuirmann 1987", "article", "Schuirmann, Donald J.",
     "A comparison of the Two One-Sided Tests Procedure and the Power Approach for assessing the "
     "equivalence of average bioavailability",
     "1987", "Journal of Pharmacokinetics and Biopharmaceutics", "15", "6", "657--680",
     "10.1007/BF01068419"},
    {"mcnemar1947", "McNemar 1947", "article", "McNemar, Quinn",
     "Note on the sampling error of the difference between correlated proportions or percentages",
     "1947", "Psychometrika", "12", "2", "153--157", "10.1007/BF02295996"},
    {"friedman1937", "Friedman 1937", "article", "Friedman, Milton",
     "The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis of Variance",
     "1937", "Journal of the American Statistical Association", "32", "200", "675--701",
     "10.1080/01621459.1937.10503522"},
    {"iman1980", "Iman and Davenport 1980", "article", "Iman, Ronald L. and Davenport, James M.",
     "Approximations of the critical region of the Friedman statistic", "1980",
     "Communications in Statistics - Theory and Methods", "9", "6", "571--595",
     "10.1080/03610928008827904"},
    {"demsar2006", "Demsar 2006", "article", "Dem{\\v{s}}ar, Janez",
     "Statistical Comparisons of Classifiers over Multiple Data Sets", "2006",
     "Journal of Machine Learning Research", "7", "1", "1--30"},
    {"nemenyi1963", "Nemenyi 1963", "phdthesis", "Nemenyi, Peter B.",
     "Distribution-free Multiple Comparisons", "1963", "Princeton University"},
    {"wiesenfarth2021", "Wiesenfarth et al. 2021", "article",
     "Wiesenfarth, Manuel and Reinke, Annika and Landman, Bennett A. and others",
     "Methods and open-source toolkit for analyzing and visualizing challenge results", "2021",
     "Scientific Reports", "11", "", "2369", "10.1038/s41598-021-82017-6"},
    {"bland1986", "Bland and Altman 1986", "article", "Bland, J. Martin and Altman, Douglas G.",
     "Statistical methods for assessing agreement between two methods of clinical measurement",
     "1986", "The Lancet", "327", "8476", "307--310", "10.1016/S0140-6736(86)90837-8"},
    {"shrout1979", "Shrout and Fleiss 1979", "article", "Shrout, Patrick E. and Fleiss, Joseph L.",
     "Intraclass correlations: Uses in assessing rater reliability", "1979",
     "Psychological Bulletin", "86", "2", "420--428", "10.1037/0033-2909.86.2.420"},
    {"wilson1927", "Wilson 1927", "article", "Wilson, Edwin B.",
     "Probable Inference, the Law of Succession, and Statistical Inference", "1927",
     "Journal of the American Statistical Association", "22", "158", "209--212",
     "10.1080/01621459.1927.10502953"},
};

/// The work that introduced each correction, in the order of `stats::Correction`.
constexpr std::array<std::string_view, 11> correction_works = {
    "holm1979",      "dunn1961",      "sidak1967",    "hochberg1988",  "hommel1988",   "sidak1967",
    "benjamini1995", "benjamini2001", "gavrilov2009", "benjamini2006", "benjamini2006"};

/// The BibTeX field for the place of each kind of work.
std::string_view place_field(std::string_view kind) {
  constexpr std::pair<std::string_view, std::string_view> fields[] = {
      {"article", "journal"},  {"inproceedings", "booktitle"}, {"book", "publisher"},
      {"phdthesis", "school"}, {"techreport", "institution"},  {"misc", "howpublished"}};
  return std::ranges::find(fields, kind, &std::pair<std::string_view, std::string_view>::first)
      ->second;
}

/// Distinct works by key.
class WorkSet {
 public:
  void add(std::string_view key) { keys_.push_back(key); }
  void add(std::span<const CitedWork* const> found) {
    for (const CitedWork* work : found) add(work->key);
  }
  std::vector<const CitedWork*> in_order() const {
    std::vector<const CitedWork*> out;
    for (const CitedWork& work : works)
      if (std::ranges::find(keys_, work.key) != keys_.end()) out.push_back(&work);
    return out;
  }

 private:
  std::vector<std::string_view> keys_{};
};

void add_metrics(WorkSet& out, const Study& study) {
  for (const std::string& metric : shown_metrics(study)) {
    const auto known = metrics::metric_of_key(metric.substr(0, metric.find(" of ")));
    if (known) out.add(works_of_reference((*known)->reference));
  }
  const bool is_reloaded = std::ranges::any_of(study.settings, [](const ResultSettings& one) {
    return one.convention == "metrics-reloaded";
  });
  if (is_reloaded) out.add("metricsreloaded2024");
}

void add_tests(WorkSet& out, const compare::Comparison& comparison) {
  for (const std::string_view key : {"wilcoxon1945", "hodges1963", "kerby2014"}) out.add(key);
  if (comparison.settings.across_metrics)
    out.add("westfall1993");
  else if (comparison.models.size() > 2)
    out.add(correction_works[static_cast<std::size_t>(comparison.settings.correction)]);
  for (const compare::MetricComparison& metric : comparison.metrics) {
    if (metric.margin) out.add("schuirmann1987");
    if (metric.ranking.kendall_tau) out.add("wiesenfarth2021");
    if (metric.ranking.friedman)
      for (const std::string_view key : {"friedman1937", "iman1980", "demsar2006", "nemenyi1963"})
        out.add(key);
    const bool has_failures = std::ranges::any_of(
        metric.pairs, [](const compare::PairComparison& pair) { return pair.failures.differs(); });
    if (has_failures) out.add("mcnemar1947");
  }
}

/// Whether there are volumes of prediction and reference, from which figures of agreement are
/// drawn.
bool has_volumes(const Study& study) {
  if (study.models.empty()) return false;
  const FigureScene scene = figure_scene(study);
  return volume_column(scene, 0, "volume_prediction_ml") != nullptr &&
         volume_column(scene, 0, "volume_reference_ml") != nullptr;
}

std::string bibtex_field(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(",\n  {} = {{{}}}", name, value);
}

/// The title is braced, so that BibTeX keeps its capitals.
std::string bibtex_entry(const CitedWork& work) {
  return fmt::format("@{}{{{}", work.kind, work.key) + bibtex_field("author", work.author) +
         fmt::format(",\n  title = {{{{{}}}}}", work.title) + bibtex_field("year", work.year) +
         bibtex_field(place_field(work.kind), work.place) + bibtex_field("volume", work.volume) +
         bibtex_field("number", work.number) + bibtex_field("pages", work.pages) +
         bibtex_field("doi", work.doi) + "\n}\n";
}

}  // namespace

std::span<const CitedWork> cited_works() {
  return works;
}

std::vector<const CitedWork*> works_of_reference(std::string_view reference) {
  std::vector<const CitedWork*> out;
  for (std::string_view part : parts_of(reference, ';')) {
    part = trimmed(part.substr(0, part.find(" (")));
    const auto* found = std::ranges::find(works, part, &CitedWork::name);
    if (found != std::end(works)) out.push_back(found);
  }
  return out;
}

std::vector<const CitedWork*> works_of(const Study& study) {
  WorkSet out;
  if (!study.models.empty()) add_metrics(out, study);
  if (study.comparison) add_tests(out, *study.comparison);
  if (has_volumes(study))
    for (const std::string_view key : {"bland1986", "shrout1979"}) out.add(key);
  if (!study.qa.empty()) out.add("wilson1927");
  return out.in_order();
}

std::string bibtex(std::span<const CitedWork* const> found, std::string_view version) {
  std::string out;
  for (const CitedWork* work : found) out += bibtex_entry(*work) + "\n";
  return out + fmt::format(
                   "@misc{{assay,\n  author = {{{{The assay maintainers}}}},\n  title = "
                   "{{{{assay: measuring medical-imaging AI}}}},\n  note = {{Version "
                   "{}}}\n}}\n",
                   version);
}

}  // namespace assay::report
