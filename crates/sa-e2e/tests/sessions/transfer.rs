//! Sessions on the move.

use crate::api::{Api, assert_ids_are_never_reused, kinds, of_kind, said};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

const LINES: &str = "application/x-ndjson";

async fn import(daemon: &Daemon, query: &str, lines: String) -> Result<sa_testkit::Reply> {
    let request = daemon.http().post(&format!("/v1/sessions/import{query}"));
    request.header("content-type", LINES).body(lines).send().await
}

#[tokio::test]
async fn a_session_is_taken_from_one_daemon_to_another() -> Result<()> {
    let first = Daemon::builder().start().await?;
    let api = Api::of(&first);
    let body = json!({
        "title": "Moving",
        "permissionMode": "bypass",
        "env": {"A": "hidden value"},
        "mcp": {
            "one": {"type": "local", "command": "true", "args": ["--api-key", "hidden value"], "env": {"KEY": "hidden value"}, "enabled": false},
            "two": {"type": "remote", "url": "http://u:hidden%20value@127.0.0.1:1/?api_key=hidden%20value", "headers": {"X": "hidden value"}, "enabled": false},
        },
        "webhook": {"url": "http://127.0.0.1:9/?hidden%20value", "secret": "a hidden value"},
    });
    api.create_with("s", body).await?;
    api.turn("s", "say something to keep\nedit a.txt").await?;
    let export = api.get("/s/export").await?.expect_status(200)?;
    assert_eq!(export.header("content-type"), LINES);
    let lines = export.text();
    let head: Value = serde_json::from_str(lines.lines().next().unwrap())?;
    assert_eq!(head["sessionId"], "s");
    assert!(!lines.contains("hidden value") && !lines.contains("hidden%20value"), "secrets stay");
    let omitted: Vec<&str> = head["omitted"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let expected = [
        "webhook",
        "mcp.one.env.KEY",
        "mcp.one.args",
        "mcp.two.headers.X",
        "mcp.two.url: the user and password in it",
        "mcp.two.url: its query",
    ];
    assert_eq!(omitted, expected);

    let second = Daemon::builder().start().await?;
    let there = Api::of(&second);
    let session = import(&second, "", lines.clone()).await?.expect_status(201)?.json()?;
    assert_eq!((&session["sessionId"], &session["title"]), (&json!("s"), &json!("Moving")));
    let (here, came) = (api.events("s").await?, there.events("s").await?);
    assert_eq!(came[..here.len()], here);
    assert_eq!(kinds(&came[here.len()..]), ["notice"], "what did not come along is told");
    import(&second, "", lines.clone()).await?.expect_problem(409, "conflict")?;
    let renamed = import(&second, "?sessionId=t", lines).await?.expect_status(201)?.json()?;
    assert_eq!(renamed["sessionId"], "t");
    assert!(there.events("t").await?.iter().all(|event| event["sessionId"] == json!("t")));
    // Its agent's own history stayed behind: the conversation is given to it again.
    let events = there.turn("s", "say and on it goes").await?;
    assert!(said(&events).contains("and on it goes"), "{events:#?}");
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "replayed", "{events:#?}");
    assert_ids_are_never_reused(&there.events("s").await?);
    Ok(())
}

#[tokio::test]
async fn whatever_a_message_names_as_its_turn_it_is_in_the_transcript() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say first").await?;
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    let expected =
        api.get("/s/messages").await?.expect_status(200)?.json()?["messages"].as_array().map(Vec::len);
    for (index, turn) in [json!(true), json!([]), json!({}), json!(-1), json!(null)].iter().enumerate() {
        let changed = lines.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap_or_default();
            if let Some(metadata) = line.pointer_mut("/data/message/metadata") {
                metadata["turnId"] = turn.clone();
            }
            format!("{line}\n")
        });
        let id = format!("copy{index}");
        import(&daemon, &format!("?sessionId={id}"), changed.collect()).await?.expect_status(201)?;
        let messages = api.get(&format!("/{id}/messages")).await?.expect_status(200)?.json()?;
        assert_eq!(messages["messages"].as_array().map(Vec::len), expected, "{turn}");
    }
    Ok(())
}

#[tokio::test]
async fn a_copy_beside_the_original_leaves_it_alone() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say first").await?;
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    import(&daemon, "?sessionId=copy", lines).await?.expect_status(201)?;
    let events = api.turn("copy", "say second").await?;
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "replayed", "{events:#?}");
    let seen = api.events("copy").await?;
    assert!(said(&api.turn("s", "say mine").await?).contains("mine"));
    assert_eq!(api.events("copy").await?, seen, "nothing of the one is told in the other");
    api.delete("copy").await?.expect_status(204)?;
    assert!(said(&api.turn("s", "say still here").await?).contains("still here"));
    Ok(())
}

#[tokio::test]
async fn what_was_under_way_comes_to_an_end() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let begun = api.send("s", "permission Do it").await?;
    api.asked("s", "permissions").await?;
    let waiting = api.send("s", "say later").await?;
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    let imported = import(&daemon, "?sessionId=t", lines).await?.expect_status(201)?.json()?;
    assert_eq!((&imported["state"], &imported["permissions"]), (&json!("interrupted"), &json!([])));
    let events = api.events("t").await?;
    let ended = json!({"turnId": begun["turnId"], "stopReason": "unknown", "reason": "transferred"});
    assert_eq!(of_kind(&events, "turnEnded"), [ended]);
    let withdrawn =
        json!({"turnId": waiting["turnId"], "messageId": waiting["messageId"], "by": "transferred"});
    assert_eq!(of_kind(&events, "messageWithdrawn"), [withdrawn]);
    Ok(())
}

/// Waits until the agent has begun to say something that no message has yet.
async fn begins_to_say(api: &Api, id: &str, words: &str) -> Result<()> {
    api.send(id, &format!("say {words}\nhang")).await?;
    let mut stream = api.stream(id, 0).await?;
    stream.find("a piece", |event| event.data.contains("messageDelta") && event.data.contains(words)).await?;
    assert!(!said(&api.events(id).await?).contains(words), "it is told in pieces only");
    Ok(())
}

#[tokio::test]
async fn a_copy_made_in_the_midst_of_a_message_has_it() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say whole").await?;
    begins_to_say(&api, "s", "cut off here").await?;
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    import(&daemon, "?sessionId=imported", lines).await?.expect_status(201)?;
    api.post("/s/fork", &json!({"sessionId": "forked"})).await?.expect_status(201)?;
    for copy in ["imported", "forked"] {
        let events = api.events(copy).await?;
        assert!(said(&events).contains("cut off here"), "{copy}: {events:#?}");
        let kinds = kinds(&events);
        let message = kinds.iter().rposition(|kind| kind == "message");
        assert!(message < kinds.iter().rposition(|kind| kind == "turnEnded"), "{copy}: {kinds:?}");
        let cut =
            of_kind(&events, "message").into_iter().filter(|message| message["metadata"]["cutOff"] == true);
        assert_eq!(cut.count(), 1, "{copy}");
    }
    assert!(!said(&api.events("s").await?).contains("cut off here"), "the original goes on");
    Ok(())
}

#[tokio::test]
async fn a_fork_of_a_session_whose_agent_knows_nothing_yet_gets_the_conversation() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say first").await?;
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    import(&daemon, "?sessionId=copy", lines).await?.expect_status(201)?;
    let fork = api.post("/copy/fork", &json!({"sessionId": "fork"})).await?.expect_status(201)?.json()?;
    assert_eq!((&fork["healthy"], &fork["forkedFrom"]), (&json!(true), &json!("copy")));
    let events = api.events("fork").await?;
    assert_eq!(of_kind(&events, "continuity").last().unwrap()["kind"], "replayed", "{events:#?}");
    assert!(said(&api.turn("fork", "say second").await?).contains("second"));
    Ok(())
}

#[tokio::test]
async fn of_several_imports_of_one_export_one_takes_over_the_agents_session() -> Result<()> {
    let first = Daemon::builder().start().await?;
    let api = Api::of(&first);
    api.create("s").await?;
    api.turn("s", "say first").await?;
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    let native = api.session("s").await?["nativeSessionId"].clone();
    let second = Daemon::builder().start().await?;
    let one = async |n: u32| import(&second, &format!("?sessionId=t{n}"), lines.clone()).await;
    let mut owners = 0;
    for imported in futures_util::future::join_all((0..12).map(one)).await {
        owners += usize::from(imported?.expect_status(201)?.json()?["nativeSessionId"] == native);
    }
    assert_eq!(owners, 1);
    Ok(())
}

#[tokio::test]
async fn what_a_session_has_cost_never_gets_less() -> Result<()> {
    // An agent that gets next to nothing of the conversation counts from next to nothing.
    let daemon = Daemon::builder().config("[sessions]\nreplay-bytes = 40").start().await?;
    let cost = |session: &Value| session["usage"]["cost"]["amount"].as_f64().unwrap();
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", &format!("say something that costs {}", "a lot ".repeat(200))).await?;
    let before = cost(&api.session("s").await?);
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    import(&daemon, "?sessionId=imported", lines).await?.expect_status(201)?;
    api.post("/s/fork", &json!({"sessionId": "forked"})).await?.expect_status(201)?;
    for copy in ["imported", "forked"] {
        let events = api.turn(copy, "say a").await?;
        let now = cost(&api.session(copy).await?);
        assert!(now > before, "{copy}: {before} became {now}: {:#?}", of_kind(&events, "usage"));
    }
    let sandbox = daemon.sandbox();
    drop(daemon);
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    api.turn("s", "say a").await?;
    let now = cost(&api.session("s").await?);
    assert!(now > before, "{before} became {now}");
    Ok(())
}

/// Returns an export whose events have other ids, from that one on.
fn with_ids(lines: &[&str], first: u64) -> String {
    let mut head: Value = serde_json::from_str(lines[0]).unwrap();
    let events = lines[1..].iter().zip(0..).map(|(line, offset)| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        event["id"] = json!(first.wrapping_add(offset));
        event.to_string()
    });
    head["lastEventId"] = json!(first.wrapping_add(lines.len() as u64 - 2));
    std::iter::once(head.to_string()).chain(events).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_is_no_export_is_refused_and_leaves_nothing() -> Result<()> {
    let daemon = Daemon::builder().limit("body-bytes", 100_000).start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say hi").await?;
    let good = api.get("/s/export").await?.expect_status(200)?.text();
    let lines: Vec<&str> = good.lines().collect();
    let hole = [&lines[..1], &lines[2..]].concat();
    let mut hole_later = lines.clone();
    hole_later.remove(3);
    let bad = [
        String::new(),
        "not json\n".to_owned(),
        "{}\n".to_owned(),
        lines[1..].join("\n"),
        hole_later.join("\n"),
        format!("{}\nnot json", lines.join("\n")),
        lines[0].to_owned(),
        lines[..lines.len() - 1].join("\n"),
        with_ids(&lines, 0),
        with_ids(&lines, u64::MAX),
        with_ids(&lines, 1 << 63),
        with_ids(&lines, 1 << 62),
        with_ids(&lines, 1 << 40),
    ];
    for text in bad {
        import(&daemon, "?sessionId=t", text).await?.expect_problem(400, "invalid_request")?;
    }
    let long = format!("{}\n{}", lines[0], "x".repeat(100_001));
    import(&daemon, "?sessionId=t", long).await?.expect_problem(413, "payload_too_large")?;
    import(&daemon, "?sessionId=-", good.clone()).await?.expect_problem(400, "invalid_request")?;
    let typed = daemon.http().post("/v1/sessions/import").json(good.clone()).send().await?;
    typed.expect_problem(415, "unsupported_media_type")?;
    api.get("/t").await?.expect_problem(404, "not_found")?;
    // An export that begins later, as one of a session whose oldest events are gone does, is whole.
    let session = import(&daemon, "?sessionId=t", hole.join("\n")).await?.expect_status(201)?.json()?;
    assert_eq!(session["oldestEventId"], 2);
    Ok(())
}
