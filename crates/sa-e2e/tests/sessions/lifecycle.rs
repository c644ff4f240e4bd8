//! Sessions from their creation to their end.

use crate::api::{Api, assert_ids_are_never_reused, kinds, of_kind, said};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn a_session_is_made_and_described() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let body = json!({"agent": "demo", "title": "First", "metadata": {"who": "me"}, "cwd": "/"});
    let created = api.post("/first", &body).await?.expect_status(201)?.json()?;
    assert_eq!(created["healthy"], true, "{created:#}");
    assert!(created.get("error").is_none());
    let session = &created;
    assert_eq!(session, &api.session("first").await?);
    for time in ["createdAt", "updatedAt"] {
        let text = session[time].as_str().unwrap_or_default();
        assert!(text.len() == 24 && text.starts_with("20") && text.ends_with('Z'), "{time}: {text}");
    }
    for (key, value) in [
        ("sessionId", json!("first")),
        ("agent", json!("demo")),
        ("agentMode", json!("build")),
        ("permissionMode", json!("default")),
        ("title", json!("First")),
        ("metadata", json!({"who": "me"})),
        ("cwd", json!("/")),
        ("state", json!("idle")),
        ("queued", json!(0)),
        ("queue", json!([])),
        ("queueHeld", json!(false)),
        ("questions", json!([])),
        ("permissions", json!([])),
        ("oldestEventId", json!(1)),
    ] {
        assert_eq!(session[key], value, "{key}");
    }
    let models: Vec<&str> = session["choices"]["models"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|model| model["id"].as_str())
        .collect();
    assert_eq!(models, ["demo-small", "demo-medium", "demo-large"]);
    assert_eq!(session["choices"]["model"], "demo-medium");
    let events = api.events("first").await?;
    assert_eq!(kinds(&events)[0], "started", "{:?}", kinds(&events));
    assert_eq!(events[0]["id"], 1);
    Ok(())
}

#[tokio::test]
async fn an_ended_session_can_still_be_read() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say something").await?;
    let mut stream = api.stream("s", 0).await?;
    let ended = api.act("/s/terminate").await?.expect_status(200)?.json()?;
    assert_eq!(ended["state"], "ended");
    let mut events = Vec::new();
    while let Some(event) = stream.next_event().await? {
        events.push(event.json()?);
    }
    assert_eq!(kinds(&events).last().unwrap(), "ended", "the stream ends with the session");
    assert_eq!(events, api.events("s").await?);
    assert_eq!(api.act("/s/terminate").await?.expect_status(200)?.json()?, ended, "twice is no mistake");
    for (path, body) in [("/s/messages", json!({"message": "say more"}))] {
        let problem = api.post(path, &body).await?.expect_problem(409, "conflict")?;
        assert_eq!(
            (&problem.document["details"]["what"], &problem.document["sessionId"]),
            (&json!("ended"), &json!("s"))
        );
    }
    let problem = api.patch("s", json!({"title": "x"})).await?.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "ended");
    Ok(())
}

#[tokio::test]
async fn terminating_ends_a_turn_that_runs() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "question single").await?;
    api.asked("s", "questions").await?;
    let waiting = api.send("s", "say never").await?;
    let session = api.act("/s/terminate").await?.expect_status(200)?.json()?;
    assert_eq!((&session["questions"], &session["queued"]), (&json!([]), &json!(0)));
    let events = api.events("s").await?;
    let ended = of_kind(&events, "turnEnded");
    assert_eq!(ended.len(), 1, "{events:#?}");
    assert_eq!((&ended[0]["turnId"], &ended[0]["stopReason"]), (&accepted["turnId"], &json!("cancelled")));
    let withdrawn = json!({"turnId": waiting["turnId"], "messageId": waiting["messageId"], "by": "ended"});
    assert_eq!(of_kind(&events, "messageWithdrawn"), [withdrawn]);
    assert_eq!(of_kind(&events, "questionResolved")[0]["outcome"], "cancelled");
    Ok(())
}

#[tokio::test]
async fn a_deleted_session_is_gone() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "hang").await?;
    api.event("s", "turnStarted").await?;
    let mut stream = api.stream("s", 0).await?;
    api.delete("s").await?.expect_status(204)?;
    while stream.next_event().await?.is_some() {}
    for path in ["/s", "/s/events", "/s/events/sse", "/s/export"] {
        let problem = api.get(path).await?.expect_problem(404, "not_found")?;
        assert_eq!(problem.document["sessionId"], "s");
    }
    api.delete("s").await?.expect_status(204)?;
    assert_eq!(api.get("").await?.json()?, json!({"sessions": [], "hasMore": false}));
    let again = api.create("s").await?;
    let events = api.events("s").await?;
    assert_eq!(events[0]["id"], 1, "an id can be used again, and begins anew");
    assert!(again["lastEventId"].as_u64() < accepted["eventId"].as_u64().map(|id| id + 10));
    Ok(())
}

#[tokio::test]
async fn a_fork_knows_what_was_said_and_goes_its_own_way() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "model demo-large\nsay shared").await?;
    let fork = json!({"sessionId": "copy", "title": "A copy"});
    let created = api.post("/s/fork", &fork).await?.expect_status(201)?.json()?;
    let copy = &created;
    assert_eq!(
        (&copy["sessionId"], &copy["forkedFrom"], &copy["title"]),
        (&json!("copy"), &json!("s"), &json!("A copy"))
    );
    assert_ne!(copy["nativeSessionId"], api.session("s").await?["nativeSessionId"]);
    let events = api.turn("copy", "config").await?;
    assert!(said(&events).contains("demo-large"), "it goes on where the other was: {}", said(&events));
    let all = api.events("copy").await?;
    assert_eq!(of_kind(&all, "started").last().unwrap()["forkedFrom"], "s");
    assert!(said(&all).contains("shared"), "what was said before is in its log, too");
    assert!(all.iter().all(|event| event["sessionId"] == "copy"));
    assert_ids_are_never_reused(&all);
    let anonymous = api.act("/s/fork").await?.expect_status(201)?.json()?;
    assert!(anonymous["sessionId"].as_str().is_some_and(|id| id.len() > 10), "{anonymous:#}");
    let taken = api.post("/s/fork", &fork).await?.expect_problem(409, "conflict")?;
    assert_eq!(taken.document["details"]["what"], "exists");
    api.post("/nobody/fork", &fork).await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn an_agent_that_does_not_start_leaves_a_session_that_says_why() -> Result<()> {
    let daemon = Daemon::builder().agent("broken", "sh -c 'echo no luck >&2; exit 3'").start().await?;
    let api = Api::of(&daemon);
    let created = api.post("/s", &json!({"agent": "broken"})).await?.expect_status(201)?.json()?;
    assert_eq!(created["healthy"], false);
    let exited = &created["error"]["processExited"];
    assert_eq!(exited["exit"]["code"], 3, "{created:#}");
    assert!(
        exited["exit"]["stderrTail"].as_str().is_some_and(|text| text.contains("no luck")),
        "{created:#}"
    );
    let events = api.turn("s", "hello").await?;
    assert_eq!(of_kind(&events, "error")[0]["exit"]["code"], 3, "{events:#?}");
    let missing = Daemon::builder().agent("missing", "/nonexistent/agent").start().await?;
    let created =
        Api::of(&missing).post("/s", &json!({"agent": "missing"})).await?.expect_status(201)?.json()?;
    assert!(created["error"]["spawnFailed"]["message"].is_string(), "{created:#}");
    Ok(())
}

#[tokio::test]
async fn there_are_as_many_sessions_as_allowed() -> Result<()> {
    let daemon = Daemon::builder().config("[sessions]\nmax = 2").start().await?;
    let api = Api::of(&daemon);
    api.create("a").await?;
    api.create("b").await?;
    let body = json!({"agent": "demo"});
    api.post("/c", &body).await?.expect_problem(429, "too_many_requests")?;
    api.delete("a").await?.expect_status(204)?;
    let created: Value = api.create("c").await?;
    assert_eq!(created["sessionId"], "c");
    Ok(())
}

#[tokio::test]
async fn an_agent_without_work_is_let_go_and_comes_back() -> Result<()> {
    let daemon = Daemon::builder().config("[sessions]\nidle-ms = 300").start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let servers = async || {
        let listed = daemon.http().get("/v1/acp").send().await?.expect_status(200)?.json()?;
        anyhow::Ok(listed["servers"].as_array().unwrap().len())
    };
    // Who waits for a client is not without work.
    let asking = api.send("s", "model demo-large\nquestion single").await?;
    api.asked("s", "questions").await?;
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    assert_eq!(servers().await?, 1);
    api.answer("s", json!([["Red"]])).await?;
    api.turn_of("s", &asking).await?;
    assert_eq!(api.event("s", "notice").await?["title"], "Resting");
    sa_e2e::poll("the process to end", async || Ok((servers().await? == 0).then_some(()))).await?;
    assert_eq!(api.session("s").await?["state"], "idle");
    let events = api.turn("s", "config").await?;
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "native", "{events:#?}");
    assert!(said(&events).contains("demo-large"), "{events:#?}");
    Ok(())
}

#[tokio::test]
async fn what_was_counted_stays_counted() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let metric = async |name: &str| {
        let text = daemon.http().get("/metrics").send().await?.expect_status(200)?.text();
        let line = text.lines().find(|line| line.contains(name) && !line.starts_with('#'));
        anyhow::Ok(line.and_then(|line| line.rsplit(' ').next()).and_then(|value| value.parse::<u64>().ok()))
    };
    api.create("s").await?;
    api.turn("s", "say one").await?;
    api.turn("s", "say two").await?;
    let last = api.session("s").await?["lastEventId"].as_u64();
    assert_eq!(metric("session_events_total").await?, last);
    api.delete("s").await?.expect_status(204)?;
    assert!(metric("session_events_total").await? >= last, "events of deleted sessions are not uncounted");
    assert_eq!(metric("session_turns_total").await?, Some(2));
    Ok(())
}

#[tokio::test]
async fn a_fork_until_an_event_knows_nothing_of_what_came_after() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let first = api.turn("s", "say one").await?;
    let until = first.last().unwrap()["id"].clone();
    api.turn("s", "say two").await?;
    let fork = json!({"sessionId": "copy", "until": until});
    api.post("/s/fork", &fork).await?.expect_status(201)?;
    let events = api.events("copy").await?;
    let text = said(&events);
    assert!(text.contains("one") && !text.contains("two"), "{text}");
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "replayed", "{events:#?}");
    assert_ne!(api.session("copy").await?["nativeSessionId"], api.session("s").await?["nativeSessionId"]);
    api.turn("copy", "say three").await?;
    assert!(!said(&api.events("s").await?).contains("three"));
    let beyond = json!({"until": 1_000_000});
    api.post("/s/fork", &beyond).await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn a_session_that_its_agent_has_forgotten_is_opened_again() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say before").await?;
    let native = api.session("s").await?["nativeSessionId"].clone();
    let servers = daemon.http().get("/v1/acp").send().await?.expect_status(200)?.json()?;
    let server = servers["servers"][0]["serverId"].as_str().unwrap_or_default().to_owned();
    let close =
        json!({"jsonrpc": "2.0", "id": 1, "method": "session/close", "params": {"sessionId": native}});
    daemon
        .http()
        .post(&format!("/v1/acp/{server}"))
        .json(close.to_string())
        .send()
        .await?
        .expect_status(200)?;
    let failed = api.turn("s", "say during").await?;
    assert_eq!(of_kind(&failed, "turnEnded")[0]["stopReason"], "error", "{failed:#?}");
    let events = api.turn("s", "say after").await?;
    assert_eq!(of_kind(&events, "turnEnded")[0]["stopReason"], "endTurn", "{events:#?}");
    Ok(())
}
