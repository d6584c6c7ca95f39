#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py PROGRAM [BACKEND...] - 08_packets encrypts as a plain loop does that was written from RFC 8439 alone, and decrypts again.

The loop is held against the RFC's own example first. Captures have packets of every interesting length, more of them than the ring
has places, both orders of bytes, and come from files and through a pipe, in pieces. What is no capture is refused with a
sentence. Without backends: serial, cpu, and cuda where the program finds a GPU."""

import os
import struct
import subprocess
import sys
import tempfile
import time

KEY = bytes(range(32))
CONSTANT = b"expand 32-byte k"
ROWS = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
EXAMPLE = (b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.")
EXAMPLE_NUMBER = 0x4a000000  # section 2.4.2: the nonce is 000000000000004a00000000
EXAMPLE_RESULT = bytes.fromhex(
    "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
    "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d")


def block_of(number, counter):
    start = struct.unpack("<16I", CONSTANT + KEY + struct.pack("<IIQ", counter, 0, number))
    x = list(start)
    for _ in range(10):
        for a, b, c, d in ROWS:
            for to, by, back, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[to] = (x[to] + x[by]) & 0xFFFFFFFF
                turn = x[back] ^ x[to]
                x[back] = (turn << n | turn >> (32 - n)) & 0xFFFFFFFF
    return struct.pack("<16I", *((v + w) & 0xFFFFFFFF for v, w in zip(x, start)))


def encrypted(number, packet):
    stream = b"".join(block_of(number, 1 + i) for i in range((len(packet) + 63) // 64))
    return bytes(p ^ s for p, s in zip(packet, stream))


def capture(packets, order, magic=0xA1B2C3D4):
    head = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65536, 1)
    return head + b"".join(struct.pack(order + "IIII", k, k + 7, len(p), len(p) + 3) + p for k, p in enumerate(packets))


def packets_of(lengths):
    return [bytes((k * 37 + i * (k % 5 + 1)) & 255 for i in range(n)) for k, n in enumerate(lengths)]


def run(program, args, backend="cpu", pieces=None):
    """pieces: what comes through a pipe, with pauses between."""
    p = subprocess.Popen([program, *args], env={**os.environ, "HEDDLE_BACKEND": backend}, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for piece in pieces or []:
        p.stdin.write(piece)
        p.stdin.flush()
        time.sleep(0.01)
    out, err = p.communicate(timeout=100)
    return p.returncode, out.decode(), err.decode()


def encrypt(program, backend, work, data, n_packets):
    """The program's output capture for an input capture."""
    source, target = os.path.join(work, "in.pcap"), os.path.join(work, "out.pcap")
    with open(source, "wb") as f:
        f.write(data)
    status, out, err = run(program, [source, target], backend)
    assert status == 0 and out.startswith(f"{n_packets} packets, "), (backend, status, out, err)
    with open(target, "rb") as f:
        return f.read()


def check_bytes(program, backend, work):
    lengths = [0, 1, 63, 64, 65, 1500, 9000, 65536, 0, 3] + [n % 97 for n in range(590)]
    packets = packets_of(lengths)
    secret = [encrypted(k, p) for k, p in enumerate(packets)]
    for order in "<>":
        plain, want = capture(packets, order), capture(secret, order)
        assert encrypt(program, backend, work, plain, len(packets)) == want, (backend, order, "differs from a plain loop")
        assert encrypt(program, backend, work, want, len(packets)) == plain, (backend, order, "decrypting gives something else")
    nano = capture(packets[:3], ">", 0xA1B23C4D)
    assert encrypt(program, backend, work, nano, 3) == capture(secret[:3], ">", 0xA1B23C4D), (backend, "nanoseconds")
    assert encrypt(program, backend, work, nano[:24], 0) == nano[:24], (backend, "no packets")


def check_pipe(program, backend, work):
    packets = packets_of([100] * 40)
    data, target = capture(packets, "<"), os.path.join(work, "piped.pcap")
    pieces = [data[i:i + 333] for i in range(0, len(data), 333)]
    status, out, err = run(program, ["-", target], backend, pieces)
    assert (status, out) == (0, "40 packets, 4000 bytes\n"), (backend, status, out, err)
    with open(target, "rb") as f:
        assert f.read() == capture([encrypted(k, p) for k, p in enumerate(packets)], "<"), (backend, "a pipe")


def check_refused(program, work):
    good = capture(packets_of([10, 20, 30]), "<")
    for data, what in ((b"", "is no classic pcap"), (good[:20], "is no classic pcap"), (b"\n\r\r\n" + good, "is no classic pcap"),
                       (good[:-1], "breaks off in packet 3"), (good[:30], "breaks off in packet 1"),
                       (capture([b"x" * 65537], "<"), "packet 1 has 65537 bytes, and 65536 are the most")):
        path = os.path.join(work, "bad.pcap")
        with open(path, "wb") as f:
            f.write(data)
        status, out, err = run(program, [path])
        assert status == 1 and out == "" and what in err and err.count("\n") == 1, (what, status, out, err)
    status, out, err = run(program, [os.path.join(work, "none.pcap")])
    assert status == 1 and "cannot be opened" in err, (status, out, err)


def main():
    program, backends = sys.argv[1], sys.argv[2:]
    if not backends:
        backends = ["serial", "cpu"] + (["cuda"] if run(program, [], "cuda")[0] == 0 else [])
    assert encrypted(EXAMPLE_NUMBER, EXAMPLE) == EXAMPLE_RESULT, "this loop is not ChaCha20"
    with tempfile.TemporaryDirectory() as work:
        for backend in backends:
            check_bytes(program, backend, work)
            check_pipe(program, backend, work)
        check_refused(program, work)
    print("checked on", ", ".join(backends))


main()
