"""Seeds of the fuzzers of tables, results and settings: small valid files and broken ones."""
import json, zlib

from image_seeds import gz


def csv_seeds():
    yield "plain", b"id,prediction,reference\n1,a,b\n"
    yield "quotes", b'a,b\n"x, ""y""\nz",2\n'
    yield "tabs", b"a\tb\n1\t2\n"
    yield "mark", b"\xef\xbb\xbfa\r\n1\r\n"
    yield "open_quote", b'a\n"x'
    yield "short_row", b"a,b\n1\n"
    yield "long_row", b"a\n1,2\n"
    yield "no_end", b"a,b\n1,2"
    yield "blank", b"a\n\n\n1\n\n"
    yield "empty", b""
    yield "quote_in_field", b'a,b\n1"2,"3"4\n'
    yield "nul", b"a,b\n\0,\xff\n"


def record_seeds():
    whole = (b'{"kind":"case","id":"a","fate":"scored","error":"","reference_at_fault":false,'
             b'"warnings":["w"],"groups":[["site","A"]],'
             b'"prediction":"p","reference":"r","prediction_sha256":"","reference_sha256":"",'
             b'"counts":{"1":[1,2,3,4]},"voxels":10,"voxel_ml":0.001}')
    yield "whole", whole
    chance = (b'"probability":{"1":{"voxels":10,"positives":3,"pairs_won":1.5,"precision_sum":2,'
              b'"squared_error":0.1,"bins":[%s],"sweep":[%s]}},') % (
        b",".join([b"[1,0,0.5]"] * 15), b",".join([b"[1,2]"] * 19))
    yield "probability", whole.replace(b'"voxels":10', chance + b'"voxels":10')
    yield ("probability_short",
           whole.replace(b'"voxels":10', chance.replace(b"[1,2],", b"", 3) + b'"voxels":10'))
    yield "cut", whole[:80]
    yield "fate", whole.replace(b"scored", b"lost")
    yield "missing", whole.replace(b'"fate":"scored",', b"")
    yield "counts", whole.replace(b"[1,2,3,4]", b"[1]")
    yield "negative", whole.replace(b"[1,2,3,4]", b"[-1,2,3,9223372036854775807]")
    yield "too_large", whole.replace(b"[1,2,3,4]", b"[1e300,2,3,4]")
    yield "type", whole.replace(b'"a"', b"7")
    yield "nan", whole.replace(b"0.001", b"NaN")
    yield "infinity", whole.replace(b"0.001", b"-Infinity")
    yield "deep", b"[" * 500
    yield "utf8", whole.replace(b'"a"', b'"\xff\xfe"')
    yield "escape", whole.replace(b'"a"', b'"\\u0001NaN"')
    yield from shape_seeds(whole)


def shape_seeds(whole):
    """Records with surfaces and lesions."""
    side = {"weight": 8, "sum_mm": 5.5, "greatest_mm": 2, "percentile_mm": [[95, 1.5]],
            "within": [[1, 4], [2, 8]]}
    surface = {"prediction": side, "reference": side, "pooled_percentile_mm": [[95, 1.5]],
               "common": 3, "either": 13}
    lesion = [12, [1.5, 0, -2], True, [0], 0.5, None]
    lesions = {"counts": [1, 1, 1, 1, 0], "sums": [0.5, 2, 0.3], "penalty_mm": 0,
               "harmonic_f1": False, "by_size": [[1, 1]] + [[0, 0]] * 4, "reference": [lesion],
               "prediction": [lesion[:5] + [2.5]]}

    def record(**shapes):
        return whole[:-1] + b"," + json.dumps({"diagonal_mm": 17.3, **shapes},
                                              separators=(",", ":"))[1:].encode()
    both = record(boundary={"1": surface}, lesions={"1": lesions})
    yield "shapes", both
    yield "shapes_cut", both[:-40]
    yield "boundary", record(boundary={"1": surface})
    yield "boundary_empty", record(boundary={"1": {}})
    yield "boundary_type", record(boundary=[surface])
    yield "boundary_one_side", record(boundary={"1": {**surface, "reference": None}})
    yield "boundary_short_pair", record(boundary={"1": {**surface, "pooled_percentile_mm": [[95]]}})
    yield ("boundary_twice",
           record(boundary={"1": {**surface, "prediction": {**side, "within": [[1, 4], [1, 5]]}}}))
    yield ("boundary_huge",
           both.replace(b'"common":3', b'"common":1e300').replace(
               b'"sum_mm":5.5', b'"sum_mm":-1e308'))
    yield "boundary_nan", both.replace(b'"greatest_mm":2', b'"greatest_mm":NaN')
    yield "lesions", record(lesions={"1": lesions})
    yield "lesions_few_counts", record(lesions={"1": {**lesions, "counts": [1, 1]}})
    yield "lesions_few_bins", record(lesions={"1": {**lesions, "by_size": []}})
    yield ("lesions_partner",
           record(lesions={"1": {**lesions,
                                 "reference": [lesion[:3] + [[-1, 4294967296]] + lesion[4:]]}}))
    yield ("lesions_centroid",
           record(lesions={"1": {**lesions, "reference": [[12, [1.5], True, [], 0.5, None]]}}))
    yield "lesions_type", record(lesions={"1": {**lesions, "prediction": {"0": lesion}}})


def results_seeds():
    yield ("folds",
           b'{"schema": "assay.folds/1", "model_name": "m", "cases": [{"id": "a", "outer_fold": 0, '
           b'"dice": 0.5, "avd": null}]}')
    yield ("folds_number",
           b'{"schema": "assay.folds/1", "model_name": "m", "cases": [{"id": "a", "outer_fold": '
           b'1e300, "dice": 0.5}]}')
    yield "folds_no_id", b'{"schema": "assay.folds/1", "model_name": "m", "cases": [{"dice": 0.5}]}'
    theirs = (b'{"model_name": "m", "dice": {"name": "DICE", "mean": NaN, "std": 0, "values": '
              b'[0.5, NaN]},'
              b' "avd": {"values": [Infinity, 1]}, "mcc": {"values": []}, "num_samples": 2}')
    ours = (b'{"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"dice": {}, "avd": '
            b'{}},'
            b' "cases": [{"id": "a", "label": {"1": {"dice": 0.5, "avd": null}, "2": {"dice": '
            b'1}}}, {"id": "b", "label": {}}]}')
    yield "theirs", theirs
    yield "ours", ours
    yield "cut", ours[:60]
    yield "other_schema", b'{"schema": "assay.qa/1"}'
    yield "schema_type", b'{"schema": 3}'
    yield "no_cases", ours.replace(b'"cases"', b'"casas"')
    yield "label_type", ours.replace(b'{"dice": 1}', b'"x"')
    yield "values_type", theirs.replace(b"[0.5, NaN]", b'"x"')
    yield "list", b"[1, 2]"
    yield "number", b"7"
    yield "empty", b""
    yield ("ours_failed",
           ours.replace(b'{"id": "b", "label": {}}',
                        b'{"id": "b", "status": "failed", "error": "\\u00e9\\ud83d", "label": '
                        b'{}}'))
    yield ("ours_groups",
           ours.replace(b'"id": "a", ', b'"id": "a", "status": "ok", "groups": {"site": "A"}, '))
    yield "ours_twice", ours.replace(b'"id": "b"', b'"id": "a"')
    yield "ours_headline", ours[:-1] + b', "mcc": {"values": [1, null]}}'
    yield "deep", b'{"schema": ' + b"[" * 600
    yield "lengths", theirs.replace(b'"values": []', b'"values": [1]')
    yield "compressed", gz(ours)
    yield "mark", b"\xef\xbb\xbf" + theirs
    yield from nnunet_seeds()
    yield from table_seeds()


def nnunet_seeds():
    counts = (b'{"Dice": 0.5, "FN": 10, "FP": 10, "IoU": NaN, "TN": 70, "TP": 10, "n_pred": 20, '
              b'"n_ref": 20}')
    second = (
        b'{"foreground_mean": {"Dice": 0.5}, "mean": {}, "metric_per_case": [{"metrics": {"1": %s,'
        b' "(1, 2)": %s}, "prediction_file": "/p/a.nii.gz", "reference_file": "/r/a.nii.gz"}]}'
        % (counts, counts)
    )
    first = (b'{"name": "n", "results": {"all": [{"0": {"Dice": 1}, "1": {"Dice": 0.5, "Hausdorff '
             b'Distance 95": 3},'
             b' "reference": "/r/a.nii.gz", "test": null}], "mean": {}}}')
    yield "nnunet_2", second
    yield "nnunet_2_count", second.replace(b'"TP": 10', b'"TP": 9223372036854775807')
    yield "nnunet_2_fraction", second.replace(b'"TP": 10', b'"TP": 1.5')
    yield ("nnunet_2_no_file",
           second.replace(b'"/r/a.nii.gz"', b"null").replace(b'"/p/a.nii.gz"', b"3"))
    yield "nnunet_2_cut", second[:150]
    yield "nnunet_1", first
    yield "nnunet_1_no_cases", first.replace(b'"all"', b'"none"')


def table_seeds():
    long = (b"model,case,label,metric,value,status\nm,a,1,dice,0.5,ok\nm,b,,,,failed\n"
            b"n,a,1,avd,,reference_empty\n")
    yield "long", long
    yield "long_twice", long + b"m,a,1,dice,0.5,ok\n"
    yield "long_comma", long + b'm,c,1,dice,"0,5",ok\n'
    yield "long_challenge", b"team\tsubject\tscore name\tscore\ttask\nA\ts1\tDSC\t0.5\tliver\n"
    yield "long_no_case", b"metric,value\ndice,1\n"
    yield "wide", b"id,dice,HD95,site,fold\na.nii.gz,0.5,inf,A,1\nb,NaN,-2e-400,,2\nMean,1,1,,\n"
    yield "wide_labels", b"model,id,label,dice\nm,a,1,0.5\nm,a,2,1\nn,a,1,\n"
    yield "wide_no_ids", b",dice\n0,1\n1,0x1\n"
    yield "wide_semicolons", b"id;dice\na;0,5\n"
    yield "wide_text", b"id,dice\na,abc\n"
    yield "wide_titles", b"id,dice,dice\na,1,2\n"
    yield "wide_only_summary", b"id,dice\nMean,1\n"


def dataset_seeds():
    yield "version_2", b'{"labels": {"background": 0, "whole": [1, 2], "core": 2, "ignore": 3}}'
    yield "version_1", b'{"labels": {"0": "background", "1": "lesion"}}'
    yield "none", b"{}"
    yield "only_background", b'{"labels": {"background": 0}}'
    yield "fraction", b'{"labels": {"a": 1.5}}'
    yield "empty_region", b'{"labels": {"a": []}}'
    yield "nested", b'{"labels": {"a": [[1]]}}'
    yield "ignore_list", b'{"labels": {"a": 1, "ignore": [3, 4]}}'
    yield "null", b'{"labels": null}'
    yield "large", b'{"labels": {"a": 99999999999999999999}}'
    yield "text", b"labels"


def experiment_seeds():
    run = (b'{"outer_fold": 0, "restart": 1, "test_dice": 0.6, "test_avd": 0.3, "test_mcc": 0.6, '
           b'"per_subject_dice": [0.5, null, 0.7], "subject_ids": ["a", 2]}')
    yield "run", run
    yield ("folds",
           b'{"folds": [{"outer_fold": 0, "runs": [' + run
           + b', {}]}, 3], "config": {"parameters": 5, "dilations": [1, 2]}}')
    yield ("summary",
           b'{"summary": {"test_mean_dice": 0.876, "test_std_dice": 0.016, "test_mean_avd": '
           b'Infinity, "test_mean_mcc": NaN, "num_test_subjects": 3}}')
    yield ("spread",
           b'{"schema": "assay.folds/1", "summary": {"test_mean_dice": 0.8, "spread": {"runs": '
           b'{"dice": {"std": 0.1, "n": 2, "ddof": 1}}}}, "cases": [{"dice": 0.7}]}')
    yield ("listed",
           b'{"test_results": [{"test_dice": 1e308, "test_avd": 1e308, "test_mcc": -1e308}, '
           b'{"test_dice": 1e308, "test_avd": 0, "test_mcc": 1}]}')
    yield "validation", b'{"val_mean_dice": 0.9, "std_dice": "x"}'
    yield ("segmentation",
           b'{"schema": "assay.segmentation/1", "dice": {"mean": 0.7, "std": 0.1, "values": [0.6, '
           b'0.8]}, "avd": {"mean": 0}, "mcc": {"mean": 0.7}, "metrics": {"dice_macro": {"mean": '
           b'0.8, "std": 0.1, "n": 2}}}')
    yield "empty", b"{}"
    yield "cut", b'{"summary": {"test_mean'
    yield "other_schema", b'{"schema": "assay.comparison/1"}'


def paper_seeds():
    yield ("list",
           b'[{"model": "My Net", "parameters": 10, "dice_mean": 0.7, "dice_std": 0.1, "avd_sig": '
           b'1}]')
    yield ("keys",
           b'{"net": {"dice_mean": 0.7, "avd_mean": 0.2, "mcc_mean": 0.6}, "tolerances": {"dice": '
           b'0.1}, "limits": {"minimum": {"dice": 0.5}}}')
    yield "part", b'{"title": "t", "table1": [{"name": "a", "dice_mean": 0.7}]}'
    yield "unknown", b'{"net": {"dice_mean": 0.7}, "tolerances": {"dcie": 0.1}}'
    yield "nan", b'{"net": {"dice_mean": NaN}}'
    yield "zero", b'{"net": {"dice_mean": 0}}'
    yield "same_key", b'[{"model": "A b", "dice_mean": 0.7}, {"model": "a-b", "dice_mean": 0.7}]'
    yield "nameless", b'[{"dice_mean": 0.7}]'
    yield "limits_type", b'{"net": {"dice_mean": 0.7}, "limits": [1]}'
    yield "empty", b"{}"


def parity_seeds():
    metric = {"achieved": 0.87, "paper": 0.876, "diff": -0.006, "pct_diff": -0.7,
              "within_tolerance": True, "acceptable": True, "minimum": True,
              "meets_or_exceeds": False, "within_paper_sd": True}
    whole = {"schema": "assay.parity/1", "sources": {"file": "run.json"}, "model": "m",
             "parity_level": "acceptable",
             "paper": {"key": "m", "model": "M", "source": "a paper", "parameters": 147474,
                       "dice_mean": 0.876, "dice_std": 0.016, "avd_mean": None},
             "tolerances": {"dice": 0.01, "avd": 0.1, "mcc": 0.01, "dice_std": 0.03},
             "limits": {"acceptable": {"dice": 0.85, "avd": 0.3, "mcc": 0.74},
                        "minimum": {"dice": 0.8}}, "dice_mean": 0.87, "dice_std": 0.02,
             "avd_mean": None, "mcc_mean": None, "meets_or_exceeds": None,
             "details": {"dice": metric,
                         "dice_std": {"achieved": 0.02, "paper": 0.016, "acceptable": True},
                         "avd": {}, "mcc": {}}, "explanation": ["because"], "warnings": []}
    but = lambda **changed: json.dumps({**whole, **changed}).encode()
    yield "whole", but()
    yield "level", but(parity_level="fine")
    yield "level_type", but(parity_level=3)
    yield "no_file", but(sources={})
    yield "sources_type", but(sources=[])
    yield "details_type", but(details={"dice": 1, "dice_std": [], "avd": None, "mcc": "x"})
    yield "parameters", but(paper={**whole["paper"], "parameters": 1e300})
    yield "differs_type", but(paper={**whole["paper"], "dice_differs": "yes"})
    yield "huge", but().replace(b"0.876", b"1e999")
    yield "not_finite", but(dice_mean=float("nan"), mcc_mean=float("inf"))
    yield "limits_type", but(limits={"acceptable": [], "minimum": 0.8})
    yield "explanation_type", but(explanation=["because", 3])
    yield "warning", but(warnings=["<b>", "\ud800"])
    yield "bytes", but(model="x").replace(b'"x"', b'"\xff"')
    yield "cut", but()[:200]
    yield "deep", b"[" * 5000
    yield "list", b"[]"
    yield "empty", b""


def segmentation_seeds():
    whole = {"schema": "assay.segmentation/1", "model_name": "m",
             "metrics": {"dice": {"n": 1, "mean": 0.5}},
             "labels": {"1": {"name": "core", "members": [1]},
                        "all": {"name": "whole", "members": [1, 2]}},
             "cases": [{"id": "a", "prediction": "a.nii", "reference": None,
                        "prediction_sha256": "00"}, {"id": "b", "label": {}}, {"id": "c"},
                       {"id": "d", "status": "ok",
                        "label": {"2": {"dice": None,
                                        "undefined": {"dice": "prediction_empty"}}}}],
             "settings": {"threshold": 0.5, "allow_affine_mismatch": True},
             "provenance": {"roots": {"prediction": "/p", "reference": "r"}}}
    but = lambda **changed: json.dumps({**whole, **changed}).encode()
    yield "whole", but()
    yield "mark", b"\xef\xbb\xbf" + but()
    yield "spaces", b" \r\n\t" + but()
    yield "other_schema", but(schema="assay.folds/1")
    yield "schema_type", but(schema=["assay.segmentation/1"])
    yield "no_cases", b'{"schema": "assay.segmentation/1"}'
    yield "cases_type", but(cases={"a": {}})
    yield "case_type", but(cases=[1, None])
    yield "id_type", but(cases=[{"id": 7, "prediction": {}}])
    yield "twice", but(cases=[{"id": "a"}, {"id": "a", "id ": "b"}])
    yield ("reason_without_value",
           but(cases=[{"id": "a", "status": "ok",
                       "label": {"1": {"undefined": {"dice": "prediction_empty"}}}}]))
    yield "unknown_reason", but(cases=[{"id": "a", "status": "failed", "reason": "x"}])
    yield "summary_types", but(metrics={"dice": {"n": 1.5, "mean": "x", "ci95": [1]}})
    yield "labels_type", but(labels=[1])
    yield "label_type", but(labels={"1": 1})
    yield "members", but(labels={"1": {"members": [1.5, "x", -1, 18446744073709551615]}})
    yield "members_type", but(labels={"1": {"name": 3, "members": {"a": 1}}})
    yield "mismatch_type", but(settings={"threshold": "0.5", "allow_affine_mismatch": 3})
    yield "roots_type", but(provenance={"roots": "/p"})
    yield "root_type", but(provenance={"roots": {"prediction": 3, "image": None}})
    yield "escapes", but(cases=[{"id": "\u0061", "prediction": "\ud800"}])
    yield "behind", but() + b"x"
    yield "cut", but()[:150]
    yield "table", b"id,dice\na,1\n"
    yield "deep", b'{"cases": ' + b"[" * 5000
    yield "empty", b""


def journal_line(record):
    return b'{"crc32": "%08x", "record": %s}\n' % (zlib.crc32(record), record)


def journal_seeds():
    line = journal_line
    header = line(b'{"kind":"header","settings_sha256":"s","inputs_sha256":"i","version":"0.1.0"}')
    case = line(b'{"kind":"case","id":"a"}')
    yield "whole", header + case + case
    yield "header", header
    yield "torn", header + case[:-9]
    yield "torn_header", header[:20]
    yield "damaged", header + case.replace(b'"a"', b'"b"') + case
    yield "damaged_last", header + case.replace(b'"a"', b'"b"')
    yield "no_header", case + case
    yield "header_type", line(b"[1]") + case
    yield "header_values", line(b'{"kind":"header","version":7}') + case
    yield "blank_lines", header + b"\n\n" + case
    yield "empty", b""
    yield "not_json", line(b"not json") + case


def shard_line(record):
    return journal_line(json.dumps(record, separators=(",", ":")).encode())


def shard_end(cases):
    return shard_line({"kind": "end", "cases": cases, "failed": 0, "exit": 0})


def shard_header():
    settings = {"metrics": [{"key": "dice", "argument": 0, "if_present": False},
                            {"key": "nsd@2mm", "argument": 2.0, "if_present": True}],
                "marks_reliable": False, "convention": "spec", "beta": 1.0,
                "lesions": {"rule": "any", "connectivity": "26", "least_ml": 0.0,
                            "half_matches": False},
                "regions": [{"key": "1", "name": "lesion", "members": [1], "is_union": False}],
                "all_labels": False, "ignore_label": None, "threshold": None,
                "foreground_nonzero": False, "missing": "exclude", "allow_affine_mismatch": False,
                "compat_spec": False, "ci_method": "t", "prediction": None}
    return {"kind": "header", "schema": "assay.shard/1", "shard": 2, "shards": 3, "cases": 7,
            "version": "0.2.0", "model_name": "net", "settings_sha256": "s",
            "inputs_sha256": "i", "plan_sha256": None, "settings": settings,
            "labels_were_asked_for": False, "warnings": ["odd"], "results": "results.json",
            "format": "json", "anonymous": False, "roots": {"prediction": "/p"},
            "command": ["assay", "score"]}


def shard_case(index, name, **others):
    case = {"kind": "case", "id": name, "fate": "scored", "error": "", "reference_at_fault": False,
            "warnings": [], "groups": [["site", "A"]], "prediction": "a", "reference": "a",
            "prediction_sha256": "0", "reference_sha256": "1", "counts": {"1": [1, 2, 3, 4]},
            "voxels": 10, "voxel_ml": 0.001, **others}
    return shard_line({"kind": "case", "index": index, "case": case})


def shard_seeds():
    line, end, header, one = shard_line, shard_end, shard_header(), shard_case(2, "a")
    settings = header["settings"]
    yield "whole", line(header) + one + end(1)
    yield "no_cases", line(header) + end(0)
    yield "no_end", line(header) + one
    yield "torn", (line(header) + one + end(1))[:-9]
    yield "wrong_end", line(header) + one + end(2)
    yield "after_the_end", line(header) + end(0) + one
    yield "another_shard", line({**header, "shard": 1}) + one + end(1)
    yield "planned", line({**header, "shard": 1, "plan_sha256": "p"}) + one + end(1)
    yield "no_such_shard", line({**header, "shard": 4}) + end(0)
    yield "many_shards", line({**header, "shards": 2**60}) + end(0)
    yield "many_cases", line({**header, "cases": 2**53}) + one + end(1)
    yield "source", line({**header, "settings": {**settings, "prediction": {
        "backend": "b", "model_sha256": "s", "recipe": "r", "recipe_sha256": "h",
        "space": "n"}}}) + end(0)
    for name, value in {"beta": float("nan"), "threshold": float("inf"), "convention": "mine",
                        "missing": "sometimes", "ignore_label": 1e300, "metrics": [{"key": "x"}],
                        "regions": {}, "lesions": None}.items():
        yield name, line({**header, "settings": {**settings, name: value}}) + end(0)
    plan = {"schema": "assay.plan/1", "shards": 2, "inputs_sha256": "i", "shard_of": [1, 2, 1]}
    yield "plan", json.dumps(plan).encode()
    yield "plan_of_others", json.dumps({**plan, "shard_of": [3]}).encode()
    yield "plan_types", json.dumps({**plan, "shard_of": "12"}).encode()
    yield "results_elsewhere", line({**header, "results": "../../x"}) + end(0)
    yield "empty", b""


def merge_seeds():
    """Up to four files of shards."""
    def shard(number, *cases, **others):
        header = {**shard_header(), "shard": number, "shards": 2, "cases": 3, **others}
        return shard_line(header) + b"".join(cases) + shard_end(len(cases))
    b, a, c = shard_case(1, "b"), shard_case(0, "a"), shard_case(2, "c")
    first, second = shard(1, b), shard(2, a, c)
    yield "whole", first + b"\0" + second
    yield "first", first
    yield "second", b"\0" + second
    yield "twice", first + b"\0" + second + b"\0" + first
    yield "differs", b"\0".join([first, second, shard(1, shard_case(1, "b", voxel_ml=0.1))])
    yield "out_of_order", shard(1, shard_case(1, "z")) + b"\0" + second
    yield "too_few", first + b"\0" + shard(2, a)
    yield "other_settings", first + b"\0" + shard(2, a, c, version="0.3.0", anonymous=True)
    yield "other_model", first + b"\0" + shard(2, a, c, model_name="other")
    yield "many_shards", shard(1, shards=1000000, cases=0)
    yield "many_cases", shard(1, b, cases=2**53) + b"\0" + shard(2, a, c, cases=2**53)
    yield "failed", shard(1, shard_case(1, "b", fate="failed", error="why")) + b"\0" + second
    yield "other_labels", shard(1, shard_case(1, "b", counts={"7": [0, 0, 0, 10]})) + b"\0" + second
    yield "damaged", first[:-30] + b"\0" + second
    yield "planned", shard(1, a, b, plan_sha256="p") + b"\0" + shard(2, c, plan_sha256="p")
    yield "empty", b""


def jobs_seeds():
    """predictions.json of grand-challenge.org, in both dialects."""
    def header(dialect, path):
        slug = path.split("/")[-1]
        return ({"slug": slug, "relative_path": path, "is_image_kind": True} if dialect == "socket"
                else {"pk": 1, "slug": slug, "super_kind": "Image", "relative_path": path})

    def value(dialect, path, name, **others):
        return {"file": None, "value": None, "image": {"pk": "1f", "name": name},
                dialect: header(dialect, path), **others}

    def job(dialect="socket", pk="a-1", image="p1.mha", out="images/lesion", **others):
        return {"pk": pk, "inputs": [value(dialect, "images/ct", image)],
                "outputs": [value(dialect, out, "output.mha")], "status": "Succeeded", **others}
    jobs = {"socket": [job()], "interface": [job("interface")],
            "two": [job(), job(pk="a-2", image="p2.nii.gz")], "none": [], "no_list": {"a": 1},
            "outside": [job(out="../../etc")], "absolute": [job(out="/etc")],
            "parent": [job(pk="..")], "no_pk": [job(pk="")], "numbers": [job(pk=7)],
            "no_outputs": [job(outputs=[])], "several": [job(outputs=job()["outputs"] * 2)],
            "no_image": [job(inputs=[value("socket", "images/ct", "x", image=None)])],
            "no_socket": [job(inputs=[{"image": {"name": "a"}}])], "texts": ["job"],
            "failed": [job(status="Failed", outputs=None)]}
    for name, content in jobs.items():
        yield name, json.dumps(content).encode()


def cohort_seeds():
    """The table of cases of --manifest."""
    head = b"id,prediction,reference\n"
    yield "plain", head + b"a,p/a.nii,r/a.nii\nb,p/b.nii,r/b.nii\n"
    yield "groups", b"site,id,reference,prediction,age\nA,a,r.nii,p.nii,7\n,b,,,\n"
    yield "twice", head + b"a,p,r\na,p,r\n"
    yield "no_id", head + b",p,r\n"
    yield "no_column", b"id,reference\na,b\n"
    yield "no_case", head
    yield "long_path", head + b"a," + b"x" * 5000 + b"," + b"y/" * 3000 + b"\n"
    yield "zero", head + b"a,p\0q,r\0s\n"
    yield "itself", head + b"a,cases.csv,cases.csv\n"
    yield "folders", head + b"a,.,..\n"
    yield "tabs", b"id\tprediction\treference\na\tp\tr\n"
    yield "formula", head + b"'=1+1,'-p,'@r\n"
    yield "empty", b""


def run_seeds():
    lists = b'"per_subject_dice": [0.5, NaN], "per_subject_avd": [Infinity, null], '
    yield ("whole",
           b'{"outer_fold": 0, "restart": 0, "seed": 42, "test_dice": 0.5, ' + lists
           + b'"subject_ids": ["a", "b"]}')
    yield "indices", b"{" + lists + b'"subject_indices": [7, 3]}'
    yield "large_index", b"{" + lists + b'"subject_indices": [1e300, 18446744073709551615]}'
    yield "twice", b"{" + lists + b'"subject_ids": ["a", "a"]}'
    yield "no_ids", b"{" + lists[:-2] + b"}"
    yield "lengths", b"{" + lists + b'"subject_ids": ["a"]}'
    yield "id_type", b"{" + lists + b'"subject_ids": [1, 2]}'
    yield "list_type", b'{"per_subject_dice": {"a": 1}, "subject_ids": ["a"]}'
    yield "value_type", b'{"per_subject_dice": ["1"], "subject_ids": ["a"]}'
    yield "other_fold", b'{"outer_fold": 1, "per_subject_dice": [1], "subject_ids": ["a"]}'
    yield "means", b'{"test_dice": 0.5}'
    yield ("nnunet",
           b'{"metric_per_case": [{"metrics": {"1": {"Dice": 0.5, "TP": 1, "FP": 1, "FN": 1, "TN": '
           b'1}}, "reference_file": "a.nii.gz", "prediction_file": "a.nii.gz"}]}')
    yield "cut", b'{"per_subject_dice": [0.5, '
    yield "empty", b""


def manifest_seeds():
    yield "whole", b"id,s,v\na,x,1\nb,y,2\nc,x,3\nd,y,4\ne,x,5\nf,y,6\n"
    yield "no_id", b"scan,s\na,x\nb,x\nc,y\nd,y\n"
    yield "twice", b"id,s\na,x\na,y\n"
    yield "blank_id", b"id,s\n,x\nb,y\n"
    yield "blank_cells", b"id,s,v\na,,1\nb,,2\nc,x,\n"
    yield "equal", b"id,v\na,1\nb,1\nc,1\nd,1\n"
    yield "not_finite", b"id,v\na,nan\nb,inf\nc,1e999\n"
    yield "numbers", b"id,s\n" + b"".join(b"%d,%d.5\n" % (i, i) for i in range(25))
    yield "columns_twice", b"id,s,s\na,x,y\nb,x,y\n"
    yield "one", b"id,s,v\na,x,1\n"
    yield "header", b"id,s,v\n"
    yield "empty", b""


def qa_table_seeds():
    head = (b"benchmark_name,benchmark_id,image_path,answer,options,is_valid,metric_type,file_id,"
            b"prompt\n")
    yield (
        "python",
        head
        + b"gtex,1,a.tiff,Lung,\"['Lung', \"\"O'B\"\","
        b" 'x\\\\u00e9']\",True,,f,\"{options}\n{{\"\"answer\"\": X}}\"\n",
    )
    yield "json", head + b'tcga,1,a.svs,2,"[""A"", 3]",,,,Q?\n'
    yield "bars", head + b"x,1,a.svs,1,A|B,true ,accuracy,,Q?\n"
    yield "panda", head + b"panda,1,a.tiff,5,,,,,Q?\n"
    yield "twice", head + b"x,1,a,1,,,,,\nx,1,b,1,,,,,\n"
    yield "bad_metric", head + b"x,1,a,1,,,kappa,,\n"
    yield "bad_truth", head + b"panda,1,a,6,,,,,\n"
    yield "bad_options", head + b"x,1,a,1,{},,,,\n"
    yield "no_column", b"benchmark_name,image_path\nx,a\n"
    yield "invalid", head + b"x,1,a,1,,False,,,\n"
    yield ("list",
           b'[{"benchmark_name": "x", "id": 7, "image_path": "a", "answer": 1, "options": ["A", '
           b'"B"]}]')
    yield ("data",
           b'{"data": [{"benchmark_name": "x", "image_path": "a", "answer": "1", "options": '
           b'null}]}')
    yield ("lines",
           b'{"benchmark_name": "x", "image_path": "a", "answer": 1}\n{"benchmark_name": "x", '
           b'"image_path": "b", "answer": 0}\n')
    yield "empty", b""


def qa_results_seeds():
    item = (b'{"item_id": "1", "prediction": "{\\"answer\\": 1}", "predicted_label": 1, '
            b'"truth_label": 1, "correct": true, "cost_usd": 0.0, "total_tokens": 0, '
            b'"trajectory_file": "", "error": null')
    vote = (b'{"run": 0, "prediction": "1", "label": 1, "rule": "lone_token", "span": [0, 1], '
            b'"outcome": "scored", "cost_usd": null, "total_tokens": 3, "calls": 1, '
            b'"trajectory_file": "", "error": null}')
    full = (
        item
        + b', "outcome": "scored", "rule": "json", "span": [11, 12], "slide": "a.svs", "options":'
        b' ["A", "B"], "votes": ['
        + vote
        + b', '
        + vote
        + b']}'
    )
    whole = (
        lambda results, schema=b"": b'{'
        + schema
        + b'"run_id": "r", "benchmark_name": "t", "model_name": "m", "config": {"mode": "giant",'
        b' "x": [1]}, "results": ['
        + results
        + b'], "metrics": {"metric_type": "accuracy"}, "timestamp": "t"}'
    )
    ours = b'"schema": "assay.qa/1", '
    yield "spec", whole(item + b"}")
    yield "ours", whole(full, ours)
    yield "twice", whole(item + b"}, " + item + b"}")
    yield "nothing", whole(b"")
    yield "long_span", whole(full.replace(b"[11, 12]", b"[11, 99]"), ours)
    yield "outcome", whole(full.replace(b'"scored"', b'"lost"'), ours)
    yield "no_label", whole(full.replace(b'"predicted_label": 1', b'"predicted_label": null'), ours)
    yield "large", whole(item.replace(b'"truth_label": 1', b'"truth_label": 1e300') + b"}")
    yield "other_schema", whole(b"", b'"schema": "assay.folds/1", ')
    yield "metric", whole(item + b"}").replace(b'"accuracy"', b'"kappa"')
    yield ("authors",
           b'{"benchmark": "t", "conv_id": "1", "status": "ok", "prediction": "B", "model_name": '
           b'"m"}\n{"benchmark": "t", "file_name": "a.svs", "status": "timeout", "error": '
           b'"late"}\n')
    yield "authors_unknown", b'{"benchmark": "t", "conv_id": "9", "status": "ok"}\n'
    yield "authors_status", b'{"benchmark": "t", "conv_id": "1", "status": "odd"}\n'
    yield "cut", whole(full, ours)[:200]
