"""install.sh against a server on loopback: what it installs, and what it refuses. Covers docs/install.md."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from packages import PACKAGES, PATIENCE, PLATFORM, ROOT, VERSION, ask_demo, clean_environment, package, run

ARCHIVE = f"sandbox-agent-{VERSION}-{PLATFORM}.tar.gz"


class Release(BaseHTTPRequestHandler):
    """Serves a release. `changed` replaces files; `cut` ends a response in the middle."""

    changed: dict[str, bytes] = {}
    cut: set[str] = set()

    def do_GET(self) -> None:
        folder, _, name = self.path.rpartition("/")
        path = PACKAGES / name
        if folder != f"/v{VERSION}" or not path.is_file():
            self.send_error(404)
            return
        content = self.changed.get(name) or path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if name in self.cut else content)

    def log_message(self, *_: object) -> None:
        pass


class InstallScript(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sa-install-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.target = self.folder / "bin"
        self.handler = type("Handler", (Release,), {"changed": {}, "cut": set()})
        server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def install(self, *arguments: str, script: Path = PACKAGES / "install.sh", **variables: str):
        env = {**clean_environment(self.folder), "TMPDIR": str(self.folder), **variables}
        command = ["sh", script, "--base-url", self.url, "--dir", self.target, *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE)

    def refused(self, done: subprocess.CompletedProcess, message: str, code: int = 1) -> None:
        self.assertEqual(done.returncode, code, done)
        self.assertIn(message, done.stderr)
        self.assertFalse((self.target / "sandbox-agent").exists())
        left = [path.name for path in self.folder.iterdir() if path.name != "bin"]
        self.assertEqual(left, [], "temporary files are left behind")

    def test_installs_a_program_that_runs_the_demo_agent(self) -> None:
        done = self.install()
        self.assertEqual(done.returncode, 0, done)
        program = self.target / "sandbox-agent"
        self.assertIn(f"Installed sandbox-agent {VERSION} to {program}", done.stdout)
        self.assertIn(f"Uninstall: rm '{program}'", done.stdout)
        self.assertEqual([path.name for path in self.target.iterdir()], ["sandbox-agent"])
        self.assertIn("hello from the package", ask_demo([program], clean_environment(self.folder)))
        # Again, over the installed one.
        self.assertEqual(self.install().returncode, 0)

    def test_wrong_signature(self) -> None:
        sums = (PACKAGES / "SHA256SUMS").read_bytes()
        self.handler.changed["SHA256SUMS"] = sums.replace(b"a", b"b", 1)
        self.refused(self.install(), "wrong signature")

    def test_signature_of_another_key(self) -> None:
        key = self.folder / "bin" / "other.pem"
        key.parent.mkdir()
        run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
        run(["openssl", "dgst", "-sha256", "-sign", key, "-out", f"{key}.sig", PACKAGES / "SHA256SUMS"])
        self.handler.changed["SHA256SUMS.sig"] = Path(f"{key}.sig").read_bytes()
        self.refused(self.install(), "wrong signature")

    def test_wrong_checksum(self) -> None:
        self.handler.changed[ARCHIVE] = b"not the archive"
        self.refused(self.install(), f"wrong checksum for {ARCHIVE}")

    def test_cut_download(self) -> None:
        self.handler.cut.add(ARCHIVE)
        self.refused(self.install(), f"cannot download {self.url}/v{VERSION}/{ARCHIVE}")

    def test_unknown_version(self) -> None:
        self.refused(self.install("--version", "9.9.9"), f"cannot download {self.url}/v9.9.9/SHA256SUMS")

    def test_unsupported_platform(self) -> None:
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "uname").write_text('#!/bin/sh\n[ "$1" = -s ] && echo Plan9 || echo mips\n')
        (programs / "uname").chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        self.refused(self.install(PATH=path), "no binary for Plan9 on mips; there are linux-x64")

    def test_read_only_directory(self) -> None:
        # Not even root can create files there.
        for directory in ["/proc/sandbox-agent", "/proc/self"]:
            done = self.install("--dir", directory)
            self.refused(done, f"'{directory}'; choose another directory with --dir")

    def test_without_openssl_only_on_request(self) -> None:
        programs = self.folder / "bin"
        programs.mkdir()
        needed = ["awk", "cat", "chmod", "cp", "curl", "cut", "gzip", "mkdir", "mktemp", "mv", "rm", "sha256sum", "sh", "tar", "uname"]
        for name in needed:
            (programs / name).symlink_to(shutil.which(name))
        self.refused(self.install(PATH=str(programs)), "openssl is required to verify the signature")
        done = self.install("--no-signature", PATH=str(programs))
        self.assertEqual(done.returncode, 0, done)

    def test_the_script_of_the_checkout_needs_to_be_told_everything(self) -> None:
        script = ROOT / "install.sh"
        self.refused(self.install(script=script), "no version: pass --version", 64)
        done = self.install("--version", VERSION, script=script)
        self.refused(done, "this script has no public key")
        key = {"SANDBOX_AGENT_PUBLIC_KEY": str(PACKAGES / "release-key.pem")}
        done = self.install("--version", f"v{VERSION}", script=script, **key)
        self.assertEqual(done.returncode, 0, done)

    def test_bad_usage(self) -> None:
        self.refused(self.install("--nonsense"), "unknown option '--nonsense'", 64)
        self.refused(self.install("--version"), "--version requires a value", 64)
        self.refused(self.install("--version", "../1"), "invalid version '../1'", 64)
        self.assertIn("Usage: sh install.sh", self.install("--help").stdout)

    def test_a_script_that_was_cut_off_does_nothing(self) -> None:
        text = (PACKAGES / "install.sh").read_text()
        cut = self.folder / "bin" / "cut.sh"
        cut.parent.mkdir()
        for length in range(0, len(text) - len('main "$@"\n'), 997):
            cut.write_text(text[:length])
            self.install(script=cut)
            self.assertFalse((self.target / "sandbox-agent").exists(), f"cut at {length}")

    def test_the_dev_container_feature_installs_it(self) -> None:
        feature = self.folder / "bin" / "feature"
        shutil.unpack_archive(package("devcontainer-feature-sandbox-agent.tgz"), feature, "gztar", filter="data")
        target = self.folder / "bin" / "installed"
        options = {"VERSION": VERSION, "BASEURL": self.url, "AGENTS": "", "SANDBOX_AGENT_INSTALL_DIR": str(target)}
        run(["sh", feature / "install.sh"], env={**clean_environment(self.folder), **options})
        self.assertIn(VERSION, run([target / "sandbox-agent", "--version"]))


if __name__ == "__main__":
    unittest.main()
