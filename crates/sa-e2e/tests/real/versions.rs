//! They are installed whole, in the version asked for, and run.

use anyhow::Result;
use sa_testkit::{Finished, Sandbox, installed};

async fn says_its_version(agent: &str, version: Option<&str>) -> Result<()> {
    let sandbox = Sandbox::new()?;
    let real = installed(agent, version).await?;
    if let Some(version) = version {
        assert_eq!(real.version, version);
    }
    let mut command = real.command(&sandbox)?;
    command.arg("--version");
    let ended = Finished::wait(command).await?;
    assert!(ended.status.success(), "{ended}");
    assert!(
        ended.stdout.split_whitespace().any(|word| word == real.version),
        "not {}: {ended}",
        real.version
    );
    // Again: what is there is found, and nothing is fetched.
    let again = installed(agent, version).await?;
    assert_eq!((again.version, again.program), (real.version, real.program));
    Ok(())
}

#[tokio::test]
async fn claude_runs() -> Result<()> {
    says_its_version("claude", None).await
}

#[tokio::test]
async fn an_older_claude_runs_beside_it() -> Result<()> {
    says_its_version("claude", Some("2.1.197")).await
}

#[tokio::test]
async fn codex_runs() -> Result<()> {
    says_its_version("codex", None).await
}

#[tokio::test]
async fn opencode_runs() -> Result<()> {
    says_its_version("opencode", None).await
}
