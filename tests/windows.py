"""A sliding window in NumPy, from its definition, and a convolution to slide."""
import itertools, math

import numpy
from scipy import ndimage


def bell(size):
    """A Gaussian around the middle, an eighth of the window wide."""
    away = numpy.arange(size) - (size - 1) / 2
    return numpy.exp(-away ** 2 / (2 * (size / 8) ** 2))


def weights_of(window, kind):
    if kind == "constant":
        return numpy.ones(window)
    product = numpy.einsum("i,j,k->ijk", *map(bell, window))
    return numpy.maximum(product, max(product.min(), 1e-3))


def starts(size, window, overlap):
    if size == window:
        return [0]
    step = max(int(window * (1 - overlap)), 1)
    count = math.ceil((size - window) / step)
    return [*(i * step for i in range(count)), size - window]


def mirrored(network, patch, axes):
    """The mean over all flips of the axes, each flipped back."""
    flips = [c for n in range(len(axes) + 1) for c in itertools.combinations(axes, n)]
    found = [numpy.flip(network(numpy.flip(patch, [a + 1 for a in flip])), [a + 1 for a in flip])
             for flip in flips]
    return numpy.mean(found, axis=0)


def sliding_window(image, network, window, overlap=0.5, kind="gaussian", mirror=()):
    """Scores of a (channel, x, y, z) image: means over the windows that cover a voxel."""
    missing = [max(w - n, 0) for w, n in zip(window, image.shape[1:])]
    padded = numpy.pad(image, [(0, 0), *((m // 2, m - m // 2) for m in missing)])
    weights, total, scores = weights_of(window, kind), numpy.zeros(padded.shape[1:]), None
    for corner in itertools.product(*(starts(n, w, overlap)
                                      for n, w in zip(padded.shape[1:], window))):
        box = tuple(slice(c, c + w) for c, w in zip(corner, window))
        found = mirrored(network, padded[(slice(None), *box)], mirror)
        scores = numpy.zeros((len(found), *total.shape)) if scores is None else scores
        scores[(slice(None), *box)] += weights * found
        total[box] += weights
    inside = tuple(slice(m // 2, m // 2 + n) for m, n in zip(missing, image.shape[1:]))
    return (scores / total)[(slice(None), *inside)]


def convolution(weights, bias):
    """A 3x3x3 convolution with zero padding, as a function of a (channel, x, y, z) patch."""
    def network(patch):
        return numpy.stack([
            sum(ndimage.correlate(channel.astype("f8"), kernel, mode="constant")
                for channel, kernel in zip(patch, kernels)) + b
            for kernels, b in zip(numpy.asarray(weights, "f8"), bias)])
    return network
