"""read_image against nibabel: values, types, affines, memory, errors."""
import gc
import gzip

import nibabel
import numpy as np
import pytest

import assay
from support import save

AFFINE = np.array([[-2, 0.1, 0, 90], [0.1, 2, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1.0]])
TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]


def voxels(dtype, shape=(5, 6, 7)):
    return (np.random.default_rng(0).random(shape) * 100).astype(dtype)


@pytest.mark.parametrize("ending", ["nii", "nii.gz"])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", TYPES)
def test_stored_numbers_keep_their_type(tmp_path, dtype, order, ending):
    image = nibabel.Nifti1Image(voxels(dtype), AFFINE, nibabel.Nifti1Header(endianness=order),
                                dtype=dtype)
    image.header.set_data_dtype(dtype)
    path = tmp_path / f"x.{ending}"
    nibabel.save(image, path)
    array, affine = assay.read_image(path)
    assert (array.dtype == np.dtype(dtype).newbyteorder(order) and array.flags.f_contiguous
            and not array.flags.writeable)
    np.testing.assert_array_equal(array, np.asarray(nibabel.load(path).dataobj))
    np.testing.assert_array_equal(affine, nibabel.load(path).affine)
    assert affine.dtype == np.float64 and affine.shape == (4, 4)
    mask = np.array(array) > 50
    assert assay.dice_coefficient(array, array) == 1.0  # also in a foreign byte order
    assert assay.confusion_matrix(mask, array)["tp"] == mask.sum()


@pytest.mark.parametrize("ending", ["nii", "nii.gz"])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
def test_scaled_numbers_are_those_of_get_fdata(tmp_path, dtype, ending):
    image = nibabel.Nifti1Image(voxels(dtype), AFFINE, dtype=dtype)
    path = tmp_path / "x.nii"
    nibabel.save(image, path)
    content = bytearray(path.read_bytes())
    content[112:120] = np.array([0.37, -12.5], "<f4").tobytes()  # scl_slope, scl_inter
    path = tmp_path / f"scaled.{ending}"
    path.write_bytes(gzip.compress(content) if ending == "nii.gz" else content)
    array, _ = assay.read_image(path)
    assert array.dtype == np.float64 and array.flags.f_contiguous
    np.testing.assert_array_equal(array, nibabel.load(path).get_fdata())


def test_the_array_is_the_memory_that_was_read(tmp_path):
    path = save(tmp_path / "x.nii", voxels("f4", (64, 64, 64)))
    array, _ = assay.read_image(str(path))
    assert not array.flags.owndata and type(array.base).__name__ == "PyCapsule"
    expected = np.array(array)
    path.unlink()
    view = array[3:5].T
    del array
    gc.collect()  # the memory lives as long as a view of it
    np.testing.assert_array_equal(view, expected[3:5].T)
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0, 0] = 1


def test_voxels_at_an_odd_place(tmp_path):
    """NumPy must know that they are misaligned; we copy them before counting."""
    path = save(tmp_path / "x.nii", voxels("f4"))
    content = bytearray(path.read_bytes())
    content[108:112] = np.array([353], "<f4").tobytes()  # vox_offset
    path.write_bytes(content[:352] + b"\0" + content[352:])
    array, _ = assay.read_image(path)
    assert not array.flags.aligned
    np.testing.assert_array_equal(array, voxels("f4"))
    assert assay.dice_coefficient(array, voxels("f4")) == 1.0


def test_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent.nii"):
        assay.read_image(tmp_path / "absent.nii")
    with pytest.raises(OSError):
        assay.read_image(tmp_path)
    whole = save(tmp_path / "x.nii.gz", voxels("f4")).read_bytes()
    broken = {"empty": b"", "text": b"no image at all" * 40, "short": whole[: len(whole) // 2],
              "plain_short": gzip.decompress(whole)[:-1]}
    for name, content in broken.items():
        path = tmp_path / f"{name}.nii.gz"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=f"{name}.nii.gz"):
            assay.read_image(path)
    with pytest.raises(TypeError):
        assay.read_image(None)


@pytest.mark.parametrize("ending", ["nii", "nii.gz"])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
def test_several_volumes_are_a_fourth_axis(tmp_path, dtype, ending):
    path = save(tmp_path / f"x.{ending}", voxels(dtype, (5, 6, 7, 3)), AFFINE)
    array, affine = assay.read_image(path)
    assert (array.shape == (5, 6, 7, 3) and array.dtype == np.dtype(dtype)
            and not array.flags.owndata)
    np.testing.assert_array_equal(array, np.asarray(nibabel.load(path).dataobj))
    np.testing.assert_array_equal(affine, nibabel.load(path).affine)
    labels = np.argmax(array, axis=-1)
    found = assay.metrics(np.moveaxis(array.astype("f4"), -1, 0), labels, label=1, metrics="dice")
    assert found == {"dice": 1.0}  # one volume per class


def test_scaled_and_interleaved_volumes(tmp_path):
    path = save(tmp_path / "x.nii", voxels("i2", (5, 6, 7, 3)), AFFINE)
    content = bytearray(path.read_bytes())
    content[112:120] = np.array([0.37, -12.5], "<f4").tobytes()  # scl_slope, scl_inter
    path.write_bytes(content)
    np.testing.assert_array_equal(assay.read_image(path)[0], nibabel.load(path).get_fdata())
    values = voxels("f4", (7, 6, 5, 3))  # a vector per voxel, x after it
    header = ("NRRD0004\ntype: float\ndimension: 4\nsizes: 3 5 6 7\nkinds: vector domain domain "
              "domain\n"
              "space: left-posterior-superior\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\n"
              "space origin: (0,0,0)\nencoding: raw\nendian: little\n\n")
    (tmp_path / "x.nrrd").write_bytes(header.encode() + values.tobytes())
    array, _ = assay.read_image(tmp_path / "x.nrrd")
    np.testing.assert_array_equal(array, values.transpose(2, 1, 0, 3))


def test_an_axis_of_one_volume_is_dropped(tmp_path):
    path = save(tmp_path / "x.nii", voxels("u1", (5, 6, 7, 1)))
    assert assay.read_image(path)[0].shape == (5, 6, 7)
    assert assay.read_nifti is assay.read_image  # the name that it had
