"""Surfaces and lesions by SciPy, as other tools compute them: what tests and the benchmark hold the
program against."""
import numpy
from scipy import ndimage


def border(mask):
    return mask & ~ndimage.binary_erosion(mask)


def border_distances(prediction, reference, spacing):
    """Both directed lists of border voxels, by a distance transform of each border."""
    p, r = border(prediction), border(reference)
    return (ndimage.distance_transform_edt(~r, sampling=spacing)[p],
            ndimage.distance_transform_edt(~p, sampling=spacing)[r])


def boundary_metrics(prediction, reference, spacing, tolerance=1.0):
    """Metrics Reloaded's definitions."""
    a, b = border_distances(prediction, reference, spacing)
    both = numpy.concatenate([a, b])
    p, r = border(prediction), border(reference)
    return {"hd": both.max(), "hd95": max(numpy.percentile(a, 95), numpy.percentile(b, 95)),
            "hd50": max(numpy.percentile(a, 50), numpy.percentile(b, 50)), "assd": both.mean(),
            "masd": (a.mean() + b.mean()) / 2, "nsd": (both <= tolerance).mean(),
            "boundary_iou": (p & r).sum() / (p | r).sum()}


def joint_crop(prediction, reference):
    """Both masks in the box around them."""
    both = prediction | reference
    box = []
    for axis in range(both.ndim):
        held = numpy.flatnonzero(both.any(tuple(k for k in range(both.ndim) if k != axis)))
        box.append(slice(held[0], held[-1] + 1))
    return prediction[tuple(box)], reference[tuple(box)]


def pooled_metrics(prediction, reference, spacing):
    """medpy's hd95, and panoptica's assd and nsd."""
    a, b = border_distances(prediction, reference, spacing)
    return {"hd95": numpy.percentile(numpy.concatenate([a, b]), 95),
            "assd": (a.mean() + b.mean()) / 2, "nsd": ((a <= 1).mean() + (b <= 1).mean()) / 2}


def areas(spacing):
    """The area of marching cubes by which of eight voxels around a corner are set, in the numbering
    of surface-distance.

    The smaller side falls into pieces of voxels that share faces; each piece has the triangles that
    the table of surface-distance has for it.
    """
    faces = numpy.array([spacing[1] * spacing[2], spacing[0] * spacing[2], spacing[0] * spacing[1]])
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    even = numpy.ones(3) / 8

    def unit(*axes):
        return numpy.array([1.0 if axis in axes else 0.0 for axis in range(3)])

    def triangles(piece):
        steps = [numpy.abs(numpy.subtract(a, b)) for n, a in enumerate(piece)
                 for b in piece[n + 1:]]
        along = sum((s for s in steps if s.sum() == 1), numpy.zeros(3))
        if len(piece) == 1:
            return [even]
        if len(piece) == 2:
            return [unit(*(k for k in range(3) if not along[k])) / 4] * 2
        if len(piece) == 3:
            return [even, 2 * even, unit(int(numpy.argmin(along))) / 2]
        if sorted(along) == [0, 2, 2]:
            return [unit(int(numpy.argmin(along))) / 2] * 2
        degree = {c: sum(numpy.abs(numpy.subtract(c, d)).sum() == 1 for d in piece) for c in piece}
        if max(degree.values()) == 3:
            return [even, even, 2 * even, 2 * even]
        a, b = (c for c in piece if degree[c] == 2)
        middle = int(numpy.argmax(numpy.abs(numpy.subtract(a, b))))
        return [even, 3 * even] + [unit(middle, k) / 4 for k in range(3) if k != middle]

    def pieces(chosen):
        left = set(chosen)
        while left:
            piece = [left.pop()]
            for at in piece:
                near = [c for c in left if numpy.abs(numpy.subtract(at, c)).sum() == 1]
                left.difference_update(near)
                piece += near
            yield piece

    table = numpy.zeros(256)
    for code in range(1, 255):
        inside = [c for n, c in enumerate(corners) if code >> (7 - n) & 1]
        outside = [c for c in corners if c not in inside]
        table[code] = sum(numpy.linalg.norm(t * faces)
                          for piece in pieces(inside if len(inside) <= 4 else outside)
                          for t in triangles(piece))
    return table


KERNEL = numpy.array([[[128, 64], [32, 16]], [[8, 4], [2, 1]]])


def surfel_lists(prediction, reference, spacing, table=None):
    """surface-distance's method: [(distances, areas), ...] of the prediction and of the reference,
    sorted."""
    table = areas(spacing) if table is None else table
    both = numpy.argwhere(prediction | reference)
    low, high = both.min(0), both.max(0) + 1
    sides = []
    for mask in (prediction, reference):
        cropped = numpy.pad(mask[tuple(slice(a, b) for a, b in zip(low, high))].astype(numpy.uint8),
                            [(0, 1)] * 3)
        code = ndimage.correlate(cropped, KERNEL, mode="constant", cval=0)
        surface = (code != 0) & (code != 255)
        sides.append((surface, table[code],
                      ndimage.distance_transform_edt(~surface, sampling=spacing)))
    (p, p_area, p_map), (r, r_area, r_map) = sides
    out = []
    for distances, weights in ((r_map[p], p_area[p]), (p_map[r], r_area[r])):
        order = numpy.argsort(distances)
        out.append((distances[order], weights[order]))
    return out


def surfel_metrics(prediction, reference, spacing, tolerance=1.0, table=None):
    return weighted_metrics(surfel_lists(prediction, reference, spacing, table), tolerance)


def weighted_metrics(lists, tolerance):
    def robust(percent):
        return max(d[min(numpy.searchsorted(numpy.cumsum(w) / w.sum(), percent / 100), len(d) - 1)]
                   for d, w in lists)

    total = sum(w.sum() for _, w in lists)
    return {"hd": robust(100), "hd95": robust(95),
            "assd": sum((d * w).sum() for d, w in lists) / total,
            "nsd": sum(w[d <= tolerance].sum() for d, w in lists) / total}


def face_metrics(prediction, reference, spacing, tolerance=1.0):
    """Distances between voxel faces on a grid of sixths of a voxel, which has all corners of voxels
    and all centres of triangles.

    A voxel is all points of that grid from its one side to its other. A point outside a solid is as
    far from its surface as from the solid, one inside as far as from the background.
    """
    sides = [numpy.pad(mask, 1) for mask in (prediction, reference)]

    def points(mask):
        for axis in range(3):
            wide = numpy.repeat(mask, 6, axis)
            edges = [(0, 1) if k == axis else (0, 0) for k in range(3)]
            mask = numpy.pad(wide, edges) | numpy.pad(wide, [edge[::-1] for edge in edges])
        return mask

    lists = []
    for mine, other in (sides, sides[::-1]):
        depth = numpy.maximum(*(ndimage.distance_transform_edt(
            ~points(solid), sampling=numpy.divide(spacing, 6))
                                for solid in (other, ~other)))
        distances, weights = [], []
        for axis in range(3):
            across = [k for k in range(3) if k != axis]
            faces = numpy.argwhere(numpy.diff(mine.astype(numpy.int8), axis=axis)) * 6 + 3
            faces[:, axis] += 3
            for third in (-1, 1):
                faces[:, across] += third
                distances.append(depth[tuple(faces.T)])
                weights.append(numpy.full(len(faces), spacing[across[0]] * spacing[across[1]] / 2))
                faces[:, across] -= third
        distances, weights = numpy.concatenate(distances), numpy.concatenate(weights)
        order = numpy.argsort(distances)
        lists.append((distances[order], weights[order]))
    return weighted_metrics(lists, tolerance)


# ---------------------------------------------------------------- lesions

def structure(connectivity):
    return ndimage.generate_binary_structure(3, {6: 1, 18: 2, 26: 3}[connectivity])


def lesions(mask, connectivity, least=0):
    """Labels from 1, without components smaller than `least` voxels."""
    found, count = ndimage.label(mask, structure(connectivity))
    sizes = numpy.bincount(found.ravel(), minlength=count + 1)
    keep = sizes >= least
    keep[0] = False
    return (numpy.cumsum(keep) * keep)[found], int(keep.sum())


def touching(labels, where):
    return sorted(set(labels[where & (labels > 0)]))


def any_counts(prediction, reference, connectivity, least=0):
    p, n_p = lesions(prediction, connectivity, least)
    r, n_r = lesions(reference, connectivity, least)
    return {"detected": len(touching(r, p > 0)), "missed": n_r - len(touching(r, p > 0)),
            "false": n_p - len(touching(p, r > 0)), "references": n_r, "predictions": n_p}


def panoptic(prediction, reference, connectivity):
    p, n_p = lesions(prediction, connectivity)
    r, n_r = lesions(reference, connectivity)
    ious = []
    for i in range(1, n_r + 1):
        for j in touching(p, r == i):
            iou = ((r == i) & (p == j)).sum() / ((r == i) | (p == j)).sum()
            ious += [iou] if iou > 0.5 else []
    return {"rq": 2 * len(ious) / (n_p + n_r), "pq": 2 * sum(ious) / (n_p + n_r),
            "sq": numpy.mean(ious) if ious else None}


def brats(prediction, reference, spacing, threshold_mm3=0):
    """Lesion-wise Dice and HD95 of BraTS 2023 (gliomas)."""
    grown = ndimage.binary_dilation(reference, structure(18), iterations=3)
    merged, count = ndimage.label(grown, structure(26))
    merged[~reference] = 0
    p, n_p = ndimage.label(prediction, structure(26))
    touched, dices, distances = set(), [], []
    for i in range(1, count + 1):
        lesion = merged == i
        found = touching(p, ndimage.binary_dilation(lesion, structure(18), iterations=3))
        touched.update(found)
        if threshold_mm3 and lesion.sum() * numpy.prod(spacing) <= threshold_mm3:
            continue
        mine = numpy.isin(p, found) & (p > 0)
        dices.append(2 * (mine & lesion).sum() / (mine.sum() + lesion.sum()))
        distances.append(surfel_metrics(mine, lesion, spacing)["hd95"] if found else 374)
    false = n_p - len(touched)
    return {"lesion_dice": sum(dices) / (len(dices) + false),
            "lesion_hd95": (sum(distances) + 374 * false) / (len(dices) + false)}


def anima(prediction, reference, connectivity):
    """Precision and recall of lesions by the rule of Commowick et al. 2018: 10 % covered, 70 %
    outside, 65 % of the overlap."""
    p, n_p = lesions(prediction, connectivity)
    r, n_r = lesions(reference, connectivity)

    def share(labels, count, others):
        sizes, inside = (numpy.bincount(others.ravel()),
                         numpy.bincount(others[labels > 0].ravel(), minlength=others.max() + 1))
        outside = (sizes - inside) / sizes
        found = 0
        for i in range(1, count + 1):
            here = labels == i
            parts = sorted((-(here & (others == j)).sum(), outside[j])
                           for j in touching(others, here))
            total, seen, good = -sum(n for n, _ in parts), 0, True
            for n, share_outside in parts:
                if seen >= 0.65 * total:
                    break
                good = good and share_outside <= 0.7
                seen -= n
            found += bool(total and total >= 0.1 * here.sum() and good)
        return found / count
    return {"lesion_precision": share(p, n_p, r), "lesion_recall": share(r, n_r, p)}
