"""What a power cut may leave on a disk, worked out from the calls that a program made.

`recorded` runs a program with tests/faults/recorded_calls.c preloaded. `Disk` takes its calls one
by one and keeps apart what is on the disk for certain (synced) and what the system may or may not
have written yet: the bytes of files, and the names in folders. `states` gives the trees that a
power cut at that moment may leave. Nothing is assumed that POSIX does not promise: without a sync
of the folder a new name may be missing although the file was synced, a rename may come before the
content, and writes may reach the disk cut short, as zeros, or in another order.
"""
import hashlib, os, pathlib, random, subprocess, urllib.parse

import support

RECORDER = support.PROGRAM.parent / "recorded_calls.so"
SECTOR = 512
CHANCES = 12  # random subsets of what is not synced, for each moment


class File:
    def __init__(self, content=b""):
        self.durable, self.pending = content, []

    def sync(self):
        self.durable, self.pending = self.with_writes(self.pending), []

    def with_writes(self, writes):
        content = bytearray(self.durable)
        for offset, data in writes:
            if data is None:
                content = content[:offset] + bytes(max(0, offset - len(content)))
            else:
                content += bytes(max(0, offset - len(content)))
                content[offset:offset + len(data)] = data
        return bytes(content)

    def contents(self):
        """What may be read later: everything, nothing, half, zeros, the second part only."""
        whole = self.pending
        yield "whole", self.with_writes(whole)
        yield "old", self.durable
        writes = [number for number, write in enumerate(whole) if write[1]]
        if not writes:
            return
        last = writes[-1]
        offset, data = whole[last]
        yield "half", self.with_writes([*whole[:last], (offset, data[:len(data) // 2])])
        yield "zeros", self.with_writes([(at, data and bytes(len(data))) for at, data in whole])
        first = writes[0]
        offset, data = whole[first]
        gap = len(data) if len(writes) > 1 else min(len(data), SECTOR)
        yield "reordered", self.with_writes(
            [*whole[:first], (offset, bytes(gap) + data[gap:]), *whole[first + 1:]])

    def chance_content(self, chance):
        """One of the above, or cut at any byte, or with any sectors missing."""
        kind = chance.randrange(3)
        if kind == 0:
            return chance.choice([content for _, content in self.contents()])
        content = bytearray(self.with_writes(self.pending))
        changed = min((offset for offset, _ in self.pending), default=len(content))
        if changed >= len(content):
            return bytes(content)
        if kind == 1:
            return bytes(content[:chance.randrange(changed, len(content))])
        for start in range(changed // SECTOR * SECTOR, len(content), SECTOR):
            if chance.random() < 0.5:
                first, last = max(start, changed), min(start + SECTOR, len(content))
                content[first:last] = bytes(last - first)
        return bytes(content)


class Folder:
    def __init__(self):
        self.durable, self.now, self.pending = {}, {}, []

    def set(self, names):
        """One change of names that happens as a whole or not at all; None: gone."""
        self.pending.append(names)
        self.now = self.with_changes(self.now, [names])

    def sync(self):
        self.durable, self.pending = dict(self.now), []

    @staticmethod
    def with_changes(names, changes):
        out = dict(names)
        for change in changes:
            out.update(change)
        return {name: node for name, node in out.items() if node is not None}


class Disk:
    """The tree below one folder."""

    def __init__(self, root):
        self.path, self.nodes = os.path.realpath(root), {}
        self.root = self.taken(pathlib.Path(self.path))

    def taken(self, path):
        """What is there at the start is on the disk."""
        if path.is_dir():
            node = Folder()
            node.durable = {one.name: self.taken(one) for one in path.iterdir()}
            node.now = dict(node.durable)
        else:
            node = File(path.read_bytes())
        self.nodes[path.stat().st_ino] = node
        return node

    def folder(self, path):
        """The folder that holds a path, and the name in it."""
        assert path.startswith(self.path + "/"), path
        *above, name = path[len(self.path) + 1:].split("/")
        node = self.root
        for one in above:
            node = node.now[one]
        return node, name

    def apply(self, call):
        what, *words = call.words
        if what in ("create", "mkdir"):
            node = self.nodes[int(words[0])] = File() if what == "create" else Folder()
            folder, name = self.folder(words[1])
            folder.set({name: node})
        elif what == "write":
            self.nodes[int(words[0])].pending.append((int(words[1]), call.data))
        elif what == "size":
            self.nodes[int(words[0])].pending.append((int(words[1]), None))
        elif what == "sync":
            self.nodes[int(words[0])].sync()
        elif what in ("unlink", "rmdir"):
            folder, name = self.folder(words[0])
            folder.set({name: None})
        elif what in ("rename", "link"):
            (source, old), (target, new) = map(self.folder, words)
            node = source.now[old]
            gone = {old: None} if what == "rename" else {}
            if source is target:
                source.set({**gone, new: node})
            else:
                target.set({new: node})
                source.set(gone)
        else:
            assert what in ("say", "send"), what

    def tree(self, names, content, node=None, path=""):
        """{path: bytes, or None for a folder}; `names` and `content` choose what was written."""
        node, out = node or self.root, {}
        kept = Folder.with_changes(node.durable, names(node))
        for name, below in sorted(kept.items()):
            if isinstance(below, Folder):
                out[path + name] = None
                out.update(self.tree(names, content, below, path + name + "/"))
            else:
                out[path + name] = content(below)
        return out

    def states(self, seed):
        """(name, tree): what may be there after a power cut now; no tree comes twice."""
        def by(kind):
            return lambda file: dict(file.contents()).get(kind, file.durable)

        def every(folder):
            return folder.pending

        def none(_):
            return []
        found = [("nothing more", none, by("old")), ("everything", every, by("whole")),
                 ("names only", every, by("old")), ("content only", none, by("whole")),
                 ("half", every, by("half")), ("zeros", every, by("zeros")),
                 ("reordered", every, by("reordered")),
                 ("newest name", lambda folder: folder.pending[-1:], by("whole")),
                 ("oldest names", lambda folder: folder.pending[:-1], by("whole"))]
        for number in range(CHANCES):
            chance = random.Random(f"{seed} {number}")
            found.append((f"chance {number}",
                          lambda folder, c=chance: [one for one in folder.pending
                                                    if c.random() < 0.5],
                          lambda file, c=chance: file.chance_content(c)))
        seen = set()
        for name, names, content in found:
            tree = self.tree(names, content)
            if (key := digest(tree)) not in seen:
                seen.add(key)
                yield name, tree


def digest(tree):
    whole = hashlib.sha256()
    for path, content in sorted(tree.items()):
        whole.update(f"{path}\0{-1 if content is None else len(content)}\0".encode())
        whole.update(content or b"")
    return whole.digest()


def put(tree, folder):
    """Makes a tree real."""
    folder.mkdir(parents=True)
    for path, content in sorted(tree.items()):
        if content is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(content)
    return folder


class Call:
    def __init__(self, words, data):
        self.words, self.data = words, data

    def __repr__(self):
        return " ".join(self.words)


WITH_DATA = {"write", "say", "send"}


def calls_in(log):
    text, at, out = log.read_bytes(), 0, []
    while at < len(text):
        end = text.index(b"\n", at)
        words = [urllib.parse.unquote(word) for word in text[at:end].decode().split(" ")]
        at = end + 1
        length = int(words[-1]) if words[0] in WITH_DATA else 0
        out.append(Call(words, text[at:at + length]))
        at += length
    return out


def recorded(folder, log, *arguments, status=0, **options):
    """Runs the program and gives the disk as it was before, and the calls that were made."""
    disk = Disk(folder)
    environment = {**os.environ, **options.pop("env", {}), "LD_PRELOAD": str(RECORDER),
                   "ASSAY_RECORD_FOLDER": disk.path, "ASSAY_RECORD_LOG": str(log)}
    done = subprocess.run([support.PROGRAM, *map(str, arguments)], env=environment, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    assert done.returncode == status, done.stderr
    return disk, calls_in(log)


def cuts(disk, calls):
    """(number, calls before, name, tree) for each moment between two calls, and each tree that a
    power cut may leave then. A tree that was given before comes again only if the program has
    promised something in the meantime."""
    seen = set()
    for number in range(len(calls) + 1):
        if number > 0:
            disk.apply(calls[number - 1])
            if calls[number - 1].words[0] in ("say", "send"):
                seen.clear()
        if number == len(calls):
            seen.clear()  # the program has ended
        for name, tree in disk.states(number):
            if (key := digest(tree)) not in seen:
                seen.add(key)
                yield number, calls[:number], name, tree
