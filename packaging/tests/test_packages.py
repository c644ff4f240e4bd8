"""Every package in an empty place of its own kind, where it must start the demo agent. Covers docs/install.md."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from packages import PACKAGES, PLATFORM, VERSION, ask_demo, clean_environment, inside, package, run, unpack

HELLO = "hello from the package"


class Packages(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sa-packages-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.env = clean_environment(self.folder)

    def test_checksums_cover_every_file_and_are_signed(self) -> None:
        lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
        sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
        files = {str(path.relative_to(PACKAGES)) for path in PACKAGES.rglob("*") if path.is_file()}
        self.assertEqual(set(sums), files - {"SHA256SUMS", "SHA256SUMS.sig"})
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest(), digest, name)
        signature, key = PACKAGES / "SHA256SUMS.sig", PACKAGES / "release-key.pem"
        verify = ["openssl", "dgst", "-sha256", "-verify", key, "-signature", signature, PACKAGES / "SHA256SUMS"]
        self.assertIn("Verified OK", run(verify))
        self.assertNotIn("FAILED", run(["sha256sum", "--check", "--ignore-missing", "SHA256SUMS"], cwd=PACKAGES))

    def test_archive_in_an_empty_chroot(self) -> None:
        program = unpack(self.folder / "unpacked")
        self.assertIn(".TH sandbox-agent 1", (program.parent / "man/sandbox-agent.1").read_text())
        self.assertTrue((program.parent / "completions/sandbox-agent.bash").is_file())
        root = self.folder / "root"
        root.mkdir()
        shutil.copy(program, root / "sandbox-agent")
        copy_libraries(program, root)
        command = [*inside(root, "--map-root-user"), "/sandbox-agent"]
        answer = ask_demo(command, {"HOME": "/", "PATH": os.environ["PATH"]})
        self.assertIn(HELLO, answer)

    def test_npm_packages_in_an_empty_project(self) -> None:
        project = self.folder / "project"
        project.mkdir()
        (project / "package.json").write_text('{ "name": "empty", "private": true }')
        archives = sorted((PACKAGES / "npm").glob("*.tgz"))
        self.assertEqual(len(archives), 2, archives)
        env = {**self.env, "PATH": os.environ["PATH"]}
        run(["npm", "install", "--offline", "--no-audit", "--no-fund", *archives], cwd=project, env=env)
        self.assertIn(HELLO, ask_demo([project / "node_modules/.bin/sandbox-agent"], env))

    def test_wheel_in_an_empty_environment(self) -> None:
        environment = self.folder / "venv"
        run([sys.executable, "-m", "venv", environment])
        python = environment / "bin/python"
        run([python, "-m", "pip", "install", "--no-index", "--no-deps", package("*.whl")], env=self.env)
        self.assertIn(HELLO, ask_demo([environment / "bin/sandbox-agent"], self.env))
        self.assertIn(HELLO, ask_demo([python, "-m", "sandbox_agent"], self.env))
        # pip compares the installed files with RECORD when it removes them.
        self.assertIn(f"Version: {VERSION}", run([python, "-m", "pip", "show", "sandbox-agent"], env=self.env))
        run([python, "-m", "pip", "uninstall", "--yes", "sandbox-agent"], env=self.env)
        self.assertFalse((environment / "bin/sandbox-agent").exists())

    def test_formula_has_the_checksums(self) -> None:
        text = (PACKAGES / "sandbox-agent.rb").read_text()
        archive = package(f"sandbox-agent-*-{PLATFORM}.tar.gz")
        self.assertIn(f'sha256 "{hashlib.sha256(archive.read_bytes()).hexdigest()}"', text)
        self.assertIn(f"/v{VERSION}/{archive.name}", text)
        self.assertIn('man1.install Dir["man/*.1"]', text)
        self.assertNotRegex(text, r"@[A-Z]+@")
        blocks = len(re.findall(r"^\s*(?:class|def|on_\w+ do|service do|test do)\b", text, re.M))
        self.assertEqual(len(re.findall(r"^\s*end$", text, re.M)), blocks)


def copy_libraries(program: Path, root: Path) -> None:
    """Copies the libraries that a dynamic program names; a static one names none."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    for library in re.findall(r"(?:=> )?(/\S+)", listed):
        target = root / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)


if __name__ == "__main__":
    unittest.main()
