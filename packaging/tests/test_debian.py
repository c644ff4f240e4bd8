"""The Debian package in a fresh Debian: installed, upgraded, removed and purged by dpkg."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from packages import PATIENCE, ROOT, VERSION, ask_demo, inside, package, run

# Made once by `cargo xtask test`, and copied for each test.
SYSTEM = os.environ.get("SANDBOX_AGENT_DEBIAN")
HELLO = "hello from the package"


class Debian(unittest.TestCase):
    def setUp(self) -> None:
        assert SYSTEM, "SANDBOX_AGENT_DEBIAN names no folder with a Debian"
        self.folder = Path(tempfile.mkdtemp(prefix="sa-debian-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = self.folder / "root"
        run(["cp", "--archive", "--reflink=auto", SYSTEM, self.root])
        shutil.copy(package("*.deb"), self.root / "package.deb")
        self.etc = self.root / "etc/sandbox-agent"
        self.inside = inside(self.root)
        self.env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "DEBIAN_FRONTEND": "noninteractive"}

    def dpkg(self, *arguments: str) -> str:
        return run([*self.inside, "dpkg", *arguments], env=self.env)

    def test_life_of_the_package(self) -> None:
        self.dpkg("--install", "/package.deb")
        token = (self.etc / "token").read_text()
        self.assertRegex(token, r"^[0-9a-f]{64}$")
        self.assertEqual((self.etc / "token").stat().st_mode & 0o777, 0o600)
        self.assertRegex((self.root / "etc/passwd").read_text(), r"(?m)^sandbox-agent:.*:/var/lib/sandbox-agent:")
        self.assertEqual(self.dpkg("--verify", "sandbox-agent"), "")
        self.assertIn(HELLO, ask_demo([*self.inside, "sandbox-agent"], self.env))
        self.configuration_is_accepted(token)

        # An upgrade keeps the token and a changed configuration.
        (self.etc / "config.toml").write_text("port = 3000\n")
        self.dpkg("--install", "/package.deb")
        self.assertEqual((self.etc / "token").read_text(), token)
        self.assertEqual((self.etc / "config.toml").read_text(), "port = 3000\n")

        self.dpkg("--remove", "sandbox-agent")
        self.assertFalse((self.root / "usr/bin/sandbox-agent").exists())
        self.assertTrue((self.etc / "token").exists())
        self.dpkg("--purge", "sandbox-agent")
        self.assertFalse(self.etc.exists())
        self.assertFalse((self.root / "var/lib/sandbox-agent").exists())

    def configuration_is_accepted(self, token: str) -> None:
        # The state directory is made by systemd, which does not run here.
        (self.root / "var/lib/sandbox-agent/workspace").mkdir(parents=True)
        command = [*self.inside, "sandbox-agent", "server", "--config", "/etc/sandbox-agent/config.toml"]
        command += ["--token-file", "/etc/sandbox-agent/token", "--exit-on-stdin-close", "--port", "0"]
        done = subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("listening on http://127.0.0.1:", done.stdout)
        self.assertNotIn(token, done.stdout + done.stderr)


class Description(unittest.TestCase):
    def test_fields_and_files(self) -> None:
        fields = run(["dpkg-deb", "--field", package("*.deb")])
        self.assertIn(f"Version: {VERSION.replace('-', '~', 1)}\n", fields)
        listed = run(["dpkg-deb", "--contents", package("*.deb")])
        self.assertEqual([line for line in listed.splitlines() if " root/root " not in line], [])
        for path in ["usr/bin/sandbox-agent", "usr/lib/systemd/system/sandbox-agent.service", "etc/sandbox-agent/config.toml",
                     "usr/share/bash-completion/completions/sandbox-agent", "usr/share/man/man1/sandbox-agent.1.gz",
                     "usr/share/man/man1/sandbox-agent-daemon-start.1.gz"]:
            self.assertIn(f" {path}\n", listed)


class Unit(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sa-unit-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_systemd_accepts_the_unit(self) -> None:
        source = ROOT / "packaging/systemd/sandbox-agent.service"
        # systemd looks for the program, which is not installed here.
        text = source.read_text().replace("/usr/bin/sandbox-agent server", "/bin/true server")
        unit = self.folder / "sandbox-agent.service"
        unit.write_text(text)
        self.assertEqual(run(["systemd-analyze", "verify", "--man=no", unit]), "")

    def test_the_exposure_stays_low(self) -> None:
        source = ROOT / "packaging/systemd/sandbox-agent.service"
        report = run(["systemd-analyze", "security", "--offline=true", "--threshold=30", source])
        self.assertIn("Overall exposure level", report)


if __name__ == "__main__":
    unittest.main()
