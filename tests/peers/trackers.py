"""What --log-to writes, read back by MLflow and TensorBoard, in an environment of their own."""
import json, os, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "build/peers/trackers"
WANTED = ["mlflow-skinny==3.17.2", "tensorboard==2.21.0"]


def read_mlflow(store):
    """(metrics, parameters, tags, status) of the one run of the experiment `assay`."""
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # MLflow 3 wants to be asked for it
    from mlflow.store.tracking.file_store import FileStore
    found = FileStore(str(store))
    experiment = found.get_experiment_by_name("assay")
    (run,) = found.search_runs([experiment.experiment_id], "", 1)
    return run.data.metrics, run.data.params, run.data.tags, run.info.status


def read_tensorboard(folder):
    """The scalars of the one model."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    (model,) = pathlib.Path(folder).iterdir()
    events = EventAccumulator(str(model)).Reload()
    tags = events.Tags()
    names = tags["scalars"] + tags["tensors"]
    return {name: events.Scalars(name)[0].value for name in names}


def read_back(folder):
    """Run by the other Python: all that both tools find, as JSON."""
    metrics, parameters, tags, status = read_mlflow(folder / "mlruns")
    print(json.dumps({"mlflow": metrics, "parameters": parameters, "tags": tags, "status": status,
                      "tensorboard": read_tensorboard(folder / "runs")}))


def troubles(program):
    """What differs between a results file and what the tools read; nothing when all is well."""
    from newer_numpy import environment
    python = environment(HOME, WANTED)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        make = [program, "demo", "--out", work / "demo", "--cases", "4", "--side", "24", "--quiet"]
        subprocess.run(make, check=True, capture_output=True)
        demo = work / "demo"
        scored = subprocess.run(
            [program, "score", demo / "models/good", demo / "references", "--metrics",
             "dice,nsd,nsd@2mm", "--out", work / "r.json", "--log-to", f"mlflow={work}/mlruns",
             "--log-to", f"tensorboard={work}/runs"], text=True, capture_output=True)
        if scored.returncode not in (0, 3):  # two of the demo's predictions are broken on purpose
            return [scored.stderr]
        read = subprocess.run([python, __file__, work], text=True, capture_output=True)
        if read.returncode != 0:
            return [read.stderr.strip().splitlines()[-1]]
        return differences(json.loads((work / "r.json").read_text()), json.loads(read.stdout))


def differences(result, read):
    out = []
    for key, summary in result["metrics"].items():
        mean = summary["mean"]
        if read["mlflow"].get(key.replace("@", "_")) != mean:
            out.append(f"MLflow has {read['mlflow']} and not {key} = {mean}")
        if abs(read["tensorboard"].get(key, -1) - mean) > 1e-6 * abs(mean):
            out.append(f"TensorBoard has {read['tensorboard']} and not {key} = {mean}")
    if read["tags"].get("mlflow.runName") != result["model_name"] or read["status"] != "FINISHED":
        out.append(f"the run is called {read['tags']}, and is {read['status']}")
    return out


if __name__ == "__main__":
    read_back(pathlib.Path(sys.argv[1]))
