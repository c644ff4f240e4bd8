//! Data that outlives the daemon.

use crate::api::{Api, assert_ids_are_never_reused, ending, kinds, of_kind, said};
use anyhow::Result;
use sa_testkit::{Daemon, Signal};
use serde_json::{Value, json};

/// Starts another daemon on the same data.
pub(crate) async fn again(mut daemon: Daemon, signal: Signal) -> Result<Daemon> {
    let sandbox = daemon.sandbox();
    daemon.signal(signal);
    daemon.exited().await?;
    drop(daemon);
    Daemon::builder().sandbox(sandbox).start().await
}

#[tokio::test]
async fn sessions_are_there_after_a_restart_and_go_on() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"title": "Kept", "metadata": {"k": 1}})).await?;
    api.turn("s", "model demo-large\nsay remember").await?;
    let (before, events) = (api.session("s").await?, api.events("s").await?);
    let daemon = again(daemon, Signal::TERM).await?;
    let api = Api::of(&daemon);
    let after = api.session("s").await?;
    assert_eq!(after["state"], "interrupted");
    for key in
        ["title", "metadata", "agent", "cwd", "createdAtMs", "nativeSessionId", "lastEventId", "choices"]
    {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(api.events("s").await?, events, "nothing was added, nothing is lost");
    let turn = api.turn("s", "config").await?;
    assert_eq!(of_kind(&turn, "continuity")[0]["kind"], "native", "{turn:#?}");
    assert!(said(&turn).contains("demo-large"), "{}", said(&turn));
    assert_eq!(turn[0]["id"].as_u64().unwrap(), before["lastEventId"].as_u64().unwrap() + 1, "ids go on");
    Ok(())
}

#[tokio::test]
async fn a_turn_that_the_daemon_did_not_see_the_end_of_is_reported_as_such() -> Result<()> {
    for signal in [Signal::KILL, Signal::TERM] {
        let daemon = Daemon::builder().start().await?;
        let api = Api::of(&daemon);
        api.create("s").await?;
        let running = api.send("s", "say working\nquestion single").await?;
        api.asked("s", "questions").await?;
        let waiting = api.send("s", "say I waited").await?;
        let seen = api.events("s").await?;
        let daemon = again(daemon, signal).await?;
        let api = Api::of(&daemon);
        let session = api.session("s").await?;
        assert_eq!(
            (&session["state"], &session["queued"]),
            (&json!("interrupted"), &json!(1)),
            "{signal:?} {session:#}"
        );
        let kept = api.events("s").await?;
        assert_eq!(kept[..seen.len()], seen, "{signal:?}: what was seen stays");
        assert_eq!(session["questions"], json!([]), "nobody can answer it any more");
        // The next message starts the agent; what waited comes first.
        let next = api.send("s", "say me last").await?;
        api.turn_of("s", &next).await?;
        let events = api.events("s").await?;
        let ends = of_kind(&events, "turnEnded");
        let of = |accepted: &Value| ends.iter().find(|turn| turn["turnId"] == accepted["turnId"]).cloned();
        assert_eq!(of(&running).unwrap()["stopReason"], "unknown", "{signal:?}: {:?}", kinds(&events));
        assert_eq!(of(&waiting).unwrap()["stopReason"], "endTurn", "{signal:?}");
        assert_eq!(of(&running).unwrap()["reason"], "daemonRestarted", "{signal:?}");
        assert_eq!(of_kind(&events, "questionResolved")[0]["by"], "daemonRestarted");
        let text = said(&events);
        assert!(text.find("I waited").unwrap() < text.find("me last").unwrap(), "{text}");
        assert!(!of_kind(&events, "continuity").is_empty(), "{signal:?}");
        let ids: Vec<u64> = events.iter().filter_map(|event| event["id"].as_u64()).collect();
        assert!(ids.iter().copied().eq(1..=ids.len() as u64), "{ids:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_said_before_a_crash_is_reported_as_a_message() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    for cycle in 0..3 {
        let api = Api::of(&daemon);
        if cycle == 0 {
            api.create_with("s", json!({"permissionMode": "bypass"})).await?;
        }
        let accepted =
            api.send("s", &format!("say whole {cycle}\nedit f.txt\nsay cut {cycle}\nhang")).await?;
        let mut stream = api.stream("s", accepted["eventId"].as_u64().unwrap()).await?;
        let text = format!("cut {cycle}");
        stream
            .find("the last words", |event| event.data.contains("messageDelta") && event.data.contains(&text))
            .await?;
        daemon = again(daemon, Signal::KILL).await?;
    }
    let api = Api::of(&daemon);
    api.turn("s", "say after").await?;
    let events = api.events("s").await?;
    assert_ids_are_never_reused(&events);
    let text = said(&events);
    for cycle in 0..3 {
        assert!(text.contains(&format!("whole {cycle}")) && text.contains(&format!("cut {cycle}")), "{text}");
    }
    let cut = of_kind(&events, "message").into_iter().filter(|message| message["metadata"]["cutOff"] == true);
    assert_eq!(cut.count(), 3);
    Ok(())
}

#[tokio::test]
async fn a_message_that_waited_is_begun_when_it_is_sent_again() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    Api::of(&daemon).create("s").await?;
    let post = async |daemon: &Daemon| {
        let request = daemon.http().post("/v1/sessions/s/messages").header("idempotency-key", "k");
        request.json(r#"{"message":"say it waited"}"#).send().await?.expect_status(202)?.json()
    };
    Api::of(&daemon).send("s", "hang").await?;
    Api::of(&daemon).event("s", "turnStarted").await?;
    let waiting = post(&daemon).await?;
    let daemon = again(daemon, Signal::KILL).await?;
    assert_eq!(post(&daemon).await?, waiting);
    assert!(said(&Api::of(&daemon).turn_of("s", &waiting).await?).contains("it waited"));
    Ok(())
}

#[tokio::test]
async fn messages_that_wait_keep_their_places() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for id in ["s", "t"] {
        api.create(id).await?;
        api.send(id, "say begun\nignore-cancel 600000").await?;
        api.event(id, "messageDelta").await?;
        api.send(id, "say A").await?;
        let body = json!({"message": "say urgent", "delivery": "interrupt"});
        api.post(&format!("/{id}/messages"), &body).await?.expect_status(202)?;
        api.send(id, "say B").await?;
    }
    let daemon = again(daemon, Signal::KILL).await?;
    let api = Api::of(&daemon);
    assert_eq!(api.session("s").await?["queued"], 3);
    api.turn("s", "say last").await?;
    let text = said(&api.events("s").await?);
    let places: Vec<Option<usize>> = ["urgent", "A", "B", "last"].map(|word| text.find(word)).to_vec();
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
    // Those that are taken back no longer wait.
    let cancelled = api.act("/t/cancel").await?.expect_status(200)?.json()?;
    assert_eq!(cancelled, json!({"withdrawn": 3}));
    assert_eq!(api.session("t").await?["queued"], 0);
    Ok(())
}

#[tokio::test]
async fn a_session_that_never_started_is_interrupted_too() -> Result<()> {
    let agent = "sh -c 'sleep 600'";
    let daemon = Daemon::builder().agent("slow", agent).start().await?;
    let http = daemon.http().clone();
    let create =
        tokio::spawn(async move { http.post("/v1/sessions/s").json(r#"{"agent":"slow"}"#).send().await });
    Api::of(&daemon).list_has("s").await?;
    let daemon = again(daemon, Signal::KILL).await?;
    drop(create.await);
    assert_eq!(Api::of(&daemon).session("s").await?["state"], "interrupted");
    Ok(())
}

#[tokio::test]
async fn a_key_is_remembered_and_an_end_stays_one() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.create("over").await?;
    api.act("/over/terminate").await?.expect_status(200)?;
    let post = async |daemon: &Daemon| {
        let request = daemon.http().post("/v1/sessions/s/messages").header("idempotency-key", "k");
        request.json(r#"{"message":"say once"}"#).send().await?.expect_status(202)?.json()
    };
    let first = post(&daemon).await?;
    api.turn_of("s", &first).await?;
    let daemon = again(daemon, Signal::KILL).await?;
    let api = Api::of(&daemon);
    assert_eq!(post(&daemon).await?, first);
    assert_eq!(of_kind(&api.events("s").await?, "turnStarted").len(), 1);
    assert_eq!(api.session("over").await?["state"], "ended");
    let mut stream = api.stream("over", 0).await?;
    let mut last = None;
    while let Some(event) = stream.next_event().await? {
        last = Some(event.json()?);
    }
    assert_eq!(kinds(&[last.unwrap()]), ["ended"]);
    Ok(())
}

#[tokio::test]
async fn without_a_store_sessions_end_with_the_daemon() -> Result<()> {
    let mut daemon = Daemon::builder().arg("--no-store").start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    assert_eq!(ending(&api.turn("s", "say hi").await?), "endTurn");
    let sandbox = daemon.sandbox();
    assert!(!sandbox.data_home().join("sandbox-agent/sessions.db").exists());
    daemon.stop().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    Api::of(&daemon).get("/s").await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn a_store_that_cannot_be_used_ends_the_daemon_with_advice() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let second = Daemon::builder().sandbox(daemon.sandbox()).run_to_end().await?;
    assert_eq!(second.status.code(), Some(1), "{second}");
    assert!(second.stderr.contains("in use") && second.stderr.contains("--no-store"), "{second}");
    let sandbox = sa_testkit::Sandbox::new()?;
    let path = sandbox.data_home().join("sandbox-agent/sessions.db");
    std::fs::create_dir_all(path.parent().unwrap())?;
    std::fs::write(&path, "this is no database, but it is long enough to be looked at".repeat(100))?;
    let damaged = Daemon::builder().sandbox(std::sync::Arc::new(sandbox)).run_to_end().await?;
    assert_eq!(damaged.status.code(), Some(1), "{damaged}");
    assert!(damaged.stderr.contains("damaged") && damaged.stderr.contains("mv -- "), "{damaged}");
    Ok(())
}
