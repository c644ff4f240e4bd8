"""The sandbox-agent program as a Python package."""

import os
import sysconfig

__all__ = ["find_binary"]


def find_binary() -> str:
    """Returns the path of the program that this package installed.

    Raises FileNotFoundError if it is missing, for example because the package was copied without its scripts.
    """
    folders = [sysconfig.get_path("scripts")]
    user = sysconfig.get_preferred_scheme("user")
    folders.append(sysconfig.get_path("scripts", scheme=user))
    # `pip install --target DIR` puts scripts into DIR/bin, next to this package.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in folders:
        path = os.path.join(folder, "sandbox-agent")
        if os.path.isfile(path):
            return path
    places = ", ".join(folders)
    raise FileNotFoundError(f"sandbox-agent is not in {places}; reinstall the package 'sandbox-agent'")
