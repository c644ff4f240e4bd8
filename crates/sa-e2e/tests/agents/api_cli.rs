//! `sandbox-agent api agents …`, and versions in `api acp post`.

use crate::scene::{Asking, STORE, Scene};
use anyhow::Result;
use sa_e2e::request;
use sa_testkit::mirror::Fault;
use sa_testkit::{Daemon, Finished, daemon_path};
use serde_json::{Value, json};

async fn api(daemon: &Daemon, arguments: &[&str]) -> Result<Finished> {
    let mut command = daemon.sandbox().command(daemon_path()?);
    command.env("SANDBOX_AGENT_ENDPOINT", daemon.base_url()).arg("api").args(arguments);
    command.env("SANDBOX_AGENT_TOKEN", daemon.token().unwrap_or_default());
    Finished::wait(command).await
}

/// Returns the output of a command that must succeed without complaints.
async fn output(daemon: &Daemon, arguments: &[&str]) -> Result<String> {
    let ended = api(daemon, arguments).await?;
    assert!(ended.status.success() && ended.stderr.is_empty(), "{arguments:?}: {ended}");
    Ok(ended.stdout)
}

async fn json_of(daemon: &Daemon, arguments: &[&str]) -> Result<Value> {
    Ok(serde_json::from_str(&output(daemon, arguments).await?)?)
}

async fn complaint(daemon: &Daemon, arguments: &[&str], code: i32) -> Result<String> {
    let ended = api(daemon, arguments).await?;
    assert_eq!(ended.status.code(), Some(code), "{arguments:?}: {ended}");
    assert!(ended.stdout.is_empty(), "{arguments:?}: {ended}");
    Ok(ended.stderr)
}

fn rows(table: &str) -> Vec<Vec<&str>> {
    let cells = |line| str::split(line, "  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    table.lines().map(cells).collect()
}

/// Removes the values that change from one request to the next.
fn without_uptime(mut list: Value) -> Value {
    for agent in list["agents"].as_array_mut().unwrap() {
        agent.as_object_mut().unwrap().remove("serverStatus");
    }
    list
}

#[tokio::test]
async fn agents_are_listed_and_shown() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().agent("mine", "sh 'two words' x").puppet(&[]).start().await?;
    daemon.acp("one").start("puppet").await?;
    daemon.install("acme", "").await?.expect_status(200)?;
    let table = output(&daemon, &["agents", "list"]).await?;
    let rows = rows(&table);
    assert_eq!(rows[0], ["ID", "NAME", "INSTALLED", "SOURCE", "CREDENTIALS", "RUNNING", "LAUNCH"]);
    let version = env!("CARGO_PKG_VERSION");
    for expected in [
        vec!["acme", "Acme", "1.0.0", "vendor", "unknown", "0", "acme"],
        vec!["amp", "Amp", "-", "-", "missing", "0"],
        vec!["demo", "Demo agent", version, "builtin", "not needed", "0", "built in"],
        vec!["lumber", "lumber", "-", "-", "unknown", "0", "install only"],
        vec!["mine", "mine", "yes", "path", "unknown", "0", "sh two words x"],
        vec!["puppet", "puppet", "yes", "path", "unknown", "1"],
    ] {
        assert!(rows.iter().any(|row| row.starts_with(&expected)), "{expected:?} is not in\n{table}");
    }
    let served = daemon.http().get("/v1/agents").send().await?.json()?;
    let printed = json_of(&daemon, &["agents", "list", "--json"]).await?;
    assert!(without_uptime(printed) == without_uptime(served), "another list than the daemon's");
    let with_config = output(&daemon, &["agents", "list", "--config"]).await?;
    let demo = with_config.lines().find(|line| line.starts_with("demo ")).unwrap();
    assert!(demo.ends_with("  mode=bypass model=demo-medium effort=medium"), "{with_config}");

    let shown = output(&daemon, &["agents", "get", "acme"]).await?;
    let path = scene.acme_dir().join("1.0.0/acme");
    for line in [
        "id           acme".to_owned(),
        "launch       acme".to_owned(),
        "installed    1.0.0".to_owned(),
        "installable  yes".to_owned(),
        format!("path         {}", path.display()),
        "versions     1.0.0 (current)".to_owned(),
        "running      0".to_owned(),
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
    }
    let demo = output(&daemon, &["agents", "get", "demo", "--config"]).await?;
    assert!(demo.ends_with("offers       mode=bypass model=demo-medium effort=medium\n"), "{demo}");
    let mine = json_of(&daemon, &["agents", "get", "mine", "--json"]).await?;
    assert_eq!(mine["launch"], json!({"kind": "command", "program": "sh", "args": ["two words", "x"]}));
    Ok(())
}

#[tokio::test]
async fn an_installation_is_followed() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    let ended = api(&daemon, &["agents", "install", "acme"]).await?;
    assert_eq!(ended.status.code(), Some(0), "{ended}");
    let path = scene.acme_dir().join("1.0.0/acme");
    assert_eq!(ended.stdout, format!("acme 1.0.0 installed from vendor: {}\n", path.display()));
    let steps: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(
        (steps.first(), steps.last()),
        (Some(&"acme: asking vendor"), Some(&"acme: activating")),
        "{ended}"
    );
    let again = api(&daemon, &["agents", "install", "acme"]).await?;
    assert!(again.stdout.starts_with("acme 1.0.0 was installed before from vendor: "), "{again}");

    scene.publish("2.0.0")?;
    let old = json_of(&daemon, &["agents", "install", "acme", "--version", "1.0.0", "--reinstall", "--json"])
        .await?;
    assert_eq!((&old["version"], &old["alreadyInstalled"]), (&json!("1.0.0"), &json!(false)));
    let new = json_of(&daemon, &["agents", "install", "acme", "--source", "vendor", "--json"]).await?;
    assert_eq!((&new["version"], &new["alreadyInstalled"]), (&json!("2.0.0"), &json!(false)));
    Ok(())
}

#[tokio::test]
async fn a_failed_installation_says_why() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    scene.mirror.fault(&format!("{STORE}/1.0.0/acme"), Fault::Corrupt);
    let daemon = scene.daemon().start().await?;
    let said = complaint(&daemon, &["agents", "install", "acme"], 1).await?;
    assert!(said.contains("\nacme: not from vendor: ") && said.contains("checksum"), "{said}");
    assert!(said.contains("\nerror: Install Failed (HTTP 502): 'acme' could not"), "{said}");
    for (arguments, words) in [
        (&["agents", "install", "acme", "--json"][..], "error: Install Failed (HTTP 502): "),
        (&["agents", "install", "acme", "--version", "7"], "\nerror: Version Not Found (HTTP 404): "),
        (&["agents", "install", "nobody"], "error: Not Found (HTTP 404): there is no agent 'nobody'"),
        (&["agents", "uninstall", "nobody"], "error: Not Found (HTTP 404): there is no agent 'nobody'"),
        (
            &["agents", "use", "acme", "1.0.0"],
            "error: Unsupported (HTTP 422): version '1.0.0' of 'acme' is not",
        ),
        (&["agents", "latest", "demo"], "error: Invalid Request (HTTP 400): "),
        (&["agents", "models", "lumber"], "error: Agent Not Startable (HTTP 422): "),
    ] {
        let said = complaint(&daemon, arguments, 1).await?;
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    complaint(&daemon, &["agents", "install", "acme", "--source", "local"], 64).await?;
    complaint(&daemon, &["agents", "list", "--no-cache"], 64).await?;
    Ok(())
}

#[tokio::test]
async fn versions_are_reported_and_removed() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    assert_eq!(
        output(&daemon, &["agents", "latest", "acme"]).await?,
        "AGENT  INSTALLED  LATEST\nacme   -          1.0.0\n"
    );
    daemon.install("acme", "").await?.expect_status(200)?;
    scene.publish("1.1.0")?;
    let latest = json_of(&daemon, &["agents", "latest", "acme", "--json"]).await?;
    assert_eq!(latest, json!({"agent": "acme", "installed": "1.0.0", "latest": "1.1.0", "outdated": true}));
    daemon.install("acme", "").await?.expect_status(200)?;
    let used = output(&daemon, &["agents", "use", "acme", "1.0.0"]).await?;
    assert_eq!(used, "acme starts version 1.0.0\n");
    let install = ["agents", "install", "acme", "--version", "1.1.0", "--make-current=false", "--json"];
    assert_eq!(json_of(&daemon, &install).await?["current"], json!(false));
    let gone = output(&daemon, &["agents", "uninstall", "acme", "--version", "1.0.0"]).await?;
    assert_eq!(gone, "removed acme 1.0.0\n");
    let gone = output(&daemon, &["agents", "uninstall", "acme", "--version", "1.0.0"]).await?;
    assert_eq!(gone, "acme: nothing to remove\n");
    let gone = json_of(&daemon, &["agents", "uninstall", "acme", "--json"]).await?;
    assert_eq!(gone, json!({"agent": "acme", "removed": ["1.1.0"]}));
    Ok(())
}

#[tokio::test]
async fn modes_and_models_are_tables() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let table = output(&daemon, &["agents", "modes", "demo"]).await?;
    let modes = rows(&table);
    assert_eq!(modes[0], ["ID", "NAME", "CURRENT", "DESCRIPTION"]);
    assert_eq!(
        (modes[1][0], modes[1][2], modes[2][0], modes[2][2]),
        ("build", "yes", "plan", "-"),
        "{table}"
    );
    assert!(modes.contains(&vec!["AGENT MODE", "PERMISSION MODE", "NATIVE", "EFFECT", "BY"]), "{table}");
    assert!(modes.contains(&vec!["build", "default", "ask", "asks", "agent"]), "{table}");
    assert!(modes.contains(&vec!["ask", "plan", "-", "refused", "-"]), "{table}");
    let missing = api(&daemon, &["agents", "models", "claude"]).await?;
    assert!(
        missing.stderr.contains("note: the list may be incomplete: 'claude' is not installed"),
        "{missing}"
    );
    let table = output(&daemon, &["agents", "models", "demo", "--no-cache"]).await?;
    let models = rows(&table);
    assert_eq!(models[0], ["KIND", "ID", "NAME", "CURRENT", "DESCRIPTION"]);
    let row = |id: &str| models.iter().find(|row| row[1] == id).unwrap_or_else(|| panic!("{id} in {table}"));
    assert_eq!((row("demo-medium")[0], row("demo-medium")[3]), ("model", "yes"));
    assert_eq!((row("high")[0], row("high")[3]), ("variant", "-"));
    let served = daemon.http().get("/v1/agents/demo/models").send().await?.json()?;
    assert_eq!(json_of(&daemon, &["agents", "models", "demo", "--json"]).await?, served);
    let served = daemon.http().get("/v1/agents/demo/modes").send().await?.json()?;
    assert_eq!(json_of(&daemon, &["agents", "modes", "demo", "--json"]).await?, served);
    Ok(())
}

#[tokio::test]
async fn a_message_can_name_the_version() -> Result<()> {
    let scene = Scene::new().await?;
    for version in ["1.0.0", "2.0.0"] {
        scene.publish(version)?;
    }
    let daemon = scene.daemon().start().await?;
    let message = request(1, "echo", "7");
    let post = ["acp", "post", "one", "--agent", "acme", "--agent-version", "1.0.0", "--json", &message];
    assert_eq!(output(&daemon, &post).await?, sa_e2e::response(1, "7") + "\n");
    assert_eq!(scene.started(), ["1.0.0"]);
    complaint(&daemon, &["acp", "post", "one", "--agent-version", "1.0.0", "--json", &message], 64).await?;
    Ok(())
}
