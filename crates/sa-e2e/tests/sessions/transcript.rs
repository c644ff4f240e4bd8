//! The transcript: whole messages, and with the stream after it everything.

use crate::api::{Api, kinds, of_kind};
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Signal};
use serde_json::{Value, json};

async fn page(api: &Api, query: &str) -> Result<Value> {
    api.get(&format!("/s/messages{query}")).await?.expect_status(200)?.json()
}

async fn whole(api: &Api, id: &str) -> Result<Vec<Value>> {
    let page = api.get(&format!("/{id}/messages?limit=1000")).await?.expect_status(200)?.json()?;
    assert_eq!(page["hasMore"], false);
    Ok(page["messages"].as_array().context("messages")?.clone())
}

/// Returns the first text of each message, with its state unless that is `complete`.
fn told(messages: &[Value]) -> Vec<String> {
    let told = messages.iter().map(|message| {
        let part = &message["parts"][0];
        let text = part["text"].as_str().or(part["title"].as_str()).unwrap_or_default();
        let text: String = text.chars().take(12).collect();
        match message["state"].as_str() {
            Some("complete") => text,
            state => format!("{text} ({})", state.unwrap_or_default()),
        }
    });
    told.collect()
}

/// A client that has read a transcript and applies the stream after it.
struct Client {
    messages: Vec<Value>,
}

impl Client {
    fn apply(&mut self, event: &Value) {
        let (id, data) = (event["id"].as_u64(), &event["data"]);
        let known = |message: &Value, key: &Value| message["id"] == *key;
        if let Some(message) = data.get("message") {
            let mut news = message.clone();
            news["eventId"] = event["id"].clone();
            match self.messages.iter_mut().find(|other| known(other, &message["id"])) {
                Some(before) if before["eventId"].as_u64() >= id => {}
                Some(before) => {
                    (before["parts"], before["eventId"]) = (news["parts"].clone(), news["eventId"].clone());
                }
                None => self.messages.push(news),
            }
        } else if let Some(delta) = data.get("messageDelta") {
            let index = self.messages.iter().position(|other| known(other, &delta["messageId"]));
            let index = index.unwrap_or_else(|| {
                self.messages.push(json!({"id": delta["messageId"], "eventId": 0, "parts": []}));
                self.messages.len() - 1
            });
            let message = &mut self.messages[index];
            if message["eventId"].as_u64() >= id {
                return;
            }
            let parts = message["parts"].as_array_mut().unwrap();
            match parts.last_mut().filter(|part| part["type"] == delta["kind"]) {
                Some(part) => {
                    part["text"] =
                        format!("{}{}", part["text"].as_str().unwrap(), delta["text"].as_str().unwrap())
                            .into();
                }
                None => parts.push(json!({"type": delta["kind"], "text": delta["text"]})),
            }
        } else if let Some(started) = data.get("turnStarted")
            && let Some(index) =
                self.messages.iter().position(|message| known(message, &started["messageId"]))
            && self.messages[index]["eventId"].as_u64() <= id
        {
            let message = self.messages.remove(index);
            self.messages.push(message);
        }
    }

    fn said(&self) -> Vec<Value> {
        self.messages.iter().map(|message| json!([message["id"], message["parts"]])).collect()
    }
}

#[tokio::test]
async fn a_transcript_and_the_stream_after_it_are_everything() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"permissionMode": "bypass"})).await?;
    api.turn("s", "say one\nedit a.txt\nsay two").await?;
    let accepted = api
        .send("s", "think hard\nstream 60 30 every 3\nsay next\nstream 60 every 3\nedit b.txt\nsay end")
        .await?;
    // Snapshots at any moment of the turn, most of them in the middle of a message.
    let (mut clients, mut streaming) = (Vec::new(), 0);
    while !kinds(&api.events("s").await?).ends_with(&["turnEnded".to_owned()]) {
        let page = page(&api, "").await?;
        let messages = page["messages"].as_array().unwrap().clone();
        streaming += usize::from(messages.iter().any(|message| message["state"] == "streaming"));
        clients.push((page["eventsAfter"].as_u64().unwrap(), Client { messages }));
    }
    assert!(
        streaming > 3,
        "{streaming} of {} snapshots are of messages that are being written",
        clients.len()
    );
    let last = api.turn_of("s", &accepted).await?.last().unwrap()["id"].as_u64().unwrap();
    let expected = Client { messages: whole(&api, "s").await? };
    let all = api.events("s").await?;
    for (after, mut client) in clients {
        assert!(after <= last);
        all.iter().filter(|event| event["id"].as_u64() > Some(after)).for_each(|event| client.apply(event));
        assert_eq!(client.said(), expected.said(), "after {after}");
    }
    for message in &expected.messages {
        assert_eq!(message["turnId"], message["metadata"]["turnId"]);
        let state = &all[usize::try_from(message["eventId"].as_u64().unwrap())? - 1];
        assert_eq!(
            (&state["timestamp"], &state["data"]["message"]["parts"]),
            (&message["timestamp"], &message["parts"])
        );
    }
    Ok(())
}

#[tokio::test]
async fn messages_that_wait_stand_at_the_end_until_their_turn() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.send("s", "say first\nhang").await?;
    sa_e2e::poll("the first words", async || Ok((whole(&api, "s").await?.len() == 2).then_some(()))).await?;
    for text in ["say b", "say c"] {
        api.send("s", text).await?;
    }
    // The agent has not come to the end of its message: the pieces are on the stream.
    let waiting = ["say first\nha", " (streaming)", "say b (queued)", "say c (queued)"];
    assert_eq!(told(&whole(&api, "s").await?), waiting);
    let newest = page(&api, "?order=desc&limit=2").await?;
    assert_eq!(told(newest["messages"].as_array().unwrap()), ["say c (queued)", "say b (queued)"]);
    let older = page(&api, &format!("?order=desc&after={}", newest["next"])).await?;
    assert_eq!(
        (told(older["messages"].as_array().unwrap())[0].as_str(), &older["hasMore"]),
        (" (streaming)", &json!(false))
    );

    // A message that interrupts the turn comes before those that waited.
    let body = json!({"message": "say now", "delivery": "interrupt"});
    let accepted = api.post("/s/messages", &body).await?.expect_status(202)?.json()?;
    api.turn_of("s", &accepted).await?;
    api.when("s", "the end of all", |session| session["state"] == "idle" && session["queued"] == 0).await?;
    let order = ["say first\nha", "first", "say now", "now", "say b", "b", "say c", "c"];
    assert_eq!(told(&whole(&api, "s").await?), order);

    api.send("s", "hang").await?;
    api.when("s", "a turn", |session| session["state"] == "running").await?;
    api.send("s", "say never").await?;
    api.act("/s/cancel").await?.expect_status(200)?;
    api.when("s", "the end", |session| session["state"] == "idle").await?;
    let messages = whole(&api, "s").await?;
    assert!(told(&messages).contains(&"say never (withdrawn)".to_owned()), "{:?}", told(&messages));
    Ok(())
}

#[tokio::test]
async fn pages_are_bounded_and_odd_queries_are_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    assert_eq!(page(&api, "").await?["messages"], json!([]));
    for number in 0..4 {
        api.turn("s", &format!("say {number}")).await?;
    }
    let all = whole(&api, "s").await?;
    assert_eq!(all.len(), 8);
    for order in ["asc", "desc"] {
        let (mut query, mut found) = (format!("?order={order}&limit=3"), Vec::new());
        loop {
            let page = page(&api, &query).await?;
            found.extend(page["messages"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next"].as_u64() else { break };
            query = format!("?order={order}&limit=3&after={next}");
        }
        if order == "desc" {
            found.reverse();
        }
        assert_eq!(found, all, "{order}");
    }
    for query in ["limit=0", "limit=x", "after=x", "after=-1", "order=up"] {
        api.get(&format!("/s/messages?{query}")).await?.expect_problem(400, "invalid_request")?;
    }
    api.get("/nobody/messages").await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn a_transcript_survives_and_moves() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"permissionMode": "bypass"})).await?;
    api.turn("s", "say kept\nedit a.txt").await?;
    let before = whole(&api, "s").await?;
    let export = api.get("/s/export").await?.expect_status(200)?.text();
    // Exports of earlier versions have no types.
    let untyped: Vec<String> = export
        .lines()
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            value.as_object_mut().unwrap().remove("type");
            value.to_string()
        })
        .collect();
    for (id, lines) in [("typed", export), ("untyped", untyped.join("\n"))] {
        let request = daemon.http().post(&format!("/v1/sessions/import?sessionId={id}"));
        let reply = request.header("content-type", "application/x-ndjson").body(lines).send().await?;
        assert!([200, 201].contains(&reply.status), "{reply:?}");
        assert_eq!(whole(&api, id).await?, before, "{id}");
        assert!(api.events(id).await?.iter().all(|event| event["type"].is_string()));
    }
    let fork = api.post("/s/fork", &json!({"sessionId": "copy"})).await?;
    assert!([200, 201].contains(&fork.status), "{fork:?}");
    assert_eq!(whole(&api, "copy").await?, before);

    api.send("s", "say cut\nstream 500 20 every 5").await?;
    api.event("s", "turnStarted").await?;
    sa_e2e::poll("pieces", async || {
        Ok(whole(&api, "s").await?.iter().any(|message| message["state"] == "streaming").then_some(()))
    })
    .await?;
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    drop(daemon);
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    sa_e2e::poll("the end of the turn", async || {
        Ok((of_kind(&api.events("s").await?, "turnEnded").len() == 2).then_some(()))
    })
    .await?;
    let after = page(&api, "?limit=1000").await?;
    let messages = after["messages"].as_array().unwrap();
    assert_eq!(messages[..before.len()], before);
    assert!(messages.iter().all(|message| message["state"] == "complete"), "{:?}", told(messages));
    assert_eq!(after["eventsAfter"], api.session("s").await?["lastEventId"]);
    Ok(())
}

#[tokio::test]
async fn the_text_that_leads_to_a_question_is_whole_before_it() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for (script, kind, list) in [
        ("say Two problems.\nquestion", "questionAsked", "questions"),
        ("say Two problems.\nthink so\npermission Do it", "permissionAsked", "permissions"),
    ] {
        api.create(kind).await?;
        api.send(kind, script).await?;
        api.asked(kind, list).await?;
        let events = api.events(kind).await?;
        let asked = kinds(&events).iter().position(|found| found == kind).unwrap();
        let mut unfinished = std::collections::BTreeSet::new();
        for event in &events[..asked] {
            if let Some(delta) = event["data"].get("messageDelta") {
                unfinished.insert(delta["messageId"].to_string());
            }
            unfinished.remove(&event["data"]["message"]["id"].to_string());
        }
        assert_eq!(unfinished.len(), 0, "{unfinished:?}");
        let messages = whole(&api, kind).await?;
        assert!(messages.iter().all(|message| message["state"] == "complete"), "{:?}", told(&messages));
    }
    Ok(())
}
