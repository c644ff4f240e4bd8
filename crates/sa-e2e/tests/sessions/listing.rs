//! The list of sessions: pages and filters.

use crate::api::Api;
use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn ids(list: &Value) -> Vec<String> {
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions.filter_map(|session| session["sessionId"].as_str().map(str::to_owned)).collect()
}

async fn list(api: &Api, query: &str) -> Result<Value> {
    let reply = api.get(query).await?.expect_status(200).with_context(|| query.to_owned())?;
    reply.json()
}

#[tokio::test]
async fn sessions_are_listed_by_pages_that_stay_in_place() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    assert_eq!(list(&api, "").await?, json!({"sessions": [], "hasMore": false}));
    let all: BTreeSet<String> = (0..5).map(|n| format!("s{n}")).collect();
    for id in &all {
        api.create(id).await?;
    }
    let first = list(&api, "?limit=2").await?;
    assert_eq!((ids(&first).len(), &first["hasMore"]), (2, &json!(true)));
    let times: Vec<&str> =
        first["sessions"].as_array().unwrap().iter().filter_map(|one| one["createdAt"].as_str()).collect();
    assert!(times[0] >= times[1], "{times:?}");
    // Neither events nor new and deleted sessions move what is still to come.
    let last_of_page = ids(&first)[1].clone();
    let rest: Vec<&String> = all.iter().filter(|id| !ids(&first).contains(id)).collect();
    api.turn(rest[0], "say hi").await?;
    api.delete(&last_of_page).await?.expect_status(204)?;
    api.create("newer").await?;
    let (mut seen, mut next) = (ids(&first), first["next"].clone());
    while let Some(after) = next.as_str() {
        let page = list(&api, &format!("?limit=2&after={after}")).await?;
        assert_eq!(page["hasMore"], json!(page.get("next").is_some()));
        seen.extend(ids(&page));
        next = page["next"].clone();
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
    let metrics = daemon.http().get("/metrics").send().await?.text();
    assert!(metrics.contains("sandbox_agent_sessions{state=\"idle\"} 5"), "{metrics}");
    Ok(())
}

#[tokio::test]
async fn lists_are_filtered() -> Result<()> {
    let daemon = Daemon::builder().agent("broken", "sh -c 'exit 3'").start().await?;
    let api = Api::of(&daemon);
    let metadata = json!({"team": "a:b", "n": 7, "on": true, "none": null, "list": ["x"]});
    api.create_with("busy", json!({"metadata": metadata})).await?;
    api.create_with("idle", json!({"metadata": {"team": "c", "n": 7}})).await?;
    api.create("over").await?;
    api.act("/over/terminate").await?.expect_status(200)?;
    api.post("/broken", &json!({"agent": "broken"})).await?.expect_status(201)?;
    api.send("busy", "hang").await?;
    api.when("busy", "a turn", |session| session["state"] == "running").await?;
    for (query, expected) in [
        ("?state=idle", vec!["idle"]),
        ("?state=idle&state=running", vec!["busy", "idle"]),
        ("?state=idle,ended", vec!["idle", "over"]),
        ("?agent=broken", vec!["broken"]),
        ("?agent=broken,demo&state=interrupted", vec!["broken"]),
        ("?agent=nobody", vec![]),
        ("?metadata=n:7", vec!["busy", "idle"]),
        ("?metadata=n:7&metadata=team:c", vec!["idle"]),
        ("?metadata=team:a:b", vec!["busy"]),
        ("?metadata=team%3Aa%3Ab", vec!["busy"]),
        ("?metadata=on:true&metadata=none:null", vec!["busy"]),
        ("?metadata=list:x", vec![]),
        ("?metadata=n:8", vec![]),
    ] {
        let mut found = ids(&list(&api, query).await?);
        found.sort();
        assert_eq!(found, expected, "{query}");
    }
    let brief = list(&api, "?state=idle").await?;
    assert!(brief["sessions"][0].get("choices").is_none(), "{brief:#}");
    let full = list(&api, "?state=idle&include=choices").await?;
    assert_eq!(full["sessions"][0], api.session("idle").await?, "otherwise they are the same");
    Ok(())
}

#[tokio::test]
async fn parameters_that_make_no_sense_are_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for (query, named) in [
        ("?limit=0", "limit"),
        ("?limit=x", "limit"),
        ("?after=x", "after"),
        ("?state=busy", "state"),
        ("?state=", "state"),
        ("?metadata=x", "metadata"),
        ("?include=all", "include"),
        ("?limt=1", "limt"),
    ] {
        let problem = api.get(query).await?.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.contains(named), "{query}: {}", problem.detail);
    }
    Ok(())
}
