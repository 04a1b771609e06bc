#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets assay run a PyTorch model: --command "python3 torch_model.py MODEL".

MODEL is a TorchScript file, or FILE.py:FUNCTION, a function that returns the module with its
weights.
"""
import hashlib, importlib.util, json, sys
import nibabel, numpy, torch

def load(path, function):
    if not function:
        return torch.jit.load(path, map_location="cpu")
    spec = importlib.util.spec_from_file_location("model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, function)()

def predict(request):
    image = nibabel.load(request["image"])
    voxels = torch.from_numpy(image.get_fdata(dtype=numpy.float32))[None, None].to(device)
    with torch.no_grad():
        scores = model(voxels)[0]  # classes, x, y, z
    labels = scores.argmax(0) if len(scores) > 1 else scores[0] > 0
    nibabel.save(nibabel.Nifti1Image(labels.cpu().numpy().astype(numpy.uint8), image.affine),
                 request["output"])
    return {"ok": True}

answers, sys.stdout = sys.stdout, sys.stderr  # what the model prints must not mix with the answers
path, _, function = sys.argv[1].partition(".py:")
path += ".py" if function else ""
device = "cuda" if torch.cuda.is_available() else "cpu"
model = load(path, function).eval().to(device)
hello = {"protocol": 1, "name": path,
         "version": hashlib.sha256(open(path, "rb").read()).hexdigest(), "device": device}
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = hello if "hello" in request else {"id": request["id"], **predict(request)}
    except Exception as error:
        answer = {"id": request["id"], "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
