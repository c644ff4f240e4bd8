//! The daemon's environment as agents see it.

use anyhow::Result;
use sa_testkit::{Daemon, DaemonBuilder};
use serde_json::{Map, Value};

/// Starts a daemon with variables for agents and others for itself.
fn furnished() -> DaemonBuilder {
    Daemon::builder()
        .puppet(&[])
        .token_unsaid()
        .env("SANDBOX_AGENT_TOKEN", "s3cret")
        .env("SANDBOX_AGENT_LOG", "info")
        .env("SANDBOX_AGENT_MADE_UP", "1")
        .env("MODEL_API_KEY", "a key")
        .env("LC_MESSAGES", "C")
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .env("NOT_SANDBOX_AGENT_X", "kept")
}

/// Returns the environment of an agent of this daemon, whose token is as above.
async fn seen_by(daemon: &Daemon, agent: &str) -> Result<Map<String, Value>> {
    let acp = sa_testkit::Acp::new(&daemon.http().with_token(Some("s3cret")), agent);
    acp.start(agent).await?;
    let Value::Object(all) = acp.call("env", "{}").await? else { panic!("not an object") };
    Ok(all)
}

/// Returns the daemon's own variables but the two marks by which it finds what an agent started.
fn own(environment: &Map<String, Value>) -> Vec<&String> {
    let marks = ["SANDBOX_AGENT_TREE", "SANDBOX_AGENT_DAEMON"];
    environment
        .keys()
        .filter(|name| name.starts_with("SANDBOX_AGENT_") && !marks.contains(&name.as_str()))
        .collect()
}

#[tokio::test]
async fn the_daemons_own_variables_are_not_inherited() -> Result<()> {
    let daemon = furnished().start().await?;
    let seen = seen_by(&daemon, "puppet").await?;
    assert!(own(&seen).is_empty(), "{:?}", own(&seen));
    assert!(!Value::Object(seen.clone()).to_string().contains("s3cret"));
    for (name, value) in [("MODEL_API_KEY", "a key"), ("LC_MESSAGES", "C"), ("NOT_SANDBOX_AGENT_X", "kept")] {
        assert_eq!(seen[name], value);
    }
    assert_eq!(seen["HOME"], daemon.sandbox().home().to_str().unwrap());
    Ok(())
}

#[tokio::test]
async fn a_clean_environment_is_a_short_list() -> Result<()> {
    let home = |daemon: &Daemon| daemon.sandbox().home().to_str().unwrap().to_owned();
    let table = format!(
        "[agents.table]\ncommand = {:?}\nenv = {{ MODEL_API_KEY = \"its own\", SANDBOX_AGENT_MINE = \"x\" }}",
        sa_testkit::puppet_path()?
    );
    let daemon = furnished().arg("--clean-env").config(&table).start().await?;
    let seen = seen_by(&daemon, "puppet").await?;
    assert_eq!((&seen["HOME"], &seen["LC_MESSAGES"]), (&home(&daemon).into(), &"C".into()));
    assert_eq!(seen["PATH"], std::env::var("PATH")?);
    assert_eq!(seen["HTTPS_PROXY"], "http://127.0.0.1:9");
    for name in ["MODEL_API_KEY", "NOT_SANDBOX_AGENT_X", "SA_TESTKIT_MARK"] {
        assert!(!seen.contains_key(name), "{name} came through");
    }
    assert!(own(&seen).is_empty(), "{:?}", own(&seen));
    // An agent always gets the variables in its own table.
    let seen = seen_by(&daemon, "table").await?;
    assert_eq!((&seen["MODEL_API_KEY"], &seen["SANDBOX_AGENT_MINE"]), (&"its own".into(), &"x".into()));
    Ok(())
}

#[tokio::test]
async fn a_variable_cleans_too() -> Result<()> {
    let daemon = furnished().env("SANDBOX_AGENT_CLEAN_ENV", "yes").start().await?;
    assert!(!seen_by(&daemon, "puppet").await?.contains_key("MODEL_API_KEY"));
    let daemon = furnished().env("SANDBOX_AGENT_CLEAN_ENV", "yes").arg("--clean-env=no").start().await?;
    assert!(seen_by(&daemon, "puppet").await?.contains_key("MODEL_API_KEY"));
    Ok(())
}

#[tokio::test]
async fn no_process_below_the_daemon_has_the_token() -> Result<()> {
    let daemon = furnished().start().await?;
    seen_by(&daemon, "puppet").await?;
    let below = daemon.children();
    assert!(below.len() >= 2, "the agent and the guardian: {below:?}");
    for process in below {
        for file in ["environ", "cmdline"] {
            let text = std::fs::read(format!("/proc/{}/{file}", process.pid))?;
            assert!(!String::from_utf8_lossy(&text).contains("s3cret"), "{file} of {process:?}");
        }
    }
    Ok(())
}
