//! A client of sessions that shows what comes back as it is.

use anyhow::{Context, Result, ensure};
use http::Method;
use sa_testkit::{Daemon, Http, Reply, Sse};
use serde_json::{Value, json};

/// Sessions of one daemon.
pub(crate) struct Api {
    http: Http,
}

impl Api {
    pub(crate) fn of(daemon: &Daemon) -> Self {
        Self { http: daemon.http().clone() }
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Reply> {
        self.http.get(&format!("/v1/sessions{path}")).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Reply> {
        self.http.post(&format!("/v1/sessions{path}")).json(body.to_string()).send().await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Result<Reply> {
        let request = self.http.request(Method::PUT, &format!("/v1/sessions{path}"));
        request.json(body.to_string()).send().await
    }

    /// Returns a POST without a body.
    pub(crate) async fn act(&self, path: &str) -> Result<Reply> {
        self.http.post(&format!("/v1/sessions{path}")).send().await
    }

    pub(crate) async fn patch(&self, id: &str, body: Value) -> Result<Reply> {
        let request = self.http.request(Method::PATCH, &format!("/v1/sessions/{id}"));
        request.json(body.to_string()).send().await
    }

    /// Returns a POST with an `Idempotency-Key`.
    pub(crate) async fn post_once(&self, path: &str, key: &str, body: &Value) -> Result<Reply> {
        let request = self.http.post(&format!("/v1/sessions{path}")).header("idempotency-key", key);
        request.json(body.to_string()).send().await
    }

    pub(crate) async fn delete(&self, id: &str) -> Result<Reply> {
        self.http.delete(&format!("/v1/sessions/{id}")).send().await
    }

    /// Makes a session of the demo agent.
    pub(crate) async fn create(&self, id: &str) -> Result<Value> {
        self.create_with(id, json!({})).await
    }

    /// Creates a session with more fields of the request.
    pub(crate) async fn create_with(&self, id: &str, more: Value) -> Result<Value> {
        let mut body = json!({"agent": "demo"});
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let created = self.post(&format!("/{id}"), &body).await?.expect_status(201)?.json()?;
        ensure!(created["healthy"] == json!(true), "{created}");
        Ok(created)
    }

    pub(crate) async fn session(&self, id: &str) -> Result<Value> {
        self.get(&format!("/{id}")).await?.expect_status(200)?.json()
    }

    /// Waits until there is such a session.
    pub(crate) async fn list_has(&self, id: &str) -> Result<()> {
        sa_e2e::poll("the session", async || {
            Ok((self.get(&format!("/{id}")).await?.status == 200).then_some(()))
        })
        .await
    }

    /// Waits until the session is as it should be.
    pub(crate) async fn when(&self, id: &str, what: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        sa_e2e::poll(what, async || {
            let session = self.session(id).await?;
            Ok(fits(&session).then_some(session))
        })
        .await
    }

    pub(crate) async fn send(&self, id: &str, text: &str) -> Result<Value> {
        let body = json!({"message": text});
        self.post(&format!("/{id}/messages"), &body).await?.expect_status(202)?.json()
    }

    /// Sends text and waits for the end of its turn; the events of it.
    pub(crate) async fn turn(&self, id: &str, text: &str) -> Result<Vec<Value>> {
        let accepted = self.send(id, text).await?;
        self.turn_of(id, &accepted).await
    }

    /// Returns the events of a turn that was accepted, from its message to its end.
    pub(crate) async fn turn_of(&self, id: &str, accepted: &Value) -> Result<Vec<Value>> {
        let mut stream = self.stream(id, accepted["eventId"].as_u64().context("eventId")? - 1).await?;
        let mut events = Vec::new();
        loop {
            let event = stream.event().await?.json()?;
            let over = ["turnEnded", "messageWithdrawn"]
                .iter()
                .any(|end| event["data"][end]["turnId"] == accepted["turnId"]);
            events.push(event);
            if over {
                return Ok(events);
            }
        }
    }

    /// Returns the session's events from there on.
    pub(crate) async fn stream(&self, id: &str, offset: u64) -> Result<Sse> {
        Sse::open(self.http.get(&format!("/v1/sessions/{id}/events/sse?offset={offset}"))).await
    }

    /// Everything that has happened so far.
    pub(crate) async fn events(&self, id: &str) -> Result<Vec<Value>> {
        let (mut events, mut offset) = (Vec::new(), 0);
        loop {
            let path = format!("/{id}/events?offset={offset}&limit=1000");
            let page = self.get(&path).await?.expect_status(200)?.json()?;
            events.extend(page["events"].as_array().context("events")?.iter().cloned());
            if page["hasMore"] == json!(false) {
                return Ok(events);
            }
            offset = events.last().and_then(|event| event["id"].as_u64()).context("an id")?;
        }
    }

    /// Waits until there is an event of that kind; what it says.
    pub(crate) async fn event(&self, id: &str, kind: &str) -> Result<Value> {
        sa_e2e::poll(&format!("an event {kind}"), async || {
            Ok(of_kind(&self.events(id).await?, kind).into_iter().next())
        })
        .await
    }

    /// Waits until a question or permission is open; its description.
    pub(crate) async fn asked(&self, id: &str, list: &str) -> Result<Value> {
        let session = self.when(id, list, |session| !session[list].as_array().unwrap().is_empty()).await?;
        Ok(session[list][0].clone())
    }

    /// Decides on the permission that is open.
    pub(crate) async fn decide(&self, id: &str, body: Value) -> Result<Value> {
        let asked = self.asked(id, "permissions").await?;
        let path = format!("/{id}/permissions/{}/reply", asked["id"].as_str().unwrap());
        self.post(&path, &body).await?.expect_status(204)?;
        Ok(asked)
    }

    /// Answers the question that is open.
    pub(crate) async fn answer(&self, id: &str, answers: Value) -> Result<Value> {
        let asked = self.asked(id, "questions").await?;
        let path = format!("/{id}/questions/{}/reply", asked["id"].as_str().unwrap());
        self.post(&path, &json!({"answers": answers})).await?.expect_status(204)?;
        Ok(asked)
    }
}

/// Returns the data of the events of one kind.
pub(crate) fn of_kind(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().map(|event| event["data"][kind].clone()).filter(|data| !data.is_null()).collect()
}

/// Returns the kinds of events, in order.
pub(crate) fn kinds(events: &[Value]) -> Vec<String> {
    let kind = |event: &Value| event["data"].as_object().and_then(|data| data.keys().next().cloned());
    events.iter().filter_map(kind).collect()
}

/// Everything that the agent has said in whole messages.
pub(crate) fn said(events: &[Value]) -> String {
    let messages = of_kind(events, "message");
    let own = messages.iter().filter(|message| message["role"] == json!("assistant"));
    let parts = own.flat_map(|message| message["parts"].as_array().cloned().unwrap_or_default());
    let texts = parts.filter(|part| part["type"] == json!("text"));
    texts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

/// Returns the reason why the last turn ended.
pub(crate) fn ending(events: &[Value]) -> Value {
    of_kind(events, "turnEnded").last().map(|ended| ended["stopReason"].clone()).unwrap_or_default()
}

/// Checks that no message takes the place of another that was complete before: each id belongs to one turn.
pub(crate) fn assert_ids_are_never_reused(events: &[Value]) {
    let mut turns = std::collections::HashMap::new();
    for message in of_kind(events, "message") {
        let turn = message["metadata"]["turnId"].clone();
        let before = turns.insert(message["id"].to_string(), turn.clone());
        assert!(before.is_none_or(|before| before == turn), "{message:#}");
    }
    let ids: Vec<u64> = events.iter().filter_map(|event| event["id"].as_u64()).collect();
    assert!(ids.windows(2).all(|pair| pair[1] == pair[0] + 1), "{ids:?}");
}
