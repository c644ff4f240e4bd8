//! Events and sessions as they come over the wire, held against the document.

use crate::document::Document;
use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../../../docs/universal-events.md");

/// All that the demo agent can do, one command for each kind of event, of part and of content.
const EVERYTHING: &str = "\
think They want to see everything.
say Hello
stream 3
plan
image send
image send audio
image send link
image send resource
title Everything
usage
notice warning Take care
compact
commands
read a.txt
edit b.txt
run ls
tool fetch Look
tool switch_mode Turn
fail deploy
permission Send it
question form
question url
ext session/update {\"sessionId\":\"$SESSION\",\"update\":{\"sessionUpdate\":\"hologram_update\",\"x\":1}}
ext session/update {\"sessionId\":\"$SESSION\",\"update\":{\"sessionUpdate\":\"tool_call\",\"title\":\"?\"}}
model demo-large
stop max_tokens";

/// One session of the demo agent.
struct Scene {
    daemon: Daemon,
    document: Document,
}

impl Scene {
    async fn start() -> Result<Self> {
        let daemon = Daemon::start().await?;
        let document = Document::of(&daemon).await?;
        let mut scene = Self { daemon, document };
        scene.post("/s", json!({"agent": "demo"}), "Session").await?;
        Ok(scene)
    }

    /// Posts something; its answer must be of that schema.
    async fn post(&mut self, path: &str, body: Value, schema: &str) -> Result<Value> {
        let request = self.daemon.http().post(&format!("/v1/sessions{path}"));
        let answer = request.json(body.to_string()).send().await?.json()?;
        self.document.check(schema, &answer).with_context(|| path.to_owned())?;
        Ok(answer)
    }

    async fn get(&mut self, path: &str, schema: &str) -> Result<Value> {
        let answer = self.daemon.http().get(&format!("/v1/sessions{path}")).send().await?.json()?;
        self.document.check(schema, &answer).with_context(|| path.to_owned())?;
        Ok(answer)
    }

    /// Sends a message and sees to its turn until that is over.
    async fn turn(&mut self, message: &str) -> Result<()> {
        let accepted = self.post("/s/messages", json!({"message": message}), "MessageAccepted").await?;
        sa_e2e::poll("the turn's end", async || {
            let session = self.get("/s", "Session").await?;
            self.answer(&session).await?;
            let ended = |event: &Value| event["data"]["turnEnded"]["turnId"] == accepted["turnId"];
            Ok(self.events().await?.iter().any(ended).then_some(()))
        })
        .await
    }

    /// Decides whatever is open, if nobody has meanwhile.
    async fn answer(&self, session: &Value) -> Result<()> {
        for permission in session["permissions"].as_array().context("permissions")? {
            let path = format!("/v1/sessions/s/permissions/{}/reply", permission["id"].as_str().unwrap());
            self.daemon.http().post(&path).json(r#"{"reply":"once"}"#).send().await?;
        }
        for request in session["questions"].as_array().context("questions")? {
            let first = |question: &Value| match &question["options"][0]["label"] {
                Value::String(label) => vec![label.clone()],
                _ => Vec::new(),
            };
            let answers: Vec<_> = request["questions"].as_array().unwrap().iter().map(first).collect();
            let path = format!("/v1/sessions/s/questions/{}/reply", request["id"].as_str().unwrap());
            self.daemon.http().post(&path).json(json!({"answers": answers}).to_string()).send().await?;
        }
        Ok(())
    }

    async fn events(&mut self) -> Result<Vec<Value>> {
        let page = self.get("/s/events?limit=1000", "EventPage").await?;
        Ok(page["events"].as_array().context("events")?.clone())
    }
}

/// The names of what was seen, by schema.
#[derive(Default)]
struct Seen(BTreeMap<&'static str, BTreeSet<String>>);

impl Seen {
    /// Takes note of all variants in a value, wherever they are in it.
    fn note(&mut self, schema: &'static str, value: &Value) {
        let name = value["type"].as_str().map(str::to_owned);
        self.0.entry(schema).or_default().extend(name);
        let within: &[(&str, &'static str)] = match schema {
            "UniversalEvent" => {
                &[("/data/message/parts", "MessagePart"), ("/data/permissionAsked/parts", "MessagePart")]
            }
            "MessagePart" => &[("/content", "ToolContent"), ("/source", "FileSource")],
            "ToolContent" => &[("/source", "FileSource")],
            _ => &[],
        };
        for (place, schema) in within {
            match value.pointer(place) {
                Some(Value::Array(items)) => items.iter().for_each(|item| self.note(schema, item)),
                Some(item) => self.note(schema, item),
                None => {}
            }
        }
    }
}

#[tokio::test]
async fn every_event_is_as_the_document_says() -> Result<()> {
    let mut scene = Scene::start().await?;
    for message in [EVERYTHING, "error", "crash 2", "say I am back"] {
        scene.turn(message).await?;
    }
    scene.post("/s/fork", json!({"sessionId": "copy"}), "Session").await?;
    scene.post("/s/cancel", json!({}), "CancelResult").await?;
    scene.post("/s/terminate", json!({}), "Session").await?;
    scene.get("", "SessionList").await?;

    let mut seen = Seen::default();
    for event in scene.events().await? {
        scene.document.check("UniversalEvent", &event)?;
        seen.note("UniversalEvent", &event);
    }
    assert_eq!(
        missing(&scene.document, &seen, "UniversalEvent")?,
        ["messageWithdrawn", "queueHeld", "queueReleased", "queueReordered"],
        "what needs messages that wait, and a restart"
    );
    assert_eq!(
        missing(&scene.document, &seen, "MessagePart")?,
        ["error", "functionCall", "functionResult"],
        "what the demo agent does not do"
    );
    // The rest as it is written down.
    for (schema, example) in examples() {
        let (schema, example) = match schema {
            "EventData" => ("UniversalEvent", as_event(example)),
            _ => (schema, example),
        };
        scene.document.check(schema, &example)?;
        if matches!(schema, "UniversalEvent" | "MessagePart" | "ToolContent") {
            seen.note(schema, &example);
        }
    }
    for schema in ["UniversalEvent", "MessagePart", "ToolContent", "FileSource"] {
        assert_eq!(missing(&scene.document, &seen, schema)?, Vec::<String>::new(), "{schema}");
    }
    Ok(())
}

fn as_event(data: Value) -> Value {
    let name = data.as_object().and_then(|data| data.keys().next()).cloned();
    let timestamp = "2026-03-14T20:42:18.250Z";
    json!({"id": 1, "type": name, "timestamp": timestamp, "sessionId": "s", "agent": "demo", "data": data})
}

/// Returns the variants that were not seen.
fn missing(document: &Document, seen: &Seen, schema: &str) -> Result<Vec<String>> {
    let seen = seen.0.get(schema).cloned().unwrap_or_default();
    Ok(document.variants(schema)?.difference(&seen).cloned().collect())
}

/// Returns the examples of the page about events, each with the name of its schema.
fn examples() -> Vec<(&'static str, Value)> {
    let blocks = PAGE.split("```json ").skip(1).map(|block| {
        let (schema, rest) = block.split_once('\n').unwrap();
        let text = rest.split("```").next().unwrap();
        (schema, serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}")))
    });
    blocks.collect()
}
