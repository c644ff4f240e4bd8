//! A credential of the session's own: the agent uses it and no other, and it is written down nowhere.

use super::provider::RefusingProvider;
use super::scene::Scene;
use crate::script::say;
use crate::subject::Subject;
use anyhow::{Context, Result, bail, ensure};
use axum::http::Method;
use sa_model::Request;
use sa_testkit::{DaemonBuilder, Sandbox};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const FIRST: &str = "sk-ant-first-session";
const SECOND: &str = "sk-ant-second-session";
const RENEWED: &str = "sk-ant-renewed-session";

/// The machine's token, which the agent would use otherwise.
const RIVAL: &str = "sk-ant-rival";

/// Headers in which agents say who they are.
const CREDENTIALS: [&str; 2] = ["authorization", "x-api-key"];

pub(super) async fn arrives(subject: &'static Subject) -> Result<()> {
    beats_rivals(subject).await?;
    if subject.agent == "codex" {
        reaches_own_provider(subject).await?;
    }
    Ok(())
}

/// A provider of the user's own, which takes its key from a variable that the daemon has set.
async fn reaches_own_provider(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set_with(subject, |builder, sandbox, model| {
        let folder = sandbox.home().join(".codex");
        fs::create_dir_all(&folder)?;
        let provider = format!(
            "model_provider = \"mine\"\n[model_providers.mine]\nname = \"mine\"\nbase_url = \"{}/v1\"\n\
             env_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n",
            model.url()
        );
        fs::write(folder.join("config.toml"), provider)?;
        Ok(builder.env("OPENAI_API_KEY", RIVAL))
    })
    .await?;
    scene.make("own", json!({ "token": FIRST })).await?;
    scene.turn("own", &say("I have a provider.")).await?;
    used(&scene, "I have a provider.", FIRST)?;
    let sent = scene.model.requests();
    ensure!(!sent.iter().any(|request| carries(request, RIVAL)), "nothing is sent with the rival's key");
    Ok(())
}

async fn beats_rivals(subject: &'static Subject) -> Result<()> {
    let mut scene =
        Scene::set_with(subject, |builder, sandbox, _| with_rivals(subject, builder, sandbox)).await?;
    refused(&scene).await?;
    // One after the other: in a new home, Codex does not start twice at once.
    let more = json!({ "token": FIRST, "validateToken": true, "env": base_url(&scene)? });
    scene.make("first", more).await?;
    scene.make("second", json!({ "token": SECOND })).await?;
    // Codex looks for models, too, and says there on whose behalf.
    let by_daemon =
        |request: &Request| request.path.contains("/models") && !request.headers.contains_key("originator");
    let asked: Vec<Request> = scene.model.requests().into_iter().filter(by_daemon).collect();
    let once = asked.len() == 1 && asked.iter().all(|request| carries(request, FIRST));
    ensure!(once, "the provider is asked whether it accepts the one token: {asked:?}");
    let (one, two) = (say("I am the first."), say("I am the second."));
    tokio::try_join!(scene.turn("first", &one), scene.turn("second", &two))?;
    used(&scene, "I am the first.", FIRST)?;
    used(&scene, "I am the second.", SECOND)?;
    let change = json!({ "token": RENEWED }).to_string();
    scene
        .http()
        .request(Method::PATCH, "/v1/sessions/second")
        .json(change)
        .send()
        .await?
        .expect_status(200)?;
    scene.turn("second", &say("I have another one.")).await?;
    used(&scene, "I have another one.", RENEWED)?;
    for request in scene.model.requests() {
        let known = [FIRST, SECOND, RENEWED].into_iter().any(|token| carries(&request, token));
        ensure!(request.auth.is_none() || known, "a credential of somebody else: {:?}", request.headers);
    }
    kept_secret(&mut scene).await
}

/// A token that the provider does not accept is refused, and there is no session.
async fn refused(scene: &Scene) -> Result<()> {
    let provider = RefusingProvider::start().await?;
    let env = json!({ base_variable(scene.subject)?: provider.url() });
    let body = json!({ "token": FIRST, "validateToken": true, "env": env });
    let problem = scene.ask_for("refused", &body).await?.expect_problem(422, "credentials_refused")?;
    ensure!(problem.detail.contains("does not accept the token"), "{problem:?}");
    ensure!(!problem.document.to_string().contains(FIRST), "{problem:?}");
    scene.http().get("/v1/sessions/refused").send().await?.expect_problem(404, "not_found")?;
    Ok(())
}

/// Returns the variable by which the agent's provider is looked for elsewhere.
fn base_variable(subject: &Subject) -> Result<&'static str> {
    Ok(match subject.agent {
        "claude" | "opencode" => "ANTHROPIC_BASE_URL",
        "codex" => "OPENAI_BASE_URL",
        other => bail!("where does {other} look for its provider?"),
    })
}

/// Returns the provider's address, for agents that have it in their settings.
fn base_url(scene: &Scene) -> Result<Value> {
    let known = scene.subject.agent != "opencode";
    Ok(if known { json!({}) } else { json!({ base_variable(scene.subject)?: scene.model.url() }) })
}

/// Other credentials, in all places that the agent looks at before, or after, the variable in which it is given one.
fn with_rivals(subject: &Subject, builder: DaemonBuilder, sandbox: &Sandbox) -> Result<DaemonBuilder> {
    let stored = |path: &Path, content: Value| {
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(path, content.to_string()).context("storing a rival")
    };
    Ok(match subject.agent {
        "claude" => {
            let settings = json!({
                "env": {
                    "ANTHROPIC_API_KEY": RIVAL,
                    "ANTHROPIC_AUTH_TOKEN": RIVAL,
                    "CLAUDE_CODE_OAUTH_TOKEN": RIVAL,
                    "CLAUDE_CODE_USE_BEDROCK": "1",
                },
                "apiKeyHelper": format!("echo {RIVAL}"),
            });
            stored(&sandbox.home().join(".claude/settings.json"), settings)?;
            builder.env("ANTHROPIC_AUTH_TOKEN", RIVAL).env("CLAUDE_CODE_OAUTH_TOKEN", RIVAL)
        }
        "codex" => {
            let login = json!({ "auth_mode": "apikey", "OPENAI_API_KEY": RIVAL });
            stored(&sandbox.home().join(".codex/auth.json"), login)?;
            builder.env("OPENAI_API_KEY", RIVAL)
        }
        "opencode" => {
            let login = json!({ "anthropic": { "type": "api", "key": RIVAL } });
            stored(&sandbox.data_home().join("opencode/auth.json"), login)?;
            builder
        }
        other => bail!("what else would {other} use?"),
    })
}

/// Returns whether this is the request's one credential.
fn carries(request: &Request, token: &str) -> bool {
    let shown = CREDENTIALS.iter().filter_map(|name| request.headers.get(*name));
    let values: Vec<&str> = shown.map(|value| value.strip_prefix("Bearer ").unwrap_or(value)).collect();
    !values.is_empty() && values.iter().all(|value| *value == token)
}

/// Checks that a turn used this token.
fn used(scene: &Scene, words: &str, token: &str) -> Result<()> {
    let told = scene.told(words);
    ensure!(!told.is_empty(), "the model heard {words:?}");
    for request in told {
        ensure!(carries(&request, token), "{words:?} came with {:?}", request.headers);
    }
    Ok(())
}

/// Checks that no output and no file of the daemon has a token in it.
async fn kept_secret(scene: &mut Scene) -> Result<()> {
    let mut told = Vec::new();
    for path in
        ["", "/first", "/second", "/first/events", "/second/events", "/first/export", "/second/export"]
    {
        let reply = scene.http().get(&format!("/v1/sessions{path}")).send().await?.expect_status(200)?;
        told.push((path.to_owned(), reply.body.to_vec()));
    }
    let sandbox = scene.daemon.sandbox();
    let (url, token) = (scene.daemon.base_url(), scene.daemon.token().context("a token")?.to_owned());
    let exported =
        sandbox.run(["sessions", "export", "first", "--endpoint", &url, "--token", &token]).await?;
    ensure!(exported.status.success() && exported.stdout.contains("I am the first."), "{exported}");
    told.push(("the command's export".to_owned(), format!("{exported}").into_bytes()));
    scene.daemon.stop().await?;
    let said = format!("{}{}", scene.daemon.stdout(), scene.daemon.stderr());
    told.push(("the daemon's output".to_owned(), said.into_bytes()));
    let data = sandbox.data_home().join("sandbox-agent");
    files(&data, &mut told)?;
    files(&scene.project, &mut told)?;
    ensure!(told.iter().any(|(name, _)| name.ends_with("sessions.db")), "the store was looked at");
    for (name, bytes) in told {
        let text = String::from_utf8_lossy(&bytes);
        for token in [FIRST, SECOND, RENEWED] {
            ensure!(!text.contains(token), "{token} stands in {name}");
        }
    }
    Ok(())
}

/// All files beneath a folder; links are not followed.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files(&entry.path(), found)?;
        } else if kind.is_file() {
            found.push((entry.path().display().to_string(), fs::read(entry.path())?));
        }
    }
    Ok(())
}
