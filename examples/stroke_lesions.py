#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stroke lesions: two models on the same twelve scans. Which one misses the small lesions?

Run it in one go, or cell by cell in an editor that knows `# %%`. It needs NumPy and assay.

usage: stroke_lesions.py [FOLDER]      (default: build/examples/stroke)
"""
import pathlib
import sys

import assay
import numpy as np

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/stroke")
SHAPE, SPACING = (48, 48, 24), (1.0, 1.0, 2.0)

# %% [markdown]
# ## A cohort
# Each scan has one large lesion and up to three small ones. `careful` draws every lesion a voxel
# too wide. `bold` hits the large lesion exactly and misses the small ones.


# %%
def ball(centre, radius_mm):
    distances = sum(((axis - c) * mm) ** 2
                    for axis, c, mm in zip(np.indices(SHAPE), centre, SPACING))
    return distances <= radius_mm**2


def scan(number):
    """Reference, careful, bold."""
    large = (16 + number % 5, 18 + 2 * number % 7, 10)
    small = [(38, 10 + 9 * i, 8 + number % 4) for i in range(number % 4)]
    radius = 7 + number % 3
    reference = ball(large, radius)
    careful, bold = ball(large, radius + 1), reference.copy()
    for centre in small:
        reference |= ball(centre, 2.1)
        careful |= ball(centre, 3.0)
    return reference, careful, bold


def write_mask(path, mask):
    """MetaImage: a header of text, then the voxels."""
    path.parent.mkdir(parents=True, exist_ok=True)
    header = (f"ObjectType = Image\nNDims = 3\nDimSize = {' '.join(map(str, SHAPE))}\n"
              f"ElementSpacing = {' '.join(map(str, SPACING))}\nElementType = MET_UCHAR\n"
              "ElementDataFile = LOCAL\n")
    path.write_bytes(header.encode() + mask.astype(np.uint8).tobytes(order="F"))


for number in range(12):
    for name, mask in zip(("references", "careful", "bold"), scan(number)):
        write_mask(FOLDER / name / f"sub-{number + 1:02}.mha", mask)

# %% [markdown]
# ## Scores
# Dice alone prefers the model that misses lesions. Lesion metrics show what it misses.

# %%
METRICS = ["dice", "nsd", "avd", "lesion_recall", "lesion_f1"]
results = [assay.score(FOLDER / model, FOLDER / "references", model=model, metrics=METRICS)
           for model in ("bold", "careful")]
for result in results:
    means = {key: round(result["metrics"][key]["mean"], 3) for key in METRICS}
    print(result["model_name"], means)

# %% [markdown]
# ## The comparison
# The tests are paired: each scan is its own control.

# %%
compared = assay.compare(results, baseline="bold", metric=["dice", "lesion_recall"])
for key, (test,) in compared["metrics"].items():
    print(f"{key}: careful − bold = {test['difference']:.3f}, p = {test['p_value']:.4f}, "
          f"{test['verdict']}")

# %% [markdown]
# ## The picture
# The shape is the distribution, and each dot is a scan.

# %%
assay.report(results, FOLDER / "report.html", baseline="bold", figures=FOLDER / "figures")
print(*sorted(path.name for path in (FOLDER / "figures").glob("raincloud-*.svg")))
