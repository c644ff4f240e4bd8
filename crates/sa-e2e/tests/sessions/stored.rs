//! Sessions that are in the store alone: those that have ended, and after a restart those in which nothing was under
//! way. Clients see no difference to others.

use crate::api::Api;
use anyhow::{Context, Result, ensure};
use futures_util::future::{join_all, try_join_all};
use sa_testkit::{Daemon, Signal};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

async fn restarted(mut daemon: Daemon) -> Result<Daemon> {
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    drop(daemon);
    Daemon::builder().sandbox(sandbox).start().await
}

/// Returns the ids of all sessions, by pages of two.
async fn walk(api: &Api) -> Result<Vec<String>> {
    let (mut ids, mut query) = (Vec::new(), "?limit=2".to_owned());
    loop {
        let page = api.get(&query).await?.expect_status(200)?.json()?;
        let sessions = page["sessions"].as_array().context("sessions")?;
        ids.extend(sessions.iter().filter_map(|session| session["sessionId"].as_str().map(str::to_owned)));
        match page["next"].as_str() {
            Some(next) => query = format!("?limit=2&after={next}"),
            None => return Ok(ids),
        }
    }
}

#[tokio::test]
async fn a_session_that_has_ended_answers_as_before() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("over", json!({"title": "Over", "metadata": {"k": 1}})).await?;
    api.turn("over", "say something\nstream 70 20").await?;
    let ended = api.act("/over/terminate").await?.expect_status(200)?.json()?;
    let events = api.events("over").await?;
    let daemon = restarted(daemon).await?;
    let api = Api::of(&daemon);
    assert_eq!(api.session("over").await?, ended);
    assert_eq!(api.events("over").await?, events);
    let mut stream = api.stream("over", 0).await?;
    for event in &events {
        assert_eq!(&stream.event().await?.json()?, event);
    }
    let listed = api.get("?state=ended&metadata=k:1&include=choices").await?.expect_status(200)?.json()?;
    assert_eq!(listed, json!({"sessions": [ended], "hasMore": false}));
    assert_eq!(api.get("?state=interrupted").await?.json()?["sessions"], json!([]));
    let metrics = daemon.http().get("/metrics").send().await?.text();
    assert!(metrics.contains("sandbox_agent_sessions{state=\"ended\"} 1"), "{metrics}");
    for (path, body) in [("/over/messages", json!({"message": "hi"})), ("/over/resume", json!({}))] {
        let problem = api.post(path, &body).await?.expect_problem(409, "conflict")?;
        assert_eq!(problem.document["details"]["what"], "ended", "{path}");
    }
    api.post("/over", &json!({"agent": "demo"})).await?.expect_problem(409, "conflict")?;
    let export = api.get("/over/export").await?.expect_status(200)?.text();
    assert_eq!(export.lines().count(), events.len() + 1);
    let fork = api.post("/over/fork", &json!({"sessionId": "again"})).await?.expect_status(201)?.json()?;
    assert_eq!(fork["forkedFrom"], "over");
    api.delete("over").await?.expect_status(204)?;
    api.get("/over").await?.expect_status(404)?;
    api.delete("over").await?.expect_status(204)?;
    api.create("over").await?;
    assert_eq!(api.session("over").await?["lastEventId"].as_u64().map(|id| id < 10), Some(true));
    Ok(())
}

#[tokio::test]
async fn a_session_at_rest_goes_on_after_a_restart() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("rests").await?;
    api.turn("rests", "say one").await?;
    let daemon = restarted(restarted(daemon).await?).await?;
    let api = Api::of(&daemon);
    let listed = api.get("").await?.json()?;
    assert_eq!(listed["sessions"][0]["state"], "interrupted");
    // Many ask at once for a session that nobody has read yet: it is taken up once.
    let events = api.events("rests").await?;
    let asked = join_all((0..16).map(|_| api.session("rests"))).await;
    assert!(asked.into_iter().collect::<Result<Vec<_>>>()?.windows(2).all(|pair| pair[0] == pair[1]));
    let resumed = api.act("/rests/resume").await?.expect_status(200)?.json()?;
    assert_eq!(resumed["state"], "idle", "{resumed}");
    let turn = api.turn("rests", "say two").await?;
    assert!(turn[0]["id"].as_u64() > events.last().unwrap()["id"].as_u64());
    Ok(())
}

#[tokio::test]
async fn the_key_of_a_session_lasts_as_long_as_the_session() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let (body, other) = (json!({"agent": "demo", "title": "a"}), json!({"agent": "demo", "title": "b"}));
    let both = try_join_all((0..4).map(|_| api.post_once("", "key", &body))).await?;
    let made: Vec<Value> = both.iter().map(|reply| reply.json()).collect::<Result<_>>()?;
    assert_eq!(both.iter().filter(|reply| reply.status == 201).count(), 1, "{made:?}");
    let id = made[0]["sessionId"].as_str().context("an id")?.to_owned();
    assert!(made.iter().all(|session| session["sessionId"] == id.as_str()), "{made:?}");
    api.act(&format!("/{id}/terminate")).await?.expect_status(200)?;
    let daemon = restarted(daemon).await?;
    let api = Api::of(&daemon);
    let known = api.post_once("", "key", &body).await?.expect_status(200)?.json()?;
    assert_eq!((&known["sessionId"], &known["state"]), (&json!(id), &json!("ended")));
    let problem = api.post_once("", "key", &other).await?.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "keyReused");
    api.delete(&id).await?.expect_status(204)?;
    let new = api.post_once("", "key", &other).await?.expect_status(201)?.json()?;
    assert_ne!(new["sessionId"], known["sessionId"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_hold_while_sessions_come_end_and_go() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let stay: BTreeSet<String> = (0..7).map(|n| format!("stays-{n}")).collect();
    for id in &stay {
        api.create(id).await?;
    }
    let over = AtomicBool::new(false);
    let churn = async {
        for round in 0..12 {
            let id = format!("goes-{round}");
            api.create(&id).await?;
            if round < 7 {
                api.act(&format!("/stays-{round}/terminate")).await?.expect_status(200)?;
            }
            if round % 3 > 0 {
                api.act(&format!("/{id}/terminate")).await?.expect_status(200)?;
            }
            api.delete(&id).await?.expect_status(204)?;
        }
        over.store(true, Relaxed);
        anyhow::Ok(())
    };
    let look = async {
        let mut walks = 0;
        while !over.load(Relaxed) || walks == 0 {
            let ids = walk(&api).await?;
            let stayed: Vec<&String> = ids.iter().filter(|id| stay.contains(*id)).collect();
            ensure!(stayed.len() == stay.len(), "a session that stayed was skipped or repeated: {ids:?}");
            ensure!(ids.iter().collect::<BTreeSet<_>>().len() == ids.len(), "{ids:?}");
            walks += 1;
        }
        anyhow::Ok(())
    };
    tokio::try_join!(churn, look)?;
    assert_eq!(walk(&api).await?.into_iter().collect::<BTreeSet<_>>(), stay);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_session_does_not_come_back() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for round in 0..8 {
        api.create("x").await?;
        if round % 2 == 0 {
            api.act("/x/terminate").await?.expect_status(200)?;
        }
        // Readers of the session, and two that delete it at once.
        let reads = async {
            for _ in 0..10 {
                let status = api.get("/x").await?.status;
                ensure!(status == 200 || status == 404, "{status}");
            }
            anyhow::Ok(())
        };
        let (first, second, read) = tokio::join!(api.delete("x"), api.delete("x"), reads);
        first?.expect_status(204)?;
        second?.expect_status(204)?;
        read?;
        api.get("/x").await?.expect_status(404)?;
        assert_eq!(walk(&api).await?, [""; 0]);
    }
    Ok(())
}
