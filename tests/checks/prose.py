#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prose.py FILE... - what prose.sh finds in comments and guides among the project's files, a line each:

    FILE:LINE: stale: NAME        the code has no function, macro, type or file of this name
    FILE:LINE: long: ...          a sentence of more than 30 words
    FILE:LINE: who: ...           who, whoever, whom or whose said of something else than people

Looked at are comments of C and CUDA sources, Markdown and man pages; code blocks, tables and what is set in are left out."""

import os
import re
import sys

LONGEST = 30
SOURCES = (".c", ".h", ".cu", ".cpp")
SCRIPTS = (".py", ".sh", ".bash", ".txt", ".cmake", ".in", ".json", "Makefile")
# The change list names what is gone; inputs and outputs of tests, and of measurements, are no prose.
UNREAD = re.compile(r"^(CHANGELOG\.md|doc/results/|bench/results/|tests/heddlec/(corpus|accept|refuse)/)")
PEOPLE = r"(users?|readers?|people|person|(some|any|every)(body|one)|those|authors?|programmers?)"

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
NAME = re.compile(r"\b(?:(?:hd|hc|heddle|HD|HC|HEDDLE)_\w*[a-zA-Z0-9]|[a-z][a-z0-9_]*_[a-z0-9_]*[a-z0-9](?=\())(?![\w*<-])")
FILE = re.compile(r"(?<![\w./*-])(?:[\w-]+/)*([a-z0-9][\w-]*\.(?:c|h|cu|py|sh|md|cmake))\b(?![\w*])")
ITEM = re.compile(r"^(?:[-*#>|]|\d+\.)\s")


def read(name):
    with open(name, encoding="utf-8", errors="replace") as f:
        return f.read()


def is_comment(token):
    return token.startswith(("/*", "//"))


def code_of(text):
    return TOKEN.sub(lambda m: " " if is_comment(m.group()) else m.group(), text)


def lines_of(comment):
    """A comment's lines without its frame."""
    lines = comment[2:-2].split("\n") if comment.startswith("/*") else [comment[2:]]
    return [re.sub(r"^\s*\*(?!\S)\s?", "", line) for line in lines]


def paragraphs(start, lines, inset):
    """(line, text) of each run of lines; an item of a list begins one. Lines set in by `inset` blanks are examples."""
    held, first, fenced = [], start, False
    for i, line in enumerate([*lines, ""]):
        plain = line.strip()
        fence = plain.startswith("```")
        fenced ^= fence
        is_prose = plain and not fence and not fenced and not plain.startswith("|")
        is_prose = is_prose and not (i > 0 and len(line) - len(line.lstrip()) >= inset)
        if held and (not is_prose or ITEM.match(plain)):
            yield first, " ".join(held)
            held = []
        if is_prose:
            first = first if held else start + i
            held.append(ITEM.sub("", plain) if ITEM.match(plain) else plain)


def of_source(text):
    for m in TOKEN.finditer(text):
        if is_comment(m.group()):
            yield from paragraphs(text.count("\n", 0, m.start()) + 1, lines_of(m.group()), 5)


def of_manual(text):
    lines, example = [], False
    for line in text.split("\n"):
        example = example and not re.match(r"\.(fi|EE)", line) or bool(re.match(r"\.(nf|EX)", line))
        line = re.sub(r"^\.(B|I|BR|IR|RB|BI|IB|RI) ", "", line)
        lines.append("" if example or line.startswith(".") else re.sub(r"\\f.|\\", "", line))
    return paragraphs(1, lines, 4)


def blocks_of(name):
    text = read(name)
    if name.endswith(SOURCES):
        return of_source(text)
    return of_manual(text) if name.endswith(".1") else paragraphs(1, text.split("\n"), 99)


def sentences(text):
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(?:e\.g|i\.e|cf|vs|etc|Fig|No)\.", "abbr", text)
    return re.split(r"(?<=[.!?:;])[)\"'*]*\s+(?=[\w(\"'`*\[-])", text)


def n_words(sentence):
    return sum(1 for w in sentence.split() if re.search(r"[A-Za-z0-9]", w))


def habits(block):
    """What a block's sentences are too long for, or who is said in them of what is nobody."""
    for s in sentences(block):
        if n_words(s) > LONGEST:
            yield f"long: {n_words(s)} words: {s[:60]}"
        for m in re.finditer(r"(?:(\S+)\s+)?\bwho(?:ever|m|se)?\b", s, re.I):
            if not re.fullmatch(PEOPLE, re.sub(r"\W", "", m.group(1) or ""), re.I):
                yield f"who: {s[:70]}"


class Known:
    """What names there are."""

    def __init__(self, files):
        code = "\n".join(code_of(read(f)) if f.endswith(SOURCES) else read(f) for f in files if f.endswith(SOURCES + SCRIPTS))
        self.words = set(re.findall(r"\w+", code))
        self.pasted = tuple(re.findall(r"\b(\w+_)##", code)), tuple(re.findall(r"##(_\w+)", code))
        self.files = {os.path.basename(f) for f in files} | set(FILE.findall(code))

    def stale(self, block):
        for name in NAME.findall(block):
            if name not in self.words and not name.startswith(self.pasted[0]) and not name.endswith(self.pasted[1]):
                yield f"stale: {name}"
        for name in FILE.findall(block):
            if name not in self.files:
                yield f"stale: {name}"


def main():
    files = sys.argv[1:]
    known = Known(files)
    for name in files:
        if name.endswith((*SOURCES, ".md", ".1")) and not UNREAD.match(name):
            for line, block in blocks_of(name):
                for found in (*known.stale(block), *habits(block)):
                    print(f"{name}:{line}: {found}")


main()
