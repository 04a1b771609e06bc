// SPDX-License-Identifier: Apache-2.0
/// How the page of a trajectory looks: light and dark, desk, phone and paper.
#pragma once

#include <string_view>

namespace assay::report {

inline constexpr std::string_view trajectory_style = R"css(
:root { color-scheme: light dark; --text: #1d1d22; --soft: #5d5d68; --page: #fbfbfc; --card: #fff;
  --line: #dcdce2; --accent: #b3005e; --good: #0b6b3a; --bad: #a3161b; --mark: #ffe58a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e9e9ee; --soft: #a5a5b2; --page: #141418; --card: #1d1d23; --line: #363640;
    --accent: #ff7ab8; --good: #63d297; --bad: #ff8f8f; --mark: #6b5600; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 60rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.35rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); font-size: .9rem; overflow-wrap: anywhere; }
.verdict { display: inline-block; margin: .5rem 0; padding: .1rem .6rem; border: 1px solid;
  border-radius: 1rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; }
ol.options { padding-left: 2rem; } ol.options li { padding: .05rem .3rem; }
ol.options b { font-weight: 600; }
figure { margin: .75rem 0; }
figcaption { color: var(--soft); font-size: .9rem; }
.slide { position: relative; line-height: 0; }
.slide img { width: 100%; height: auto; border-radius: .4rem; }
.slide svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.box { fill: none; stroke: #004dff; stroke-width: 2.5; vector-effect: non-scaling-stroke; }
.halo { fill: none; stroke: #fff; stroke-width: 5; stroke-opacity: .8;
  vector-effect: non-scaling-stroke; }
.number { fill: #fff; stroke: #004dff; stroke-width: .25em; paint-order: stroke;
  stroke-linejoin: round; font-family: system-ui, sans-serif; font-weight: 700; }
.step { margin: 1rem 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--card); }
.step:target { border-color: var(--accent); }
.step h3 { margin: 0 0 .3rem; font-size: 1rem; }
.step img { max-width: 100%; height: auto; border-radius: .4rem; }
.absent { padding: 1rem; border: 1px dashed var(--line); color: var(--soft); }
mark { background: var(--mark); color: inherit; padding: 0 .1em; border-radius: .2em; }
a { color: var(--accent); }
details summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .15rem 1rem .15rem 0; text-align: left; font-weight: normal; }
th { color: var(--soft); }
@media print {
  :root { --text: #000; --soft: #444; --page: #fff; --card: #fff; --line: #bbb; --accent: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .step { break-inside: avoid; } .step img { max-height: 14cm; } details { display: none; }
}
)css";

}  // namespace assay::report
