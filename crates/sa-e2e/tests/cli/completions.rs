//! `sandbox-agent completions <shell>`.

use anyhow::Result;
use sa_testkit::{Finished, Sandbox};
use std::path::Path;

#[tokio::test]
async fn there_are_completions_for_every_shell() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = sandbox.run(["completions", shell]).await?;
        assert!(ended.status.success() && ended.stderr.is_empty(), "{ended}");
        for word in ["server", "completions", "no-token", "metrics"] {
            assert!(ended.stdout.contains(word), "{shell} does not know {word}");
        }
        assert!(!ended.stdout.contains("guardian"), "{shell} offers what is not for people");
    }
    let ended = sandbox.run(["completions", "tcsh"]).await?;
    assert_eq!(ended.status.code(), Some(64), "{ended}");
    Ok(())
}

/// What bash offers for the last of these words.
async fn offered(sandbox: &Sandbox, script: &Path, words: &[&str]) -> Result<Vec<String>> {
    let mut command = sandbox.command("bash");
    // As readline does it: the function that the script registered, with program, word and the word before.
    let complete = r#"source "$1"; shift
        function=$(complete -p sandbox-agent | sed 's/.*-F \([^ ]*\).*/\1/')
        COMP_WORDS=(sandbox-agent "$@"); COMP_CWORD=$#
        "$function" sandbox-agent "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    command.args(["--norc", "-c", complete, "bash"]).arg(script).args(words);
    let ended = Finished::wait(command).await?;
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended}");
    Ok(ended.stdout.split_whitespace().map(str::to_owned).collect())
}

#[tokio::test]
async fn bash_completes_with_them() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let script = sandbox.path("completions.bash");
    std::fs::write(&script, sandbox.run(["completions", "bash"]).await?.stdout)?;
    for (words, expected) in [
        (&["ser"][..], &["server"][..]),
        (&["g"], &[]),
        (&["api", "me"], &["metrics"]),
        (&["api", "acp", ""], &["list", "post", "stream", "delete"]),
        (&["api", "acp", "stream", "one", "--last"], &["--last-event-id"]),
        (&["server", "--no-"], &["--no-token", "--no-store"]),
        (&["completions", "z"], &["zsh"]),
    ] {
        let mut offered = offered(&sandbox, &script, words).await?;
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
