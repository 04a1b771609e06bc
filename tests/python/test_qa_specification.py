"""Rules 'spec' against the specification's own code, and 'giant' against its description, on random
answers."""
import json
import random
import re

import assay
from support import not_in_both_unicodes

UNKNOWN = not_in_both_unicodes()
_INT_RE = re.compile(r"\b(\d+)\b")
_LETTER_RE = re.compile(r"\b([A-D])\b", re.IGNORECASE)


def specification(prediction, benchmark_name, options):
    """The specification's extract_label, its escaped quotes mended."""
    text = prediction.strip()
    if benchmark_name == "panda":
        try:
            return int(json.loads(outermost(text))["isup_grade"])
        except Exception:
            pass
    if options:
        m = _LETTER_RE.search(text)
        if m and len(options) == 4:
            return ord(m.group(1).upper()) - ord("A") + 1
        m = _INT_RE.search(text)
        if m and 1 <= int(m.group(1)) <= len(options):
            return int(m.group(1))
        lowered = text.lower()
        for i, opt in enumerate(options, start=1):
            if opt.lower() in lowered:
                return i
    m = _INT_RE.search(text)
    return int(m.group(1)) if m else None


def outermost(text):
    start, end = text.find("{"), text.rfind("}")
    if start == -1 or end == -1 or end <= start:
        raise ValueError("No JSON object found")
    return text[start : end + 1]


def final(prediction, benchmark_name, options):
    """The final rules of the original project, from their description."""
    text = prediction.strip()
    if benchmark_name.lower() == "panda" and "{" in text:
        try:
            found, _ = json.JSONDecoder().raw_decode(text, text.find("{"))
        except ValueError:
            found = None
        if found is not None:
            if "isup_grade" not in found:
                return None
            try:
                grade = 0 if found["isup_grade"] is None else int(found["isup_grade"])
            except (TypeError, ValueError, OverflowError):
                return None
            return grade if 0 <= grade <= 5 else None
    numbers = [int(number) for number in _INT_RE.findall(text)]
    if not options:
        return numbers[0] if numbers else None
    if len(options) == 4 and (m := _LETTER_RE.search(text)):
        return ord(m.group(1).upper()) - ord("A") + 1
    for number in numbers:
        if 1 <= number <= len(options):
            return number
    for i in sorted(range(len(options)), key=lambda i: -len(options[i])):
        if options[i].strip() and options[i].lower() in text.lower():
            return i + 1
    return None


PIECES = ["a", "A", "b.", "(C)", "d", "I'd", "1", "3", "04", "15000", "7.5", "-2", "2x", "_3", "٣",
          "３", "४२", "é3", "3é", "½", "x²", "Lung", "lung", "LUNGE", "Straße", "ÉCOLE", "école",
          "İ", "Breast", "art", "heart", "{", "}", "{{", "}}", ":", ",", "\n", "\t", "\u00a0",
          "\u2003", "\x1c", "‘", "’", "…", "[", "]", '"', "\\", "```json", '{"isup_grade": 3}',
          '{"isup_grade": null}', '{"isup_grade": "2"}', '{"isup_grade": " ４ "}',
          '{"isup_grade": "1_0"}', '{"isup_grade": 3.7}', '{"isup_grade": -0.5}',
          '{"isup_grade": true}', '{"isup_grade": NaN}', '{"isup_grade": -Infinity}',
          '{"isup_grade": 1e2}', '{"isup_grade": 1E400}', '{"isup_grade": 01}',
          '{"isup_grade": [3]}', '{"isup_grade": 1, "isup_grade": 4}', '{"isup\\u005fgrade": 5}',
          '{"a": {"b": [1, {}]}}', '{"isup_grade": 6}', '{"x": "\\ud83d\\ude00"}', '{"x": "\\q"}',
          '{"isup_grade": "+3"}', "🙂", "ǅ", "Ⅷ", "\u0301", "\u200b"]
OPTIONS = [None, [], ["Lung", "Breast", "Colon", "Liver"], ["art", "heart", "  "],
           ["Straße", "école", "i̇", "Ⅷ"], ["x"] * 30, ["", "Lung"]]


def test_random_answers():
    chance = random.Random(7)
    for _ in range(20000):
        text = chance.choice(["", " "]).join(chance.choices(PIECES, k=chance.randint(0, 7)))
        benchmark, options = chance.choice(["panda", "PANDA", "tcga"]), chance.choice(OPTIONS)
        for rules, oracle in (("spec", specification), ("giant", final)):
            found = assay.extract_label(text, benchmark_name=benchmark, options=options,
                                        rules=rules)
            assert found.label == oracle(text, benchmark, options), (
                rules, text, benchmark, options, found)
            assert found.raw == text.strip()


def test_every_character():
    """\\b, \\d, strip and lower of all characters but the final sigma, whose lower case depends on
    its neighbours."""
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or code == 0x3A3 or code in UNKNOWN:
            continue
        text = f"x {chr(code)}3 {chr(code)}"
        found = assay.extract_label(text, benchmark_name="x", options=None, rules="spec")
        assert (found.label, found.raw) == (specification(text, "x", None), text.strip()), hex(code)
        if chr(code).lower() != chr(code):
            assert assay.extract_label(chr(code) + "!", benchmark_name="x",
                                       options=["zz", chr(code).lower()], rules="spec").label == 2
