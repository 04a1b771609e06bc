"""assay qa show: a trajectory as one page that needs nothing else and runs nothing."""
import base64, hashlib, html.parser, json

import pytest

from support import assay, listing, strict

ATTACK = "<script>alert('x')</script>\"&<img src=x onerror=alert(1)>"


def region(x=0, y=0, width=4000, height=3000):
    return {"x": x, "y": y, "width": width, "height": height}


def picture(run, content, kind, place):
    name = hashlib.sha256(content).hexdigest()
    (run / "crops").mkdir(parents=True, exist_ok=True)
    (run / f"crops/{name}.jpg").write_bytes(content)
    return {"kind": kind, "sha256": name, "width": 40, "height": 30, "region": place}


def write_run(folder, benchmark="tcga", item="TCGA-02", number=0, text="I look closer", file=None):
    """A trajectory of two calls: thumbnail and crop, then the answer."""
    run = folder / "run"
    crop = region(100, 200, 500, 400)
    turns = [
        {"step_index": 1, "images": [picture(run, b"thumbnail", "thumbnail", region())],
         "prompt": "Step 1 of 20", "response": text, "problem": None, "region": crop, "model": "m",
         "request_id": "r1", "usage": {"input": 10, "output": 5}, "cost_usd": 0.25},
        {"step_index": 2, "images": [picture(run, b"crop", "crop", crop)], "prompt": "Step 2 of 20",
         "response": "The answer is 2", "region": None, "usage": {"input": 20, "output": 5},
         "cost_usd": 0.5},
    ]
    trajectory = {"schema": "assay.trajectory/1", "benchmark": benchmark, "item_id": item,
                  "run": number, "wsi_path": "a.svs", "slide_width": 4000, "slide_height": 3000,
                  "question": "What is it?", "turns": turns, "final_answer": "The answer is 2",
                  "outcome": "scored", "error": None}
    (run / "trajectories").mkdir(exist_ok=True)
    path = run / "trajectories" / (file or f"{benchmark}_{item}_run{number}.json")
    path.write_text(json.dumps(trajectory))
    return run


class Page(html.parser.HTMLParser):
    """What a browser would see: the tags, their attributes, the text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def of(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def show(run, item="TCGA-02", *options):
    name = assay("qa", "show", run, item, *options).stdout.strip()
    return Page(open(name, encoding="utf-8").read())


def test_the_page_stands_beside_the_trajectory(tmp_path):
    run = write_run(tmp_path)
    done = assay("qa", "show", run, "TCGA-02")
    assert done.stdout.strip() == str(run / "trajectories/tcga_TCGA-02_run0.html")
    page = show(run)
    assert [image["src"] for image in page.of("img")] == [
        "data:image/jpeg;base64," + base64.b64encode(content).decode()
        for content in (b"thumbnail", b"crop")]
    boxes = [box for box in page.of("rect") if box["class"] == "box"]
    assert ([(box["x"], box["y"], box["width"], box["height"]) for box in boxes]
            == [("100", "200", "500", "400")])
    for text in ("What is it?", "I look closer", "The answer is 2",
                 "x 100, y 200, 500 × 400 pixels", "$0.7500"):
        assert text in page.text
    assert {link["href"] for link in page.of("a")} == {"#call-0"}
    assert [card["id"] for card in page.of("article")] == ["call-0", "call-1"]


def test_out_names_a_file_or_a_folder(tmp_path):
    run = write_run(tmp_path)
    before = listing(run)
    assay("qa", "show", run, "TCGA-02", "--out", tmp_path / "p.html")
    assay("qa", "show", run, "TCGA-02", "--out", f"{tmp_path}/pages/")
    assert ((tmp_path / "p.html").read_bytes()
            == (tmp_path / "pages/tcga_TCGA-02_run0.html").read_bytes())
    assert listing(run) == before
    path = run / "trajectories/tcga_TCGA-02_run0.json"
    assert "is an input" in assay("qa", "show", run, "TCGA-02", "--out", path, status=2).stderr
    assert strict(assay("qa", "show", run, "TCGA-02", "--json").stdout)["item_id"] == "TCGA-02"


def test_nothing_in_a_trajectory_becomes_markup(tmp_path):
    run = write_run(tmp_path, benchmark=ATTACK, item=ATTACK, text=ATTACK,
                    file="x_script_alert_x_script_img_src_x_onerror_alert_1_run0.json")
    path = next((run / "trajectories").iterdir())
    trajectory = json.loads(path.read_text().replace("What is it?", json.dumps(ATTACK)[1:-1]))
    path.write_text(json.dumps(trajectory))
    page = show(run, ATTACK)
    assert not page.of("script") and len(page.of("img")) == 2
    assert not [1 for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert page.text.count("<script>alert('x')</script>") >= 4
    assert "default-src 'none'" in page.of("meta")[1]["content"]


def test_runs_and_benchmarks_are_chosen(tmp_path):
    write_run(tmp_path, number=1, text="second")
    run = write_run(tmp_path, number=0, text="first")
    assert "first" in show(run).text and "second" in show(run, "TCGA-02", "--run", 1).text
    write_run(tmp_path, benchmark="tcga_expert_vqa", text="other")
    assert "choose one with --benchmark" in assay("qa", "show", run, "TCGA-02", status=2).stderr
    assert "other" in show(run, "TCGA-02", "--benchmark", "tcga_expert_vqa").text


def write_results(run, label, benchmark="tcga"):
    """What the run made of the answer: the last character is the label."""
    answer = {"rule": "answer_is", "span": [14, 15], "outcome": "scored", "cost_usd": 0.75,
              "total_tokens": 40, "error": None}
    item = {"item_id": "TCGA-02", "prediction": "The answer is 2", "predicted_label": label,
            "truth_label": 2, "correct": label == 2, "trajectory_file": "", "slide": "a.svs",
            "options": ["glioma", ATTACK], **answer,
            "votes": [{"run": 0, "prediction": "The answer is 2", "label": label, **answer}]}
    (run / f"{benchmark}_results.json").write_text(
        json.dumps({
            "schema": "assay.qa/1", "run_id": "r", "benchmark_name": benchmark, "model_name": "m",
            "config": {},
            "results": [item], "metrics": {"metric_type": "accuracy"}, "timestamp": ""}))


def test_the_verdict_comes_from_the_results(tmp_path):
    run = write_run(tmp_path)
    assert "truth" not in show(run).text
    write_results(run, 2)
    page = show(run)
    for text in ("right: 2, truth 2", "glioma", "rule: answer_is", "← truth and answer"):
        assert text in page.text
    assert ("mark", {}) in page.tags and not page.of("script")
    write_results(run, 1)
    assert "wrong: 1, truth 2" in show(run).text


def test_damaged_results_cost_the_verdict_only(tmp_path):
    run = write_run(tmp_path)
    (run / "tcga_results.json").write_text("{")
    done = assay("qa", "show", run, "TCGA-02")
    assert "tcga_results.json" in done.stderr and "the page shows no verdict" in done.stderr
    assert "The answer is 2" in show(run).text


def test_a_picture_that_lacks_is_said(tmp_path):
    run = write_run(tmp_path)
    crop = hashlib.sha256(b"crop").hexdigest()
    (run / f"crops/{crop}.jpg").unlink()
    page = show(run)
    assert f"crops/{crop}.jpg is missing" in page.text and len(page.of("img")) == 1


def test_a_hash_cannot_name_another_file(tmp_path):
    run = write_run(tmp_path)
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    path = run / "trajectories/tcga_TCGA-02_run0.json"
    path.write_text(path.read_text().replace(hashlib.sha256(b"crop").hexdigest(), "../../secret"))
    assert base64.b64encode(b"secret").decode() not in str(show(run).tags)


@pytest.mark.parametrize("item, says", [
    ("TCGA-03", "has no trajectory of item 'TCGA-03'"),
    ("TCGA-0", "has no trajectory of item 'TCGA-0'"),
    ("broken", "trajectory.run must be a whole number"),
])
def test_what_is_not_there_is_said(tmp_path, item, says):
    run = write_run(tmp_path)
    (run / "trajectories/tcga_broken_run0.json").write_text('{"schema": "assay.trajectory/1"}')
    before = listing(tmp_path)
    assert says in assay("qa", "show", run, item, status=2).stderr
    assert listing(tmp_path) == before


def test_usage(tmp_path):
    assert "give a run and an item" in assay("qa", "show", tmp_path, status=2).stderr
    assert "give the folder of a run" in assay("qa", "show", tmp_path, "x", status=2).stderr
