#!/usr/bin/env python3
"""Writes the seeds of the fuzzers into tests/fuzz/corpus."""
import pathlib

import dicom_seeds
import image_seeds
import model_seeds
import picture_seeds
import qa_seeds
import report_seeds
import text_seeds

CORPUS = pathlib.Path(__file__).parent / "corpus"
SEEDS = {
    "fuzz_nifti": image_seeds.nifti_seeds,
    "fuzz_metaimage": image_seeds.metaimage_seeds,
    "fuzz_nrrd": image_seeds.nrrd_seeds,
    "fuzz_npy": image_seeds.npy_seeds,
    "fuzz_gzip": image_seeds.gzip_seeds,
    "fuzz_runs": image_seeds.runs_seeds,
    "fuzz_csv": text_seeds.csv_seeds,
    "fuzz_record": text_seeds.record_seeds,
    "fuzz_results": text_seeds.results_seeds,
    "fuzz_dataset": text_seeds.dataset_seeds,
    "fuzz_journal": text_seeds.journal_seeds,
    "fuzz_shard": text_seeds.shard_seeds,
    "fuzz_merge": text_seeds.merge_seeds,
    "fuzz_jobs": text_seeds.jobs_seeds,
    "fuzz_cohort": text_seeds.cohort_seeds,
    "fuzz_run": text_seeds.run_seeds,
    "fuzz_manifest": text_seeds.manifest_seeds,
    "fuzz_experiment": text_seeds.experiment_seeds,
    "fuzz_paper": text_seeds.paper_seeds,
    "fuzz_parity": text_seeds.parity_seeds,
    "fuzz_segmentation": text_seeds.segmentation_seeds,
    "fuzz_qa_table": text_seeds.qa_table_seeds,
    "fuzz_qa_results": text_seeds.qa_results_seeds,
    "fuzz_checkpoint": model_seeds.checkpoint_seeds,
    "fuzz_safetensors": model_seeds.safetensors_seeds,
    "fuzz_tfjs": model_seeds.tfjs_seeds,
    "fuzz_onnx": model_seeds.onnx_seeds,
    "fuzz_recipe": model_seeds.recipe_seeds,
    "fuzz_predictor": model_seeds.predictor_seeds,
    "fuzz_own_metric": model_seeds.own_metric_seeds,
    "fuzz_dicom": image_seeds.dicom_seeds,
    "fuzz_dicom_objects": dicom_seeds.object_seeds,
    "fuzz_jpeg": image_seeds.jpeg_seeds,
    "fuzz_png": picture_seeds.png_seeds,
    "fuzz_tiff": picture_seeds.tiff_seeds,
    "fuzz_zarr": picture_seeds.zarr_seeds,
    "fuzz_label_table": picture_seeds.label_table_seeds,
    "fuzz_json": report_seeds.json_seeds,
    "fuzz_comparison": report_seeds.comparison_seeds,
    "fuzz_folds": report_seeds.folds_seeds,
    "fuzz_names": report_seeds.names_seeds,
    "fuzz_groups": report_seeds.groups_seeds,
    "fuzz_report": report_seeds.report_seeds,
    "fuzz_answer": qa_seeds.answer_seeds,
    "fuzz_trajectory": qa_seeds.trajectory_seeds,
    "fuzz_prices": qa_seeds.prices_seeds,
    "fuzz_reply": qa_seeds.reply_seeds,
    "fuzz_agent": qa_seeds.agent_seeds,
    "fuzz_questions": qa_seeds.questions_seeds,
    "fuzz_qa_journal": qa_seeds.qa_journal_seeds,
    "fuzz_qa_lists": qa_seeds.qa_lists_seeds,
}

for target, seeds in SEEDS.items():
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    for name, data in seeds():
        (CORPUS / target / name).write_bytes(data)
