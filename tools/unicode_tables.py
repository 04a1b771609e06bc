# SPDX-License-Identifier: Apache-2.0
"""Prints assay/base/unicode_tables.cpp: what Python's re and str know about characters. Run it with
/usr/bin/python3."""
import sys, unicodedata

ALL = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(test):
    found = []
    for code in filter(test, ALL):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def lower_rows():
    """(first, last, step, shift): runs of characters whose lower case lies `shift` further on."""
    rows = []
    for code in ALL:
        lower = chr(code).lower()
        if len(lower) != 1 or ord(lower) == code:
            continue
        shift = ord(lower) - code
        if (rows and rows[-1][3] == shift
            and (code - rows[-1][1] == rows[-1][2] or rows[-1][0] == rows[-1][1])
            and code - rows[-1][1] <= 2):
            rows[-1][2] = code - rows[-1][1]
            rows[-1][1] = code
        else:
            rows.append([code, code, 1, shift])
    return rows


def printed(rows):
    cells = ["{" + ", ".join(f"0x{x:X}" if i < 2 else str(x) for i, x in enumerate(row)) + "}"
             for row in rows]
    lines, line = [], "   "
    for cell in cells:
        if len(line) + len(cell) + 2 > 98:
            lines.append(line)
            line = "   "
        line += f" {cell},"
    return "\n".join([*lines, line])


words = ranges(lambda c: chr(c).isalnum() or c == ord("_"))
zeros = [[c] * 2 for c in ALL if unicodedata.decimal(chr(c), None) == 0]
assert all(unicodedata.decimal(chr(c + i)) == i for c, _ in zeros for i in range(10))
zero_rows = "\n".join("    " + " ".join(f"0x{c:X}," for c, _ in zeros[i:i + 10])
                      for i in range(0, len(zeros), 10))
sys.stdout.write(f"""// SPDX-License-Identifier: Apache-2.0
/// Characters by class, Unicode {unicodedata.unidata_version}; printed by tools/unicode_tables.py.
#include "assay/qa/detail/unicode_tables.hpp"

namespace assay::detail {{
namespace {{

// clang-format off
constexpr CharacterRange word_table[] = {{
{printed(words)}
}};

constexpr char32_t zero_table[] = {{
{zero_rows}
}};

constexpr LowerCaseRun lower_table[] = {{
{printed(lower_rows())}
}};
// clang-format on

}}  // namespace

std::span<const CharacterRange> word_ranges() {{
  return word_table;
}}

std::span<const char32_t> decimal_zeros() {{
  return zero_table;
}}

std::span<const LowerCaseRun> lower_case_runs() {{
  return lower_table;
}}

}}  // namespace assay::detail
""")
