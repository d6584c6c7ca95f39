#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""speed_gate.py COMPARE - the speed gate (bench/compare.py gate) on small tables: what it must name, and what it must let pass."""

import os
import subprocess
import sys
import tempfile
import unittest

GPU = "figure\tsubject\tvariant\tvalue\tunit\tn_runs\tspread\tnote\trun\tform\tcommit\tgpu\tdriver\tdate\n"
CPU = "measure\tcase\tsubject\tmedian\tmin\tmax\tunit\n"
COMPARE = sys.argv.pop(1)


def gpu(figure, subject, value, unit, n_runs=7, spread=0.01, variant="v", commit="c", form="long"):
    return f"{figure}\t{subject}\t{variant}\t{value}\t{unit}\t{n_runs}\t{spread}\t\t{figure}\t{form}\t{commit}\tg\td\tt\n"


def cpu(measure, subject, median, least, most, unit):
    return f"{measure}\tcase\t{subject}\t{median}\t{least}\t{most}\t{unit}\n"


class Gate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def call(self, old, new):
        done = subprocess.run([sys.executable, "-B", COMPARE, "gate", old, new], capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout + done.stderr

    def gate(self, old, new, head=GPU):
        return self.call(self.write("old.tsv", head + old), self.write("new.tsv", head + new))

    def worse(self, name, *tables, **how):
        status, said = self.gate(*tables, **how)
        self.assertEqual(status, 1, said)
        self.assertIn(name, said)

    def fine(self, *tables, **how):
        status, said = self.gate(*tables, **how)
        self.assertEqual(status, 0, said)
        return said

    def test_times_less_is_better(self):
        self.worse("wave72 static", gpu("wave72", "plan", 1.0, "us/level"), gpu("wave72", "static", 1.05, "us/level"))
        self.fine(gpu("wave72", "plan", 1.0, "us/level"), gpu("wave72", "plan", 0.5, "us/level"))

    def test_rates_more_is_better(self):
        self.worse("spawn lf", gpu("spawn", "lf", 344, "Mtasks/s"), gpu("spawn", "lf", 300, "Mtasks/s"))
        self.fine(gpu("spawn", "lf", 344, "Mtasks/s"), gpu("spawn", "lf", 2000, "Mtasks/s"))
        self.worse("apps-ratio", gpu("apps-ratio", "auto / best", 0.99, "x"), gpu("apps-ratio", "auto / best", 0.8, "x"))

    def test_a_ratio_that_shall_be_small(self):
        row = "persistent / limit"
        self.worse(row, gpu("apps-limit", row, 1.2, "x", 1), gpu("apps-limit", row, 1.6, "x", 1))
        self.fine(gpu("apps-limit", row, 1.6, "x", 1), gpu("apps-limit", row, 1.2, "x", 1))

    def test_noise_of_repeated_runs(self):
        self.fine(gpu("kept", "plan", 1.0, "us", spread=0.2), gpu("kept", "plan", 1.15, "us"))
        self.fine(gpu("kept", "plan", 1.0, "us"), gpu("kept", "plan", 1.15, "us", spread=0.2))
        self.worse("kept", gpu("kept", "plan", 1.0, "us", spread=0.2), gpu("kept", "plan", 1.25, "us"))
        self.fine(gpu("kept", "plan", 1.0, "us", spread=0), gpu("kept", "plan", 1.02, "us", spread=0))  # the least
        self.worse("kept", gpu("kept", "plan", 1.0, "us", spread=9), gpu("kept", "plan", 1.7, "us"))  # the most

    def test_tolerance_of_single_runs(self):
        self.fine(gpu("hop", "plan", 1.0, "us", 1, 0), gpu("hop", "plan", 1.04, "us", 1, 0))
        self.worse("hop", gpu("hop", "plan", 1.0, "us", 1, 0), gpu("hop", "plan", 1.07, "us", 1, 0))
        self.fine(gpu("host", "add", 100, "us", 1, 0), gpu("host", "add", 120, "us", 1, 0))
        self.worse("host", gpu("host", "add", 100, "us", 1, 0), gpu("host", "add", 130, "us", 1, 0))

    def test_what_is_no_speed(self):
        self.fine(gpu("goal", "hop-kept plan", 0.2, "us"), gpu("goal", "hop-kept plan", 0.9, "us"))
        self.fine(gpu("bench", "time taken", 4, "s"), gpu("bench", "time taken", 14, "s"))

    def test_others_than_heddle(self):
        said = self.fine(gpu("free", "hardware blocks", 100, "us"), gpu("free", "hardware blocks", 150, "us"))
        self.assertIn("the machine differs", said)
        self.assertIn("hardware blocks", said)

    def test_what_is_gone_or_failed(self):
        self.assertIn("not measured any more: 1", self.fine(gpu("uts", "lf", 1, "us"), gpu("uts", "al", 1, "us")))
        self.assertIn("not measured any more: 1", self.fine(gpu("uts", "lf", 1, "us"), gpu("uts", "lf", "skipped", "us", 0)))
        self.worse("uts lf", gpu("uts", "lf", 1, "us"), gpu("uts", "lf", "failed", "us", 0))
        self.fine(gpu("uts", "lf", "skipped", "us", 0), gpu("uts", "lf", "failed", "us", 0))

    def test_forms_are_apart(self):
        self.fine(gpu("hop", "plan", 1, "us", form="long"), gpu("hop", "plan", 2, "us", form="short"))

    def test_least_and_most(self):
        old = cpu("task_total", "heddle", 100, 98, 300, "ns")  # 300: somebody else was busy
        self.worse("task_total heddle", old, cpu("task_total", "heddle", 110, 108, 115, "ns"), head=CPU)
        self.fine(old, cpu("task_total", "heddle", 103, 101, 110, "ns"), head="# cpu: any\n" + CPU)
        self.worse("ratio", cpu("ratio", "libgomp:heddle", 10, 9, 10.1, "x"), cpu("ratio", "libgomp:heddle", 8, 7, 8.1, "x"),
                   head=CPU)
        self.worse("ratio_best", cpu("ratio_best", "heddlec:by-hand-1", 1, 1, 1, "x"),
                   cpu("ratio_best", "heddlec:by-hand-1", 1.2, 1.2, 1.2, "x"), head=CPU)

    def test_folders(self):
        self.write("a/figures.tsv", GPU + gpu("hop", "plan", 1, "us"))
        self.write("b/figures.tsv", GPU + gpu("hop", "plan", 2, "us"))
        for folder in "ab":
            self.write(folder + "/beside.tsv", "call\ttime\tblocks\tms\ncudaMalloc\t1\t0\t0.2\n")
        status, said = self.call(*(os.path.join(self.folder.name, f) for f in "ab"))
        self.assertEqual(status, 1, said)
        self.assertIn("beside.tsv: not compared", said)

    def test_what_cannot_be_read(self):
        table = self.write("a.tsv", GPU)
        for old, new in ((table, "/nowhere"), (table, self.folder.name), (table, self.write("b.tsv", "x\ty\n1\t2\n"))):
            self.assertEqual(self.call(old, new)[0], 2)


if __name__ == "__main__":
    unittest.main()
