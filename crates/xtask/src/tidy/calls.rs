//! Calls that belong to one crate each.

use super::Finding;
use super::sources::Sources;
use anyhow::Result;

/// A piece of code and the crates whose `src` may hold it.
struct Reserved {
    code: &'static str,
    crates: &'static [&'static str],
    instead: &'static str,
}

const RESERVED: [Reserved; 2] = [
    Reserved {
        code: concat!("Command", "::new"),
        crates: &["sa-supervisor", "sa-testkit", "sa-features", "sa-bench", "sa-chaos", "xtask"],
        instead: "processes are started by sa-supervisor, which also ends them",
    },
    Reserved {
        code: concat!("env", "::var"),
        crates: &["sandbox-agent", "sa-testkit", "sa-features", "sa-bench", "xtask"],
        instead: "the binary reads the environment and passes on what is needed",
    },
];

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in sources.files.iter().filter(|file| file.extension() == "rs" && !file.is_test()) {
        let Some((krate, true)) = file.krate() else { continue };
        for reserved in RESERVED.iter().filter(|reserved| !reserved.crates.contains(&krate)) {
            let code = file.production().filter(|(_, line)| !line.trim_start().starts_with("//"));
            for (number, _) in code.filter(|(_, line)| holds(line, reserved.code)) {
                let message = format!("`{}` is not for {krate}: {}", reserved.code, reserved.instead);
                findings.push(Finding::at(&file.path, number, message));
            }
        }
    }
    Ok(findings)
}

/// Returns whether the code stands there, and not only as the end of a longer name or as clap's type of the same
/// name.
fn holds(line: &str, code: &str) -> bool {
    line.match_indices(code).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let longer = before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        !longer && !before.ends_with("clap::")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_the_owner_may_call() {
        let places = |path, text: &str| Sources::places(check, path, text);
        let spawn = "\nlet c = std::process::Command::new(\"x\");\n";
        assert_eq!(places("crates/sa-hub/src/a.rs", spawn), ["crates/sa-hub/src/a.rs:2"]);
        assert_eq!(places("crates/sa-supervisor/src/a.rs", spawn), [""; 0]);
        assert_eq!(places("crates/sa-hub/src/a.rs", "SlashCommand::new()\n"), [""; 0]);
        assert_eq!(places("crates/sandbox-agent/src/a.rs", "clap::Command::new(\"x\")\n"), [""; 0]);
        assert_eq!(places("crates/sa-hub/tests/a.rs", spawn), [""; 0]);
        let env = "let a = std::env::var_os(\"X\");\n// env::var in a comment\n";
        assert_eq!(places("crates/sa-agents/src/a.rs", env), ["crates/sa-agents/src/a.rs:1"]);
        assert_eq!(places("crates/sandbox-agent/src/a.rs", env), [""; 0]);
    }

    #[test]
    fn unit_tests_are_free() {
        let places = |path, text: &str| Sources::places(check, path, text);
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() { Command::new(\"x\"); }\n}\n";
        assert_eq!(places("crates/sa-hub/src/a.rs", text), [""; 0]);
    }
}
