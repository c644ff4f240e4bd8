//! `sandbox-agent completions <shell>`, and what the shell then offers.

use anyhow::Result;
use sa_testkit::{Daemon, Finished, Sandbox, daemon_path};
use std::path::Path;

#[tokio::test]
async fn there_are_completions_for_every_shell() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = sandbox.run(["completions", shell]).await?;
        assert!(ended.status.success() && ended.stderr.is_empty(), "{ended}");
        assert!(ended.stdout.contains("SANDBOX_AGENT_COMPLETE"), "{shell}: {ended}");
    }
    let ended = sandbox.run(["completions", "tcsh"]).await?;
    assert_eq!(ended.status.code(), Some(64), "{ended}");
    Ok(())
}

/// A bash that has sourced the script, with the program on its path.
struct Shell<'a> {
    sandbox: &'a Sandbox,
    variables: Vec<(&'static str, String)>,
}

impl Shell<'_> {
    /// Returns the completions of the last of these words.
    async fn offered(&self, words: &[&str]) -> Result<Vec<String>> {
        let mut command = self.sandbox.command("bash");
        // As readline does it: the function that the script registered, with program, word and the word before.
        let complete = r#"PATH="$1:$PATH"; shift; source <(sandbox-agent completions bash)
            function=$(complete -p sandbox-agent | sed 's/.*-F \([^ ]*\).*/\1/')
            COMP_WORDS=(sandbox-agent "$@"); COMP_CWORD=$#
            "$function" sandbox-agent "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
            printf '%s\n' "${COMPREPLY[@]}""#;
        command.args(["--norc", "-c", complete, "bash"]).arg(self.sandbox.path("bin")).args(words);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let ended = Finished::wait(command).await?;
        assert!(ended.status.success() && ended.stderr.is_empty(), "{ended}");
        Ok(ended.stdout.split_whitespace().map(str::to_owned).collect())
    }
}

fn install(sandbox: &Sandbox) -> Result<()> {
    let folder = sandbox.path("bin");
    std::fs::create_dir(&folder)?;
    Ok(std::os::unix::fs::symlink(daemon_path()?, Path::new(&folder).join("sandbox-agent"))?)
}

#[tokio::test]
async fn bash_completes_commands_and_flags() -> Result<()> {
    let sandbox = Sandbox::new()?;
    install(&sandbox)?;
    let shell = Shell { sandbox: &sandbox, variables: Vec::new() };
    for (words, expected) in [
        (&["ser"][..], &["server"][..]),
        (&["g"], &[]),
        (&["api", "me"], &["metrics"]),
        (&["api", "acp", ""], &["list", "post", "stream", "delete", "connection"]),
        (&["api", "acp", "stream", "one", "--last"], &["--last-event-id"]),
        (&["server", "--no-"], &["--no-token", "--no-store"]),
        (&["completions", "z"], &["zsh"]),
        // Without a daemon, the agents that ship.
        (&["run", "--agent", "clau"], &["claude"]),
        (&["install-agent", "open"], &["opencode"]),
    ] {
        let mut offered = shell.offered(words).await?;
        // Flags are not asked for where a command is.
        offered
            .retain(|word| words.last().is_some_and(|last| last.starts_with('-')) || !word.starts_with('-'));
        offered.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(offered, expected, "{words:?}");
    }
    Ok(())
}

#[tokio::test]
async fn bash_completes_the_agents_and_sessions_of_the_daemon() -> Result<()> {
    let daemon = Daemon::start().await?;
    daemon.http().post("/v1/sessions/first").json(r#"{"agent":"demo"}"#).send().await?.expect_status(201)?;
    let sandbox = daemon.sandbox();
    install(&sandbox)?;
    let variables = vec![
        ("SANDBOX_AGENT_ENDPOINT", daemon.base_url()),
        ("SANDBOX_AGENT_TOKEN", daemon.token().unwrap_or_default().to_owned()),
    ];
    let shell = Shell { sandbox: &sandbox, variables };
    assert_eq!(shell.offered(&["sessions", "get", "fi"]).await?, ["first"]);
    assert_eq!(shell.offered(&["api", "sessions", "send", "fi"]).await?, ["first"]);
    assert_eq!(shell.offered(&["api", "agents", "get", "pup"]).await?, ["puppet"]);
    Ok(())
}
