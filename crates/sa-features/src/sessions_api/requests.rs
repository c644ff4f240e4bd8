//! Requests of a body, as requests for universal sessions.

use super::Inner;
use anyhow::{Context, Result, bail};
use sa_api::sessions::SessionChoices;
use sa_testkit::Reply;
use sa_universal::testing::{parts_of, to_opened};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Agents take their time to start.
const START: Duration = Duration::from_secs(60);

impl Inner {
    /// Opens a session: its result, or an error, and the newest event that led to it.
    pub(super) async fn open_session(&self, method: &str, params: &Value) -> Result<(Value, u64)> {
        let id = self.next_session();
        let (path, body) = if method == "session/fork" {
            let parent = params["sessionId"].as_str().context("a session")?;
            (format!("/v1/sessions/{parent}/fork"), json!({ "sessionId": id }))
        } else {
            let mut body = self.agent.clone();
            body["cwd"] = params["cwd"].clone();
            body["mcp"] = servers(&params["mcpServers"]);
            (format!("/v1/sessions/{id}"), body)
        };
        let reply = self.http.post(&path).json(body.to_string()).within(START).send().await?;
        if reply.status != 201 {
            return Ok((refusal(&reply), 0));
        }
        let created = reply.json()?;
        if created["healthy"] != true {
            return Ok((unhealthy(&created["error"]), 0));
        }
        let mut opened = opened(&created)?;
        opened["sessionId"] = json!(id);
        let settled = created["lastEventId"].as_u64().unwrap_or_default();
        Ok((json!({ "result": opened }), settled))
    }

    pub(super) async fn prompt(&self, message: &Value) -> Result<()> {
        let blocks = message["params"]["prompt"].as_array().context("a prompt")?;
        let path = format!("/v1/sessions/{}/messages", session_of(&message["params"])?);
        let body = json!({ "parts": parts_of(blocks) });
        let reply = self.http.post(&path).json(body.to_string()).send().await?;
        if reply.status != 202 {
            self.respond(&message["id"], &refusal(&reply));
            return Ok(());
        }
        let turn = reply.json()?["turnId"].as_str().context("a turn")?.to_owned();
        let ended = {
            let mut state = self.state();
            let ended = state.ended.remove(&turn);
            if ended.is_none() {
                state.prompts.insert(turn, message["id"].clone());
            }
            ended
        };
        if let Some(outcome) = ended {
            self.respond(&message["id"], &outcome);
        }
        Ok(())
    }

    /// Anything else that is about a session.
    pub(super) async fn request(&self, method: &str, params: &Value) -> Result<Value> {
        let session = format!("/v1/sessions/{}", session_of(params)?);
        match method {
            "session/cancel" => {
                self.http.post(&format!("{session}/cancel")).send().await?.expect_status(200)?;
                Ok(json!({}))
            }
            "session/set_mode" => {
                let mode = params["modeId"].as_str().context("a mode")?;
                let reply = self.patch(&session, &self.mode_change(mode)).await?;
                Ok(if reply.status == 200 { json!({ "result": {} }) } else { refusal(&reply) })
            }
            "session/set_config_option" => {
                let value = params["value"].as_str().context("a value")?;
                let category = self.category(&session, &params["configId"]).await?;
                let change = match category.as_str() {
                    "mode" => self.mode_change(value),
                    "model" => json!({ "model": value }),
                    "thought_level" => json!({ "variant": value }),
                    other => bail!("universal sessions have no option of the category {other:?}"),
                };
                let reply = self.patch(&session, &change).await?;
                if reply.status != 200 {
                    return Ok(refusal(&reply));
                }
                let options = opened(&reply.json()?)?["configOptions"].clone();
                Ok(json!({ "result": { "configOptions": options } }))
            }
            "session/close" => {
                self.http.post(&format!("{session}/terminate")).send().await?.expect_status(200)?;
                Ok(json!({ "result": {} }))
            }
            other => bail!("universal sessions have nothing like {other}"),
        }
    }

    /// Returns a mode of the agent's as universal sessions call it, if they have a word for it.
    fn mode_change(&self, mode: &str) -> Value {
        let modes = &self.subject.modes;
        match mode {
            mode if mode == modes.ask => json!({ "agentMode": "build", "permissionMode": "default" }),
            mode if mode == modes.plan => json!({ "agentMode": "build", "permissionMode": "plan" }),
            mode if mode == modes.bypass => json!({ "agentMode": "build", "permissionMode": "bypass" }),
            own => json!({ "agentMode": own, "permissionMode": "default" }),
        }
    }

    async fn patch(&self, session: &str, change: &Value) -> Result<Reply> {
        let reply = self.http.request("PATCH".parse()?, session).json(change.to_string()).send().await?;
        if reply.status == 200 {
            let described = reply.json()?;
            let newest = described["lastEventId"].as_u64().context("an event")?;
            self.catch_up(described["sessionId"].as_str().context("a session")?, newest).await?;
        }
        Ok(reply)
    }

    async fn category(&self, session: &str, option: &Value) -> Result<String> {
        let described = self.http.get(session).send().await?.expect_status(200)?.json()?;
        let options = opened(&described)?["configOptions"].as_array().cloned().unwrap_or_default();
        let option = options.iter().find(|known| known["id"] == *option).context("the option")?;
        Ok(option["category"].as_str().unwrap_or_default().to_owned())
    }
}

fn session_of(params: &Value) -> Result<&str> {
    params["sessionId"].as_str().context("a session")
}

/// Returns what `session/new` would have returned for a session.
fn opened(session: &Value) -> Result<Value> {
    let choices: SessionChoices = serde_json::from_value(session["choices"].clone())?;
    Ok(to_opened(&choices))
}

/// Returns a refusal of the daemon's as an error of ACP's.
pub(super) fn refusal(reply: &Reply) -> Value {
    let problem = reply.json().unwrap_or_default();
    let code = match reply.status {
        400 | 422 => -32602,
        404 | 409 => -32002,
        _ => -32603,
    };
    json!({ "error": { "code": code, "message": problem["detail"], "data": problem } })
}

fn unhealthy(error: &Value) -> Value {
    let (kind, why) = error.as_object().and_then(|error| error.iter().next()).unzip();
    let code = if kind.is_some_and(|kind| kind == "tokenError") { -32000 } else { -32603 };
    let message = why.map(|why| why["message"].clone()).unwrap_or_default();
    json!({ "error": { "code": code, "message": message, "data": error } })
}

/// MCP servers as the configuration of sessions has them.
fn servers(list: &Value) -> Value {
    let pairs = |list: &Value| {
        let pairs = list.as_array().into_iter().flatten();
        let pair = |pair: &Value| Some((pair["name"].as_str()?.to_owned(), pair["value"].clone()));
        Value::Object(pairs.filter_map(pair).collect::<Map<_, _>>())
    };
    let servers = list.as_array().into_iter().flatten().filter_map(|server| {
        let config = match server["type"].as_str() {
            Some(transport) => json!({
                "type": "remote", "url": server["url"], "transport": transport, "headers": pairs(&server["headers"]),
            }),
            None => json!({
                "type": "local", "command": server["command"], "args": server["args"], "env": pairs(&server["env"]),
            }),
        };
        Some((server["name"].as_str()?.to_owned(), config))
    });
    Value::Object(servers.collect())
}
