"""The same answers scored by inspect_ai (in an environment of its own) and by assay.

A mock model gives each answer; nothing leaves the machine.
"""
import json, os, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME, WANTED = ROOT / "build/peers/inspect", ["inspect_ai==0.3.285"]
ORGANS = ["Lung", "Heart", "Liver", "Kidney"]
#: Three attempts at each of eight questions (letters), and what is right.
ATTEMPTS = ["AAB", "BBB", "CAC", "DDD", "ABA", "BCB", "ACC", "DAD"]
TARGETS = "ABCDBBCA"


def score_with_inspect(folder):
    """Run by the other Python: accuracy and standard error of the first attempts, and the accuracy
    of the majority, as JSON."""
    from inspect_ai import Epochs, Task, eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    def run(epochs):
        answers = {f"Which organ is on slide {i}?": iter(letters)
                   for i, letters in enumerate(ATTEMPTS)}

        def reply(messages, *_):
            question = next(text for text in answers if text in messages[-1].text)
            output = ModelOutput.from_content("mock", f"ANSWER: {next(answers[question])}")
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output  # with usage, so that no tokenizer is downloaded
        samples = [Sample(input=text, choices=ORGANS, target=target)
                   for text, target in zip(answers, TARGETS)]
        task = Task(dataset=samples, solver=multiple_choice(), scorer=choice(),
                    epochs=Epochs(epochs, "mode"))
        model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
        (log,) = evaluate(task, model=model, display="none", log_dir=folder, max_samples=1)
        if log.error:
            raise RuntimeError(log.error.message)
        return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    first, voted = run(1), run(3)
    print(json.dumps({"accuracy": first["accuracy"], "stderr": first["stderr"],
                      "majority": voted["accuracy"]}))


def score_with_assay():
    import assay

    def label(letter):
        text = f"ANSWER: {letter}"
        return assay.extract_label(text, benchmark_name="mine", options=ORGANS).label
    truths = ["ABCD".index(letter) + 1 for letter in TARGETS]
    first = [label(letters[0]) for letters in ATTEMPTS]
    votes = [assay.majority_vote([label(letter) for letter in letters]).label
             for letters in ATTEMPTS]
    right = [float(found == truth) for found, truth in zip(first, truths)]
    n = len(right)
    mean = assay.accuracy(first, truths)
    return {"accuracy": mean, "stderr": (mean * (1 - mean) / (n - 1)) ** 0.5,
            "majority": assay.accuracy(votes, truths)}


def score_both():
    from newer_numpy import environment
    python = environment(HOME, WANTED)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, __file__, folder], text=True, capture_output=True,
                              cwd=folder, env={**os.environ, "INSPECT_LOG_DIR": folder})
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-600:])
    return json.loads(done.stdout.splitlines()[-1]), score_with_assay()


if __name__ == "__main__":
    score_with_inspect(sys.argv[1])
