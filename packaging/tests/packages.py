"""What the tests share: the packages under test, and a daemon that runs the demo agent."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]
# Made by `cargo xtask dist`; `cargo xtask test --only packaging` sets both variables.
PACKAGES = Path(os.environ.get("SANDBOX_AGENT_PACKAGES", ROOT / "target/dist/packages"))
VERSION = re.search(r'^\[workspace\.package\][^\[]*?^version = "([^"]+)"$', (ROOT / "Cargo.toml").read_text(), re.M | re.S)[1]
PLATFORM = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[os.uname().machine]

# For a loaded machine.
PATIENCE = 60

TOKEN = "packaging-token"


def package(pattern: str) -> Path:
    """Returns the one package whose name matches."""
    found = sorted(PACKAGES.glob(pattern))
    assert len(found) == 1, f"{pattern} in {PACKAGES}: {found}"
    return found[0]


def run(command: list[str | Path], **options) -> str:
    """Runs a command that must succeed, and returns all that it wrote."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=5 * PATIENCE, **options
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


@contextmanager
def daemon(command: list[str | Path], env: dict[str, str]) -> Iterator[str]:
    """Starts a daemon on a free port and yields its address. It must end successfully on SIGTERM."""
    child = subprocess.Popen(
        [*command, "server", "--port", "0", "--no-store"],
        env={**env, "SANDBOX_AGENT_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        yield address(child)
        child.terminate()
        assert child.wait(PATIENCE) == 0, "the daemon did not end well"
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def address(child: subprocess.Popen) -> str:
    """Reads output until the daemon says where it listens."""
    written = b""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not select.select([child.stdout], [], [], 1)[0]:
            continue
        chunk = os.read(child.stdout.fileno(), 65536)
        written += chunk
        if found := re.search(rb"^listening on (\S+)\n", written, re.M):
            return found[1].decode()
        if not chunk:
            break
    raise AssertionError(f"the daemon did not listen:\n{written.decode(errors='replace')}")


def ask_demo(command: list[str | Path], env: dict[str, str]) -> str:
    """Runs the demo agent with a program of a package, and returns the answer."""
    with daemon(command, env) as url:
        arguments = ["run", "--endpoint", url, "--agent", "demo", "say hello from the package"]
        return run([*command, *arguments], env={**env, "SANDBOX_AGENT_TOKEN": TOKEN})


def clean_environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}


def unpack(folder: Path) -> Path:
    """Unpacks the archive of this platform and returns the program."""
    shutil.unpack_archive(package(f"sandbox-agent-*-{PLATFORM}.tar.gz"), folder, filter="data")
    return folder / f"sandbox-agent-{VERSION}-{PLATFORM}" / "sandbox-agent"


def inside(root: Path, *namespaces: str) -> list[str | Path]:
    """Returns the start of a command that runs in a root directory, with /proc and three devices.

    The mounts end with the process, which is the command itself: signals reach it.
    """
    script = (
        'mkdir -p "$0/proc" "$0/dev" && mount --rbind /proc "$0/proc" || exit 1\n'
        'for name in null random urandom; do : >>"$0/dev/$name" && mount --bind "/dev/$name" "$0/dev/$name" || exit 1; done\n'
        'exec chroot "$0" "$@"'
    )
    return ["unshare", "--mount", *namespaces, "sh", "-c", script, root]
