//! Names in the document are those on the wire.

use crate::document::Document;
use anyhow::{Context, Result};
use sa_testkit::{DEADLINE, Daemon};
use serde_json::{Value, json};

/// The one member that is spelled so on the wire, too.
const WITH_UNDERSCORE: [&str; 2] = [
    "/components/schemas/InstallDoneEvent/already_installed",
    "/components/schemas/InstalledAgent/already_installed",
];

/// The places of all properties below that place.
fn properties(place: &str, part: &Value, found: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            if let Some(Value::Object(named)) = members.get("properties") {
                found.extend(named.keys().map(|name| format!("{place}/{name}")));
            }
            for (name, member) in members {
                properties(&format!("{place}/{name}"), member, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| properties(place, item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn members_are_in_camel_case() -> Result<()> {
    let daemon = Daemon::start().await?;
    let document = Document::of(&daemon).await?;
    let mut found = Vec::new();
    properties("", &document.json, &mut found);
    assert!(found.len() > 300, "{}", found.len());
    found.retain(|place| place.rsplit('/').next().is_some_and(|name| name.contains('_')));
    assert_eq!(found, WITH_UNDERSCORE);
    Ok(())
}

#[tokio::test]
async fn an_optional_body_is_not_null() -> Result<()> {
    let daemon = Daemon::start().await?;
    let document = Document::of(&daemon).await?;
    let optional =
        [("/v1/sessions/{sessionId}/fork", "ForkSession"), ("/v1/agents/{agent}/install", "InstallAgent")];
    for (path, schema) in optional {
        let body = &document.json["paths"][path]["post"]["requestBody"];
        let reference = format!("#/components/schemas/{schema}");
        assert_eq!(body["content"]["application/json"]["schema"], json!({ "$ref": reference }), "{path}");
        assert_ne!(body["required"], json!(true), "{path}");
        let path = path.replace("{sessionId}", "s").replace("{agent}", "claude");
        let problem = daemon.http().post(&path).json("null").send().await?;
        let detail = problem.expect_problem(400, "invalid_request")?.detail;
        assert_eq!(detail, "the body must be a JSON object", "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn defaults_are_values_of_their_type() -> Result<()> {
    let daemon = Daemon::start().await?;
    let document = Document::of(&daemon).await?;
    let schemas = document.json["components"]["schemas"].as_object().context("schemas")?;
    let mut defaults = 0;
    for (name, schema) in schemas {
        for (member, described) in schema["properties"].as_object().into_iter().flatten() {
            let Some(default) = described.get("default") else { continue };
            let mut root = described.clone();
            root["components"] = document.json["components"].clone();
            assert!(jsonschema::is_valid(&root, default), "{name}.{member}: {default}");
            defaults += 1;
        }
    }
    assert!(defaults > 0);
    Ok(())
}

#[tokio::test]
async fn what_a_terminal_says_is_in_the_contract() -> Result<()> {
    let daemon = Daemon::start().await?;
    let mut document = Document::of(&daemon).await?;
    let body = json!({"command": "sh", "args": ["-c", "read line; exit 3"], "tty": true});
    let process = daemon.http().post("/v1/processes").json(body.to_string()).send().await?;
    let process = process.expect_status(201)?.json()?;
    document.check("ProcessInfo", &process)?;
    let path = format!("/v1/processes/{}/terminal/ws", process["id"].as_str().context("an id")?);
    let mut socket = daemon.http().ws(&path).connect().await?;
    for frame in [json!({"type": "resize", "cols": 0, "rows": 0}), json!({"type": "input", "data": "\n"})] {
        document.check("TerminalClientFrame", &frame)?;
        socket.send(&frame.to_string()).await?;
    }
    let mut said = Vec::new();
    while let Some(frame) = socket.frame_within(DEADLINE).await? {
        if frame.is_text() {
            let frame: Value = serde_json::from_str(frame.to_text()?)?;
            document.check("TerminalServerFrame", &frame)?;
            said.push(frame["type"].as_str().context("a type")?.to_owned());
        }
    }
    assert_eq!(said, ["ready", "error", "exit"]);
    Ok(())
}
