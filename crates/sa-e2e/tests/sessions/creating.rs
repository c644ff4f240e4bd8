//! New sessions: what is refused, what is kept and tried again, and ids that the daemon chooses.

use crate::api::{Api, kinds, of_kind, said};
use crate::script::Script;
use anyhow::Result;
use sa_testkit::{Daemon, Signal};
use serde_json::{Value, json};

#[tokio::test]
async fn bad_values_are_refused_and_create_nothing() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    // The second word is what the message has to name.
    for (body, code, named) in [
        (json!({"agent": "nobody"}), "invalid_value", "agent: "),
        (json!({"cwd": "/nonexistent"}), "invalid_value", "cwd: "),
        (json!({"env": {"a=b": "c"}}), "invalid_value", "env: "),
        (json!({"env": {"": "c"}}), "invalid_value", "env: "),
        (json!({"env": {"a": "c\u{0}"}}), "invalid_value", "env: "),
        (json!({"mcp": {"": {"type": "local", "command": "x"}}}), "invalid_value", "mcp: "),
        (json!({"mcp": {"a\nb": {"type": "local", "command": "x"}}}), "invalid_value", "mcp: "),
        (
            json!({"skills": {"": {"sources": [{"type": "local", "source": "x"}]}}}),
            "invalid_value",
            "skills: ",
        ),
        (json!({"webhook": {"url": "ftp://x"}}), "invalid_value", "webhook: "),
        (json!({"validateToken": true}), "invalid_value", "token"),
        (json!({"agentVersion": "9.9.9"}), "invalid_value", "agentVersion: "),
        (json!({"agentMode": "nosuch"}), "unsupported", "plan"),
        (json!({"model": "nosuch"}), "unsupported", "demo-small, demo-medium, demo-large"),
        (json!({"variant": "nosuch"}), "unsupported", "high"),
        (json!({"token": "x"}), "unsupported", "env"),
    ] {
        let mut request = json!({"agent": "demo"});
        request.as_object_mut().unwrap().extend(body.as_object().cloned().unwrap());
        for path in ["/s", ""] {
            let problem = api
                .post(path, &request)
                .await?
                .expect_problem(422, code)
                .map_err(|error| error.context(format!("{path} {body}")))?;
            assert!(problem.detail.contains(named), "{body}: {}", problem.detail);
        }
        let list = api.get("").await?.expect_status(200)?.json()?;
        assert_eq!(list["sessions"], json!([]), "{body}");
    }
    api.create("s").await?;
    api.patch("s", json!({"env": {"a=b": "c"}})).await?.expect_problem(422, "unsupported")?;
    Ok(())
}

#[tokio::test]
async fn the_daemon_chooses_an_id() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let mut ids = Vec::new();
    for _ in 0..2 {
        let reply = api.post("", &json!({"agent": "demo", "title": "Mine"})).await?.expect_status(201)?;
        let session = reply.json()?;
        let id = session["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(reply.header("location"), format!("/v1/sessions/{id}"));
        assert_eq!(session, api.session(&id).await?);
        assert!(said(&api.turn(&id, "say hi").await?).contains("hi"));
        ids.push(id);
    }
    assert_ne!(ids[0], ids[1]);
    let reply = api.post("/chosen", &json!({"agent": "demo"})).await?.expect_status(201)?;
    assert_eq!(reply.header("location"), "/v1/sessions/chosen");
    Ok(())
}

#[tokio::test]
async fn the_same_request_under_the_same_key_creates_one_session() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let body = json!({"agent": "demo", "env": {"SECRET": "one"}});
    let api = Api::of(&daemon);
    // At once, and one after the other.
    let (first, second) = tokio::join!(api.post_once("", "k", &body), api.post_once("", "k", &body));
    let (first, second) = (first?, second?);
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 201]);
    let id = first.json()?["sessionId"].clone();
    assert_eq!(second.json()?["sessionId"], id);
    let again = api.post_once("", "k", &body).await?.expect_status(200)?;
    assert_eq!(
        (again.json()?["sessionId"].clone(), again.header("location").is_empty()),
        (id.clone(), false)
    );
    let problem = api
        .post_once("", "k", &json!({"agent": "demo", "title": "x"}))
        .await?
        .expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "keyReused");
    for bad in ["", &"k".repeat(256)] {
        api.post_once("", bad, &body).await?.expect_problem(400, "invalid_request")?;
    }
    // The key is as durable as its session.
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    assert_eq!(api.post_once("", "k", &body).await?.expect_status(200)?.json()?["sessionId"], id);
    assert_eq!(api.get("").await?.json()?["sessions"].as_array().unwrap().len(), 1);
    let export = api.get(&format!("/{}/export", id.as_str().unwrap())).await?.expect_status(200)?.text();
    assert!(!export.contains("createdBy"), "a key belongs to this daemon: {export}");
    api.delete(id.as_str().unwrap()).await?.expect_status(204)?;
    let other = api.post_once("", "k", &body).await?.expect_status(201)?.json()?;
    assert_ne!(other["sessionId"], id);
    // A request that is refused leaves its key free.
    api.post_once("", "free", &json!({"agent": "demo", "model": "nosuch"})).await?.expect_status(422)?;
    api.post_once("", "free", &json!({"agent": "demo"})).await?.expect_status(201)?;
    Ok(())
}

fn no_credentials() -> Value {
    json!({"error": {"code": -32000, "message": "not logged in: set X_API_KEY, or run `x login`"}})
}

#[tokio::test]
async fn a_session_that_never_started_is_created_again() -> Result<()> {
    let script = Script::new(&json!({"session/new": [no_credentials(), no_credentials(), {}]}))?;
    let keyed = format!(
        "[agents.keyed]\ncommand = {:?}\nargs = [\"--play\", {:?}]\ntoken = {{ variable = \"X_API_KEY\" }}\n",
        script.file("agent"),
        script.file("script.json")
    );
    let daemon = script.daemon(&keyed).start().await?;
    let api = Api::of(&daemon);
    let body = json!({"agent": "keyed", "title": "First"});
    let made = api.post("/s", &body).await?.expect_status(201)?.json()?;
    assert_eq!((&made["healthy"], &made["state"]), (&json!(false), &json!("interrupted")), "{made:#}");
    let message = made["error"]["tokenError"]["message"].as_str().unwrap();
    for named in ["X_API_KEY", "x login", "`token`", "PATCH /v1/sessions/s"] {
        assert!(message.contains(named), "{named}: {message}");
    }
    assert_eq!(api.session("s").await?["error"], made["error"], "everyone who looks at it sees why");
    // Settings that are refused leave it as it was.
    let bad = json!({"agent": "demo", "model": "nosuch"});
    api.post("/s", &bad).await?.expect_problem(422, "unsupported")?;
    let session = api.session("s").await?;
    assert_eq!((&session["agent"], &session["title"]), (&json!("keyed"), &json!("First")));
    let mut stream = api.stream("s", 0).await?;
    assert_eq!(kinds(&[stream.event().await?.json()?]), ["error"]);
    let other = json!({"agent": "scripted", "title": "Second"});
    let again = api.post("/s", &other).await?.expect_status(200)?.json()?;
    assert_eq!((&again["healthy"], &again["title"]), (&json!(false), &json!("Second")), "{again:#}");
    let third = api.post("/s", &other).await?.expect_status(200)?;
    assert_eq!(third.header("location"), "/v1/sessions/s");
    let third = third.json()?;
    assert_eq!((&third["healthy"], &third["state"]), (&json!(true), &json!("idle")), "{third:#}");
    assert!(third.get("error").is_none() && third["createdAt"] == made["createdAt"], "{third:#}");
    assert_eq!(of_kind(&api.events("s").await?, "error").len(), 3, "the log stays");
    // From now on it exists.
    let problem = api.post("/s", &other).await?.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "exists");
    Ok(())
}

#[tokio::test]
async fn a_session_that_was_given_a_message_is_not_created_again() -> Result<()> {
    let mut daemon = Daemon::builder().agent("broken", "sh -c 'exit 3'").start().await?;
    let api = Api::of(&daemon);
    for id in ["talked", "silent"] {
        api.post(&format!("/{id}"), &json!({"agent": "broken"})).await?.expect_status(201)?;
    }
    api.turn("talked", "hello").await?;
    api.post("/talked", &json!({"agent": "demo"})).await?.expect_problem(409, "conflict")?;
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    // A session that never started can also be created again after a restart.
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    let session = api.session("silent").await?;
    assert_eq!(
        (&session["healthy"], &session["state"]),
        (&json!(false), &json!("interrupted")),
        "{session:#}"
    );
    assert_eq!(session["error"]["processExited"]["exit"]["code"], 3);
    let body = json!({"agent": "demo"});
    let (one, two) = tokio::join!(api.post("/silent", &body), api.post("/silent", &body));
    let mut statuses = [one?.status, two?.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "of two at once, one");
    assert!(said(&api.turn("silent", "say hi").await?).contains("hi"));
    api.post("/talked", &body).await?.expect_problem(409, "conflict")?;
    Ok(())
}

#[tokio::test]
async fn a_session_that_has_not_started_cannot_be_forked() -> Result<()> {
    let daemon = Daemon::builder().agent("broken", "sh -c 'exit 3'").start().await?;
    let api = Api::of(&daemon);
    api.post("/s", &json!({"agent": "broken"})).await?.expect_status(201)?;
    let problem = api.act("/s/fork").await?.expect_problem(409, "conflict")?;
    let document = &problem.document;
    assert_eq!((&document["details"]["what"], &document["sessionId"]), (&json!("notStarted"), &json!("s")));
    Ok(())
}

#[tokio::test]
async fn a_server_of_a_session_names_it_and_is_protected() -> Result<()> {
    let script = Script::new(&json!({}))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    let servers = async || {
        let listed = daemon.http().get("/v1/acp").send().await?.expect_status(200)?.json()?;
        anyhow::Ok(listed["servers"].as_array().cloned().unwrap())
    };
    for id in ["a", "b"] {
        api.create_with(id, json!({"agent": "scripted"})).await?;
    }
    let listed = servers().await?;
    assert_eq!((listed.len(), &listed[0]["sessionIds"]), (1, &json!(["a", "b"])), "{listed:#?}");
    let path = format!("/v1/acp/{}", listed[0]["serverId"].as_str().unwrap());
    let problem = daemon.http().delete(&path).send().await?.expect_problem(409, "conflict")?;
    let document = &problem.document;
    assert_eq!(
        (&document["sessionId"], &document["details"]["sessionIds"]),
        (&json!("a"), &json!(["a", "b"]))
    );
    assert!(problem.detail.contains("'a'"), "{}", problem.detail);
    api.delete("a").await?.expect_status(204)?;
    assert_eq!(servers().await?[0]["sessionIds"], json!(["b"]));
    api.delete("b").await?.expect_status(204)?;
    sa_e2e::poll("the server's end", async || Ok(servers().await?.is_empty().then_some(()))).await?;
    daemon.http().delete(&path).send().await?.expect_status(204)?;
    Ok(())
}
