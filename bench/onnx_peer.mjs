// SPDX-License-Identifier: Apache-2.0
// Runs an ONNX file in ONNX Runtime on a raw float32 cube and prints the CPU seconds of each run as JSON.
// usage: node onnx_peer.mjs MODULES MODEL SIDE VOXELS LABELS THREADS REPEATS
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, model, sideText, voxels, labels, threads, repeats] = process.argv.slice(2);
const ort = createRequire(modules + "/")("onnxruntime-node");
const side = Number(sideText), count = side ** 3;
const bytes = readFileSync(voxels);
const input = new Float32Array(bytes.buffer, bytes.byteOffset, count);
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: Number(threads), interOpNumThreads: 1 });
const cpu = [];
for (let i = 0; i < Number(repeats); ++i) {
  const before = process.cpuUsage();
  const found = await session.run({ [session.inputNames[0]]: new ort.Tensor("float32", input, [1, 1, side, side, side]) });
  const used = process.cpuUsage(before);
  cpu.push((used.user + used.system) / 1e6);
  const logits = found[session.outputNames[0]].data, out = new Uint8Array(count);
  const classes = logits.length / count;
  for (let v = 0; v < count; ++v)
    for (let k = 1; k < classes; ++k) if (logits[k * count + v] > logits[out[v] * count + v]) out[v] = k;
  writeFileSync(labels, out);
}
console.log(JSON.stringify({ cpu_s: cpu, peak_bytes: 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) }));
