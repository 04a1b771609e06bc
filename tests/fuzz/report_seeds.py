"""Seeds of the fuzzers of JSON, names, tables of groups, and what reports are made of."""
import json

from text_seeds import parity_seeds, qa_results_seeds


def json_seeds():
    yield "values", b'{"a": [1, -2, 3.5, 1e5, true, false, null, "x"], "b": {"c": {}}, "": []}'
    yield ("numbers",
           b"[0, -0, -0.0, 18446744073709551615, 18446744073709551616, -9223372036854775809]")
    yield "exponents", b"[1E+2, 1e-400, 4.9e-324, 1.7976931348623157e308, 0.1e1]"
    yield "too_large", b"[1e999, -1e999]"
    yield "python", b"[NaN, Infinity, -Infinity]"
    yield "escapes", rb'"\" \\ \/ \b \f \n \r \t \u00e9 \ud83d\ude00"'
    yield "surrogates", rb'["\ud800", "\udc00", "\ud800\ud800", "\ud800x"]'
    yield "twice", b'{"a": 1, "b": 2, "a": 3}'
    yield "mark", b"\xef\xbb\xbf[1]"
    yield "space", b" \t\r\n[ 1 , 2 ] \n"
    yield "leading_zero", b"[01]"
    yield "no_digits", b"[1., .5, 1e, +1]"
    yield "comma", b"[1,]"
    yield "comment", b"[1] // one"
    yield "control", b'"\x01"'
    yield "bytes", b'"\xff\xc0\x80\xed\xa0\x80"'
    yield "letters", "[\"\u00e9\u4e2d\U0001f600\"]".encode()
    yield "zero", b"[1]\0"
    yield "two", b"1 2"
    yield "deep", b"[" * 200 + b"]" * 200
    yield "too_deep", b"[" * 201 + b"]" * 201
    yield "nested", b"[" * 5000
    yield "nested_objects", b'{"a":' * 5000
    yield "empty", b""


def comparison_seeds():
    pair = {"model_name": "b", "n": 5, "difference": 0.1, "ci95": [0, 0.2],
            "corrected_p_value": 0.04, "verdict": "better", "sentence": "b is better"}
    one = lambda **changed: json.dumps({"schema": "assay.comparison/1", "baseline": "a",
                                        "metrics": {"dice": [{**pair, **changed}]}}).encode()
    yield "whole", one()
    yield "no_interval", one(ci95=None, difference=None)
    yield "interval_short", one(ci95=[1])
    yield "interval_type", one(ci95={"a": 1})
    yield "count", one(n=-1)
    yield "count_large", one(n=1e300)
    yield "verdict_type", one(verdict=1)
    yield "not_finite", one(difference=float("inf"), corrected_p_value=float("nan"))
    yield "pairs_type", b'{"baseline": "a", "metrics": {"dice": 1}}'
    yield "metrics_type", b'{"baseline": "a", "metrics": [1]}'
    yield "nested", b'{"baseline": ' + b"[" * 5000
    yield "empty", b""


def folds_seeds():
    run = {"outer_fold": 0, "restart": 0, "file": "f", "per_subject_dice": [0.5, None],
           "subject_ids": ["a", "b"]}
    one = lambda *runs, restarts="mean": json.dumps(
        {"schema": "assay.folds/1", "model_name": "m", "summary": {"restart_aggregation": restarts},
         "folds": [{"runs": list(runs)}]}).encode()
    yield "whole", one(run, {**run, "restart": 1}, {**run, "outer_fold": 1,
                                                    "subject_ids": ["c", "d"]})
    yield "best", one(run, {**run, "restart": 1, "val_dice": 0.5}, restarts="best")
    yield "median", one(run, restarts="median")
    yield "restarts", one(run, restarts="most")
    yield "fold_large", one({**run, "outer_fold": 2**53})
    yield "fold_huge", one({**run, "outer_fold": 1e300})
    yield "restart_negative", one({**run, "restart": -1})
    yield "lengths", one({**run, "subject_ids": ["a"]})
    yield "indices", one({**{k: v for k, v in run.items() if k != "subject_ids"},
                          "subject_indices": [3, 3]})
    yield "file_type", one({**run, "file": 3})
    yield "no_runs", one()
    yield "other_metrics", one(run, {**run, "restart": 1, "per_subject_mcc": [1, 0]})
    yield "nested", b'{"folds": ' + b"[" * 5000
    yield "empty", b""


def names_seeds():
    yield "bids", b"sub-01/ses-2/anat/sub-01_ses-2_desc-x_mask\nsub-02/sub-02_run-1_mask"
    yield "same", b"sub-01/sub-01_a\nsub-01/sub-01_b"
    yield "odd", b"sub-_ses-_\n-_-\n_sub-1-2__"
    yield "folds", b"fold_2_restart_1\nfold_2\nfold_all\nfold_99999999999999999999\nfold_-1"
    yield "command", b"python3 run.py {model} 'a b' \"c \\\" d\" e\\ f"
    yield "open_quote", b"a 'b"
    yield "shell", b"a; b | c > d $(e) `f` *"
    yield "escape", b"a\\"
    yield "letters", "sub-\u00e9_ses-\u4e2d".encode()
    yield "bytes", b"\xff\xfe-\0_sub-1"
    yield "blank", b"   \t "
    yield "empty", b""


def groups_seeds():
    yield "whole", b"id,site,age\na,A,30\nsub-01,B,40\n"
    yield "bids", b"participant_id\tsex\nsub-01\tF\n"
    yield "no_id", b"scan,site\na,A\n"
    yield "twice", b"id,site\na,A\na,B\n"
    yield "entities", b"id,site\nsub-01,A\nsub-01_ses-2,B\n"
    yield "columns_twice", b"id,site,site\na,A,B\n"
    yield "blank", b"id,site\n,A\n"
    yield "only_ids", b"id\na\n"
    yield "semicolons", b"id;site\na;A\n"
    yield "header", b"id,site\n"
    yield "open_quote", b'id,"site\na,A'
    yield "empty", b""


def report_seeds():
    """Files of every kind that a report is made of; markup in every text that people choose."""
    odd = "<x-fuzz onload=1>&\"'</script>"
    wide = f'id,dice,hd95,site\n"a{odd.replace(chr(34), chr(34) * 2)}",0.5,3,A\nb,0.7,,B\nc,,1,A\n'
    case = lambda name, value: {"id": name, "status": "ok", "groups": {odd: odd},
                                "label": {"1": {"dice": value, "undefined": {}}}}
    segmentation = {"schema": "assay.segmentation/1", "model_name": odd,
                    "metrics": {"dice": {"direction": "higher", "n": 2, "mean": 0.5}},
                    "labels": {"1": {"name": odd, "members": [1]}},
                    "cases": [case("a", 0.5), case("b", 0.25), case(odd, 1.0)],
                    "settings": {"convention": odd, odd: [odd]},
                    "provenance": {"assay": odd, "command": [odd]}}
    text = json.dumps(segmentation).encode()
    other = json.dumps({**segmentation, "model_name": "other",
                        "cases": [case("a", 0.75), case("b", 0.5), case("c", 0)]}).encode()
    yield "table", wide.encode()
    yield "segmentation", text
    yield "two", text + b"\0" + other
    yield "tables", b"id,dice\n" + b"".join(b"%d,0.%d\n" % (i, i) for i in range(1, 9)) + b"\0" + (
        b"id,dice\n" + b"".join(b"%d,0.%d\n" % (i, 9 - i) for i in range(1, 9)))
    yield "long", f"model,case,label,metric,value,status\n{odd},a,1,dice,0.5,ok\n".encode()
    yield ("nnunet",
           b'{"metric_per_case": [{"metrics": {"1": {"Dice": 0.5, "TP": 1, "FP": 1, "FN": 1, "TN": '
           b'1}}, "reference_file": "<x-fuzz>.nii.gz", "prediction_file": "a.nii.gz"}]}')
    yield "values", b"id,dice\na,1e308\nb,-1e308\nc,1e-300\n"
    yield "equal", b"id,dice\na,0.5\nb,0.5\n\0id,dice\na,0.5\nb,0.5\n"
    yield "one", b"id,dice\na,0.5\n\0id,dice\na,0.25\n"
    yield "apart", b"id,dice\na,0.5\n\0id,dice\nb,0.25\n"
    yield from ((f"comparison_{name}", data) for name, data in comparison_seeds()
                if name in ("whole", "not_finite"))
    yield from ((f"folds_{name}", data) for name, data in folds_seeds() if name == "whole")
    yield from ((f"parity_{name}", data) for name, data in parity_seeds()
                if name in ("whole", "details_type"))
    yield from ((f"qa_{name}", data) for name, data in qa_results_seeds()
                if name in ("ours", "spec"))
    yield "empty", b""
