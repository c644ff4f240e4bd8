#!/bin/sh
# Installs sandbox-agent: downloads the archive for this platform, verifies it, puts the program into a directory.
# `sh install.sh --help` lists the options; docs/install.md describes every other way.

set -eu

# A release fills these in.
RELEASE_VERSION=''
RELEASE_BASE_URL=''
RELEASE_PUBLIC_KEY=''

usage() {
    cat <<'HELP'
Install sandbox-agent

Usage: sh install.sh [OPTIONS]

Options:
  --version VERSION  Install this version [default: the version that this script was released with]
  --dir DIR          Install into this directory [default: ~/.local/bin]
  --base-url URL     Download from URL/v<VERSION>/ [default: where this script was released]
  --no-signature     Check only the SHA-256, for machines without openssl
  --help             Print this help

Variables, which options override:
  SANDBOX_AGENT_VERSION, SANDBOX_AGENT_INSTALL_DIR, SANDBOX_AGENT_BASE_URL
  SANDBOX_AGENT_PUBLIC_KEY  File with the public key to verify against, instead of the key in this script

Uninstall by deleting the program: rm ~/.local/bin/sandbox-agent
HELP
}

say() {
    printf '%s\n' "$*"
}

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

misused() {
    printf "install.sh: %s\nTry 'sh install.sh --help'.\n" "$*" >&2
    exit 64
}

has() {
    command -v "$1" >/dev/null 2>&1
}

platform() {
    system=$(uname -s)
    machine=$(uname -m)
    # Rosetta reports x86_64 on Apple silicon.
    if [ "$system" = Darwin ] && [ "$machine" = x86_64 ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then
        machine=arm64
    fi
    case "$system $machine" in
        'Linux x86_64' | 'Linux amd64') say linux-x64 ;;
        'Linux aarch64' | 'Linux arm64') say linux-arm64 ;;
        'Darwin x86_64') say darwin-x64 ;;
        'Darwin arm64') say darwin-arm64 ;;
        *) fail "no binary for $system on $machine; there are linux-x64, linux-arm64, darwin-x64, darwin-arm64" ;;
    esac
}

# download URL FILE
download() {
    if has curl; then
        curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 --output "$2" "$1" ||
            fail "cannot download $1"
    elif has wget; then
        wget --quiet --tries=3 --timeout=20 --output-document="$2" "$1" || fail "cannot download $1"
    else
        fail 'curl or wget is required'
    fi
}

sha256() {
    if has sha256sum; then
        sha256sum "$1" | cut -d ' ' -f 1
    elif has shasum; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    elif has openssl; then
        openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
    else
        fail 'sha256sum, shasum or openssl is required to verify the download'
    fi
}

# Checks that SHA256SUMS in the working folder was signed with the release key.
verify_signature() {
    has openssl || fail 'openssl is required to verify the signature; install it, or pass --no-signature'
    key=$work/key.pem
    if [ -n "${SANDBOX_AGENT_PUBLIC_KEY:-}" ]; then
        key=$SANDBOX_AGENT_PUBLIC_KEY
        [ -r "$key" ] || fail "SANDBOX_AGENT_PUBLIC_KEY: cannot read '$key'"
    elif [ -n "$RELEASE_PUBLIC_KEY" ]; then
        say "$RELEASE_PUBLIC_KEY" >"$key"
    else
        fail 'this script has no public key: use the install.sh of a release, set SANDBOX_AGENT_PUBLIC_KEY, or pass --no-signature'
    fi
    download "$base/SHA256SUMS.sig" "$work/SHA256SUMS.sig"
    openssl dgst -sha256 -verify "$key" -signature "$work/SHA256SUMS.sig" "$work/SHA256SUMS" >/dev/null 2>&1 ||
        fail "wrong signature: $base/SHA256SUMS was not signed with the release key; nothing was installed"
}

# verify_checksum FILE: compares with the line of SHA256SUMS.
verify_checksum() {
    expected=$(awk -v name="$1" '$2 == name { print $1; exit }' "$work/SHA256SUMS")
    [ -n "$expected" ] || fail "SHA256SUMS does not list $1; is there a version $version for this platform?"
    actual=$(sha256 "$work/$1")
    [ "$actual" = "$expected" ] ||
        fail "wrong checksum for $1: expected $expected, got $actual; nothing was installed"
}

install_program() {
    mkdir -p "$directory" 2>/dev/null || fail "cannot create '$directory'; choose another directory with --dir"
    # Written next to the target, then renamed: a running program is never overwritten, and never half-written.
    new=$directory/.sandbox-agent.$$
    { cp "$work/$name/sandbox-agent" "$new" && chmod 755 "$new"; } 2>/dev/null || {
        rm -f "$new" 2>/dev/null || true
        fail "cannot write to '$directory'; choose another directory with --dir"
    }
    installed=$("$new" --version 2>&1) || {
        rm -f "$new"
        fail "the program does not run on this machine: $installed"
    }
    mv -f "$new" "$directory/sandbox-agent"
}

main() {
    version=${SANDBOX_AGENT_VERSION:-$RELEASE_VERSION}
    base_url=${SANDBOX_AGENT_BASE_URL:-$RELEASE_BASE_URL}
    directory=${SANDBOX_AGENT_INSTALL_DIR:-}
    signature=required
    while [ $# -gt 0 ]; do
        case "$1" in
            --help | -h)
                usage
                exit 0
                ;;
            --no-signature)
                signature=unchecked
                shift
                continue
                ;;
            --version | --dir | --base-url)
                [ $# -ge 2 ] || misused "$1 requires a value"
                ;;
            *) misused "unknown option '$1'" ;;
        esac
        case "$1" in
            --version) version=$2 ;;
            --dir) directory=$2 ;;
            --base-url) base_url=$2 ;;
        esac
        shift 2
    done
    version=${version#v}
    [ -n "$version" ] || misused 'no version: pass --version'
    case "$version" in
        *[!0-9A-Za-z.+-]*) misused "invalid version '$version'" ;;
    esac
    [ -n "$base_url" ] || misused 'no download address: pass --base-url or set SANDBOX_AGENT_BASE_URL'
    if [ -z "$directory" ]; then
        [ -n "${HOME:-}" ] || misused 'HOME is not set: pass --dir'
        directory=$HOME/.local/bin
    fi

    platform=$(platform)
    name=sandbox-agent-$version-$platform
    base=${base_url%/}/v$version
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    download "$base/SHA256SUMS" "$work/SHA256SUMS"
    if [ "$signature" = required ]; then
        verify_signature
    fi
    say "Downloading sandbox-agent $version for $platform"
    download "$base/$name.tar.gz" "$work/$name.tar.gz"
    verify_checksum "$name.tar.gz"
    tar -xzf "$work/$name.tar.gz" -C "$work"
    install_program

    say "Installed $installed to $directory/sandbox-agent"
    case ":${PATH:-}:" in
        *":$directory:"*) ;;
        *) say "Add it to your PATH: export PATH=\"$directory:\$PATH\"" ;;
    esac
    say 'Start the daemon: sandbox-agent server'
    say "Uninstall: rm '$directory/sandbox-agent'"
}

# Last, so that a download of this script that was cut off does nothing.
main "$@"
