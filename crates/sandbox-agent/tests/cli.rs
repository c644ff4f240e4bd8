//! The command line as its users see it: texts, exit codes, and which stream says what. Nothing here needs a daemon.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn sandbox_agent() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox-agent"));
    command.env_clear().env("HOME", "/nonexistent").stdin(Stdio::null());
    command
}

/// Everything that can be observed of a run.
fn transcript(arguments: &[&str], output: &Output) -> String {
    let mut text = format!("$ sandbox-agent {}\n", arguments.join(" "));
    write!(text, "exit: {}\n\n", output.status.code().expect("it exits by itself")).unwrap();
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            write!(text, "--- {name}\n{}\n", String::from_utf8_lossy(bytes)).unwrap();
        }
    }
    text
}

fn run(arguments: &[&str]) -> String {
    transcript(arguments, &sandbox_agent().args(arguments).output().unwrap())
}

#[test]
fn the_version_is_the_packages() {
    let output = sandbox_agent().arg("--version").output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        concat!("sandbox-agent ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn bad_usage_exits_with_64_and_says_why() {
    let mistakes: [&[&str]; 22] = [
        &["sevrer"],
        &["server", "--prot", "1"],
        &["server", "--port", "70000"],
        &["server", "--token", "a", "--no-token"],
        &["server", "--token", "two words"],
        &["server", "--token", ""],
        &["server", "--token-file", "/nonexistent/token"],
        &["server", "--config", "/nonexistent/config.toml"],
        &["server", "--agent", "mine"],
        &["server", "--cors-allow-origin", "*", "--cors-allow-credentials"],
        &["server", "--cors-allow-credentials"],
        &["server", "--log", "=="],
        &["server", "--log", "wran"],
        &["server", "--log", ""],
        &["server", "--log", "info,sa_hub="],
        &["server", "--host", ""],
        &["server", "--workspace", "/proc/nonexistent"],
        &["server", "--fs-root", "/dev/null"],
        &["api", "fs", "get", "a.txt", "--range", "x"],
        &["acp", "nobody"],
        &["api", "--endpoint", "localhost", "health"],
        &["api", "acp", "post", "x", "--json", "{}", "--file", "f"],
    ];
    insta::assert_snapshot!(mistakes.map(run).join("\n"));
}

#[test]
fn a_variable_stands_in_for_its_flag_and_the_flag_wins() {
    let run_with = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = sandbox_agent();
        let output = command.envs(variables.iter().copied()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(64));
        String::from_utf8(output.stderr).unwrap()
    };
    let port = run_with(&[("SANDBOX_AGENT_PORT", "many")], &["server"]);
    assert!(port.contains("invalid value 'many' for '--port <PORT>'"), "{port}");
    let both = [("SANDBOX_AGENT_TOKEN", "a"), ("SANDBOX_AGENT_NO_TOKEN", "1")];
    let conflict = run_with(&both, &["server"]);
    assert!(conflict.contains("--token and --no-token"), "{conflict}");
    // The flags' word on access silences the variables', so what is left to complain about is the agent.
    let resolved = run_with(&both, &["server", "--no-token", "--agent", "oops"]);
    assert!(resolved.contains("'oops' is not of the form id=command"), "{resolved}");
    let agents = run_with(&[("SANDBOX_AGENT_AGENTS", "a=b\nc")], &["server"]);
    assert!(agents.contains("'c' is not of the form id=command"), "{agents}");
}

#[test]
fn a_secret_is_never_part_of_help_or_errors() {
    for arguments in [&["server", "--help"][..], &["api", "--help"], &["server", "--no-token=maybe"]] {
        let output =
            sandbox_agent().env("SANDBOX_AGENT_TOKEN", "s3cret value").args(arguments).output().unwrap();
        let text = transcript(arguments, &output);
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[test]
fn calling_nobody_fails_with_a_hint() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let output = sandbox_agent().args(["api", "health", "--endpoint", &endpoint]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&endpoint) && said.contains("is the daemon running?"), "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn an_empty_message_is_not_sent() {
    let mut child = sandbox_agent()
        .args(["api", "acp", "post", "x", "--endpoint", "http://127.0.0.1:1"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b" \n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "error: there is no message to send\n");
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = sandbox_agent().args(["completions", shell]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(
            script.contains("SANDBOX_AGENT_COMPLETE") && script.contains("sandbox-agent"),
            "{shell}: {script}"
        );
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let page = sandbox_agent().arg("man").output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains(".TH sandbox-agent 1") && page.contains("daemon"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let written = sandbox_agent().args(["man", "--dir"]).arg(folder.path().join("man1")).output().unwrap();
    assert_eq!(transcript(&[], &written), "$ sandbox-agent \nexit: 0\n\n");
    let page = |name: &str| std::fs::read_to_string(folder.path().join("man1").join(name)).unwrap();
    assert!(page("sandbox-agent-api-sessions-send.1").contains("idempotency"));
    assert!(page("sandbox-agent-daemon-upgrade.1").contains("upgrade"));
    let names: Vec<_> = std::fs::read_dir(folder.path().join("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        names.len() > 80 && !names.iter().any(|name| name.to_string_lossy().contains("guardian")),
        "{names:?}"
    );
}

#[test]
fn a_closed_output_ends_a_command_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = sandbox_agent().args(["completions", "bash"]).stdout(writer).output().unwrap();
    assert_eq!(transcript(&[], &output), "$ sandbox-agent \nexit: 0\n\n");
}

#[test]
fn the_reference_shows_what_the_help_shows_and_depends_on_no_environment() {
    let reference = |variables: &[(&str, &str)]| {
        let mut command = sandbox_agent();
        let output = command.envs(variables.iter().copied()).args(["gen", "cli-reference"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = reference(&[]);
    let elsewhere = [("SANDBOX_AGENT_PORT", "9"), ("SANDBOX_AGENT_ENDPOINT", "http://e"), ("COLUMNS", "20")];
    assert_eq!(text, reference(&elsewhere));
    let flag = "| `--token-file <FILE>` | `SANDBOX_AGENT_TOKEN_FILE` | File with the token |";
    assert!(text.contains(flag) && text.contains("## `sandbox-agent api acp stream`"), "{text}");
    assert!(!text.contains("guardian"), "{text}");
}
