#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the network engine against PyTorch and ONNX Runtime on the same weights and voxels, in
one run.

usage: nn_bench.py [--tools DIR] [--work DIR] [--out FILE] [--channels 5,16,26] [--sides 128,256]
       [--isa avx2] [--check]

Times are CPU times of one thread, the least of several runs in one process, so that the first
access to memory does not count. On a shared machine only CPU times can be compared. Operations are
those of the direct convolution. PyTorch runs traced, frozen and optimised for inference. ONNX
Runtime is that of the npm package onnxruntime-node, installed by tools/onnx_runtime. Peers that
cannot be installed are left out. Above a cube of 128 PyTorch is left out, because it takes minutes
and the same time per voxel. --isa avx2 limits PyTorch and us to AVX2 on a processor that has
AVX-512; ONNX Runtime cannot be limited. With --check the exit status is 1 if a target is missed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import onnx_runtime

DILATIONS = (1, 2, 4, 8, 16, 16, 8, 4, 2)
LARGEST_TORCH = 128
PEER = pathlib.Path(__file__).with_name("onnx_peer.mjs")
# Least ratio of the peer's time to ours, by channels; and operations per second over the FMA peak
# of a core.
TARGETS = {"onnxruntime": {5: 3.0, 16: 3.0, 26: 3.5}, "torch": {26: 8.0}}
PEAK_TARGET = {26: 170 / 104}

TORCH = """
import json, resource, sys, numpy, torch
model, side, voxels, labels, repeats = sys.argv[1:]
torch.set_num_threads(1)
x = torch.from_numpy(numpy.fromfile(voxels, "f4")).reshape((1, 1) + (int(side),) * 3)
net = torch.jit.optimize_for_inference(torch.jit.load(model))
cpu = []
cpu_now = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
for _ in range(int(repeats)):
    before = cpu_now()
    with torch.no_grad():
        found = net(x).argmax(1)
    cpu.append(cpu_now() - before)
found.numpy().astype("u1").tofile(labels)
peak_kib = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
print(json.dumps({"cpu_s": cpu, "peak_bytes": 1024 * peak_kib}))
"""

PEAK = """
#include <ctime>
#include <cstdio>
typedef float V [[gnu::vector_size(32)]];
int main() {
  V sums[12], a = V{} + 0.999f, b = V{} + 1e-9f;
  for (int k = 0; k < 12; ++k) sums[k] = V{} + float(k);
  const long rounds = 60000000;
  const std::clock_t start = std::clock();
  for (long i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int k = 0; k < 12; ++k) sums[k] = sums[k] * a + b;
    asm volatile("" : "+x"(a));
  }
  float total = 0;
  for (const V& sum : sums) total += sum[0];
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%g %g", 2.0 * 8 * 12 * rounds / seconds, double(total));
}
"""


def network(channels, torch):
    """MeshNet-X with weights that keep the activations alive."""
    torch.manual_seed(channels)
    layers, inputs = [], 1
    for d in DILATIONS:
        layers += [torch.nn.Conv3d(inputs, channels, 3, padding=d, dilation=d),
                   torch.nn.BatchNorm3d(channels), torch.nn.ReLU()]
        torch.nn.init.kaiming_normal_(layers[-3].weight)
        inputs = channels
    return torch.nn.Sequential(*layers, torch.nn.Conv3d(inputs, 2, 1)).eval()


def make_models(work, channels, torch):
    net, example = network(channels, torch), torch.rand(1, 1, 32, 32, 32)
    torch.save(net.state_dict(), work / f"{channels}.pt")
    axes = {2: "d", 3: "h", 4: "w"}
    torch.onnx.export(net, example, work / f"{channels}.onnx", opset_version=13, input_names=["x"],
                      output_names=["y"], dynamic_axes={"x": axes, "y": axes})
    with torch.no_grad():
        torch.jit.save(torch.jit.freeze(torch.jit.trace(net, example)), work / f"{channels}.ts")


def peak(work):
    """Floating-point operations per CPU second of one core, by fused multiply-adds of eight
    values."""
    (work / "peak.cpp").write_text(PEAK)
    command = ["g++", "-O3", "-march=native", "-ffp-contract=fast", "-o", work / "peak",
               work / "peak.cpp"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return None
    return max(float(subprocess.run([work / "peak"], capture_output=True,
                                    text=True).stdout.split()[0])
               for _ in range(3))


def runtime_modules():
    """The folder of the npm package; None if it cannot be installed."""
    try:
        return onnx_runtime.modules()
    except onnx_runtime.Missing:
        return None


def measured(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


class Bench:
    def __init__(self, tools, work, isa):
        self.tools, self.work, self.isa = tools, work, isa
        self.peak, self.modules = peak(work), runtime_modules()

    def ours(self, channels, side, voxels):
        shape = ",".join([str(side)] * 3)
        return measured([self.tools / "run_network", self.work / f"{channels}.pt", shape, voxels,
                         self.work / "labels-ours", "-", self.isa or "best", 1, 3])

    def torch(self, channels, side, voxels):
        if side > LARGEST_TORCH:
            return None
        held = {"DNNL_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"} if self.isa else {}
        command = [sys.executable, "-c", TORCH, self.work / f"{channels}.ts", side, voxels,
                   self.work / "labels-torch", 2]
        return measured(command, env={**os.environ, **held})

    def onnxruntime(self, channels, side, voxels):
        if self.modules is None:
            return None
        return measured(["node", PEER, self.modules, self.work / f"{channels}.onnx", side, voxels,
                         self.work / "labels-onnxruntime", 1, 2])

    def row(self, channels, side):
        voxels = self.work / f"voxels{side}"
        if not voxels.exists():
            numpy.random.default_rng(1).random(side ** 3, dtype="f4").tofile(voxels)
        ours = self.ours(channels, side, voxels)
        row = {"channels": channels, "side": side, "cpu_s": min(ours["cpu_s"]),
               "first_cpu_s": ours["cpu_s"][0], "peak_gb": ours["peak_bytes"] / 1e9,
               "gflops": ours["operations"] / min(ours["cpu_s"]) / 1e9}
        if self.peak:
            row["over_peak"] = row["gflops"] * 1e9 / self.peak
        for name in ("torch", "onnxruntime"):
            peer = getattr(self, name)(channels, side, voxels)
            if peer:
                labels = [numpy.fromfile(self.work / f"labels-{who}", "u1")
                          for who in ("ours", name)]
                row[name] = {"cpu_s": min(peer["cpu_s"]),
                             "ratio": min(peer["cpu_s"]) / row["cpu_s"],
                             "peak_gb": peer["peak_bytes"] / 1e9,
                             "labels_that_differ": int((labels[0] != labels[1]).sum())}
        return row


def missed(row):
    for name, limits in TARGETS.items():
        if (row["channels"] in limits and name in row
            and row[name]["ratio"] < limits[row["channels"]]):
            yield (f"{name}, {row['channels']} channels, {row['side']}^3: {row[name]['ratio']:.1f} "
                   f"< {limits[row['channels']]}")
    limit = PEAK_TARGET.get(row["channels"])
    if limit and row.get("over_peak", limit) < limit:
        yield (f"{row['channels']} channels, {row['side']}^3: {row['over_peak']:.2f} of the peak < "
               f"{limit:.2f}")


def line(row):
    peers = [f"{n} {row[n]['cpu_s']:7.2f} s ({row[n]['ratio']:4.1f} x, "
             f"{row[n]['labels_that_differ']} labels differ)" for n in ("torch", "onnxruntime")
             if n in row]
    over = f" = {100 * row['over_peak']:.0f} % of peak" if "over_peak" in row else ""
    return (
        f"{row['channels']:2} channels {row['side']}^3: {row['cpu_s']:6.2f} CPU-s (first"
        f" {row['first_cpu_s']:.2f}), {row['gflops']:5.0f} GFLOP/s{over}, {row['peak_gb']:.2f} GB"
        + "".join("; " + peer for peer in peers)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench/nn")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--channels", default="5,16,26")
    parser.add_argument("--sides", default="128,256")
    parser.add_argument("--isa", choices=["avx2"])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("torch is needed to make the networks: apt install python3-torch")
    options.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.tools, options.work, options.isa)
    print(f"FMA peak of a core: {bench.peak / 1e9:.0f} GFLOP/s" if bench.peak
          else "FMA peak: not measured, no g++")
    print("onnxruntime-node: " + ("there" if bench.modules else "cannot be installed; left out"))
    rows = []
    for channels in map(int, options.channels.split(",")):
        make_models(options.work, channels, torch)
        for side in map(int, options.sides.split(",")):
            rows.append(bench.row(channels, side))
            print(line(rows[-1]), flush=True)
    misses = [miss for row in rows for miss in missed(row)]
    for miss in misses:
        print("missed: " + miss)
    if options.out:
        options.out.write_text(json.dumps({"schema": "assay.nn_bench/1",
                                           "peak_gflops": bench.peak and bench.peak / 1e9,
                                           "rows": rows}, indent=2) + "\n")
    return 1 if options.check and misses else 0


if __name__ == "__main__":
    sys.exit(main())
