#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brain tumours by the regions of BraTS: whole tumour, tumour core, enhancing tumour.

Run it in one go, or cell by cell in an editor that knows `# %%`. It needs NumPy and assay.

usage: brats_regions.py [FOLDER]      (default: build/examples/brats)
"""
import pathlib
import sys

import assay
import numpy as np

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/brats")
SHAPE = (40, 40, 32)
NECROSIS, OEDEMA, ENHANCING = 1, 2, 3  # the labels since BraTS 2023

# %% [markdown]
# ## A cohort
# A tumour is three shells: necrosis inside, an enhancing rim, oedema outside. Two of the ten have
# no enhancing part. `first` draws the rim too thin, `second` the oedema too large.


# %%
def tumour(number, rim=0.0, oedema=0.0):
    centre = (18 + number % 4, 19 + number % 3, 15 + number % 2)
    distance = np.sqrt(sum((axis - c) ** 2 for axis, c in zip(np.indices(SHAPE), centre)))
    core, has_rim = 4.5 + number % 3, number % 5 != 4
    labels = np.zeros(SHAPE, np.uint8)
    labels[distance <= core + 6 + oedema] = OEDEMA
    if has_rim:
        labels[distance <= core + 2 + rim] = ENHANCING
    labels[distance <= core] = NECROSIS
    return labels


def write_labels(path, labels):
    """MetaImage: a header of text, then the voxels."""
    path.parent.mkdir(parents=True, exist_ok=True)
    header = (f"ObjectType = Image\nNDims = 3\nDimSize = {' '.join(map(str, SHAPE))}\n"
              "ElementSpacing = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n")
    path.write_bytes(header.encode() + labels.tobytes(order="F"))


for number in range(10):
    name = f"BraTS-{number + 1:03}.mha"
    write_labels(FOLDER / "references" / name, tumour(number))
    write_labels(FOLDER / "first" / name, tumour(number, rim=-0.6))
    write_labels(FOLDER / "second" / name, tumour(number, oedema=1.5))

# %% [markdown]
# ## Scores
# Regions are unions of labels. The convention `brats2023` follows the code of the challenge:
# lesions are scored one by one, and a region that is absent from both masks scores 1.

# %%
REGIONS = ["WT=1,2,3", "TC=1,3", "ET=3"]
results = [assay.score(FOLDER / model, FOLDER / "references", model=model, region=REGIONS,
                       metrics=["dice", "hd95", "lesion_dice"], convention="brats2023")
           for model in ("first", "second")]
for result in results:
    for region in ("WT", "TC", "ET"):
        means = result["labels"][region]["metrics"]
        print(result["model_name"], region,
              {key: round(means[key]["mean"], 3) for key in ("dice", "hd95", "lesion_dice")})

# %% [markdown]
# ## The comparison, region by region

# %%
compared = assay.compare(results, baseline="first", metric=["dice"], label=["WT", "TC", "ET"])
for test in compared["metrics"]["dice"]:
    print(f"{test['label']}: second − first = {test['difference']:.3f}, p = {test['p_value']:.4f}")

# %% [markdown]
# ## The picture
# The distribution of each metric in each region, for both models.

# %%
assay.report(results, FOLDER / "report.html", baseline="first", label=["WT", "TC", "ET"],
             figures=FOLDER / "figures")
print(*sorted(path.name for path in (FOLDER / "figures").glob("raincloud-*.svg")))
