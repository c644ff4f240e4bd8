#!/bin/sh
# Runs as root while the dev container is built; options arrive as variables in capitals.

set -eu

here=$(dirname "$0")

[ -z "${VERSION:-}" ] || export SANDBOX_AGENT_VERSION="$VERSION"
[ -z "${BASEURL:-}" ] || export SANDBOX_AGENT_BASE_URL="$BASEURL"

missing=''
command -v curl >/dev/null 2>&1 || command -v wget >/dev/null 2>&1 || missing='curl ca-certificates'
command -v openssl >/dev/null 2>&1 || missing="$missing openssl"
if [ -n "$missing" ]; then
    if command -v apt-get >/dev/null 2>&1; then
        apt-get update
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $missing
        rm -rf /var/lib/apt/lists/*
    elif command -v apk >/dev/null 2>&1; then
        # shellcheck disable=SC2086
        apk add --no-cache $missing
    else
        echo "sandbox-agent feature: install these first: $missing" >&2
        exit 1
    fi
fi

sh "$here/sandbox-agent-install.sh" --dir "${SANDBOX_AGENT_INSTALL_DIR:-/usr/local/bin}"

if [ -n "${AGENTS:-}" ]; then
    program=${SANDBOX_AGENT_INSTALL_DIR:-/usr/local/bin}/sandbox-agent
    user=${_REMOTE_USER:-root}
    if [ "$user" = root ]; then
        # shellcheck disable=SC2086
        "$program" install-agent $AGENTS
    else
        su "$user" -c "'$program' install-agent $AGENTS"
    fi
fi
