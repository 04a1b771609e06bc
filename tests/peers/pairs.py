"""Random pairs of masks: every kind of image and of mask on which tools are known to disagree."""
import itertools

import numpy
from scipy import ndimage

SPACINGS = [(1.0, 1.0, 1.0), (0.5, 0.5, 3.0), (0.85, 1.2, 0.9), (2.0, 1.0, 4.0), (0.7, 0.7, 5.0)]


class Pair:
    """Two masks of one shape, and the size of their voxels."""

    def __init__(self, kind, prediction, reference, spacing):
        self.kind, self.spacing = kind, tuple(spacing)
        self.prediction, self.reference = (numpy.ascontiguousarray(prediction),
                                           numpy.ascontiguousarray(reference))

    @property
    def axes(self):
        return self.reference.ndim

    @property
    def is_slice(self):
        return self.axes == 3 and 1 in self.reference.shape

    @property
    def any_empty(self):
        return not (self.prediction.any() and self.reference.any())

    @property
    def both_empty(self):
        return not (self.prediction.any() or self.reference.any())

    @property
    def at_border(self):
        """A mask reaches the first or the last voxel along an axis."""
        either = self.prediction | self.reference
        return any(either.take(index, axis).any() for axis in range(self.axes) for index in (0, -1))


def noise(rng, shape):
    return rng.random(shape) < rng.choice([0.02, 0.1, 0.3, 0.6, 0.9])


def blobs(rng, shape):
    smooth = ndimage.gaussian_filter(rng.random(shape), rng.choice([0.8, 1.5, 2.5]))
    return smooth >= numpy.quantile(smooth, 1 - rng.choice([0.05, 0.2, 0.5]))


def box(rng, shape):
    """Anywhere, at the border as well."""
    out = numpy.zeros(shape, bool)
    low = [int(rng.integers(0, n)) for n in shape]
    out[tuple(slice(a, int(rng.integers(a + 1, n + 1))) for a, n in zip(low, shape))] = True
    return out


def voxel(rng, shape):
    out = numpy.zeros(shape, bool)
    out[tuple(int(rng.integers(0, n)) for n in shape)] = True
    return out


def ball(rng, shape):
    centre, radius = [rng.uniform(0, n) for n in shape], rng.uniform(1, max(shape) / 2)
    return sum((axis - c) ** 2 for axis, c in zip(numpy.indices(shape), centre)) <= radius**2


def at_border(rng, shape):
    out = blobs(rng, shape)
    out[0] = True
    return out


def full(rng, shape):
    return numpy.ones(shape, bool)


def empty(rng, shape):
    return numpy.zeros(shape, bool)


KINDS = [noise, blobs, box, voxel, ball, at_border, full, empty]
OFTEN = [noise, blobs, box, ball]


def related(rng, mask):
    """A prediction that has something to do with its reference: the same, moved by a voxel, with
    errors, grown, half of it."""
    how = rng.integers(0, 5)
    if how == 0:
        return mask.copy()
    if how == 1:
        axis = int(rng.integers(0, mask.ndim))
        return numpy.roll(mask, 1, axis)
    if how == 2:
        return mask ^ (rng.random(mask.shape) < 0.05)
    if how == 3:
        return ndimage.binary_dilation(mask)
    half = mask.copy()
    half[tuple(slice(0, n // 2) if n == max(mask.shape) else slice(None)
               for n in mask.shape)] = False
    return half


def shape_of(rng, form):
    """volume, slice (an axis of length 1) or picture (two axes)."""
    if form == "picture":
        return tuple(int(n) for n in rng.integers(2, 26, 2))
    sizes = [int(n) for n in rng.integers(2, 15, 3)]
    if form == "slice":
        sizes[int(rng.integers(0, 3))] = 1
    return tuple(sizes)


def pairs(count, seed, forms=("volume", "volume", "slice", "picture")):
    """The same for the same seed: each kind against each, then related ones."""
    rng = numpy.random.default_rng(seed)
    against = itertools.cycle(itertools.product(KINDS, KINDS))
    for number in range(count):
        form = forms[number % len(forms)]
        shape, spacing = shape_of(rng, form), SPACINGS[int(rng.integers(0, len(SPACINGS)))]
        spacing = spacing[: len(shape)]
        if number % 3 == 0:
            first, second = next(against)
            yield Pair(form, first(rng, shape), second(rng, shape), spacing)
            continue
        reference = OFTEN[int(rng.integers(0, len(OFTEN)))](rng, shape)
        yield Pair(form, related(rng, reference) if number % 3 == 1 else blobs(rng, shape),
                   reference, spacing)
