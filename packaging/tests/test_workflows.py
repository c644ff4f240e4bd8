"""The shell scripts inside the workflows."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

import yaml
from packages import ROOT

SHELLCHECK = Path(sys.executable).with_name("shellcheck")


class Workflows(unittest.TestCase):
    def test_scripts(self) -> None:
        count = 0
        for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
            for name, job in yaml.safe_load(path.read_text())["jobs"].items():
                for step in job["steps"]:
                    if script := step.get("run"):
                        count += 1
                        with self.subTest(path.name, job=name, step=step["name"]):
                            command = [SHELLCHECK, "--shell=bash", "-"]
                            done = subprocess.run(command, input=script, capture_output=True, text=True)
                            self.assertEqual(done.stdout, "")
        self.assertGreater(count, 10)

    def test_jobs_have_a_time_limit(self) -> None:
        for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
            for name, job in yaml.safe_load(path.read_text())["jobs"].items():
                self.assertIn("timeout-minutes", job, f"{path.name}: {name}")


if __name__ == "__main__":
    unittest.main()
