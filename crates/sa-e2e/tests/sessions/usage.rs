//! `/v1/usage`: every turn counts once, whatever becomes of its session and of the daemon.

use crate::api::{Api, of_kind};
use crate::restart::again;
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Signal};
use serde_json::{Value, json};

/// Tokens and turns of a report's group, and its cost in thousandths. The demo agent charges a dollar for a thousand tokens.
fn figures(usage: &Value) -> (u64, u64, u64) {
    let cost = usage["costs"][0]["amount"].as_f64().unwrap_or_default();
    let tokens = usage["totalTokens"].as_u64().unwrap_or_default();
    (usage["turns"].as_u64().unwrap_or_default(), tokens, (cost * 1000.0).round() as u64)
}

async fn usage(daemon: &Daemon, query: &str) -> Result<Value> {
    daemon.http().get(&format!("/v1/usage{query}")).send().await?.expect_status(200)?.json()
}

/// Runs a turn; its tokens.
async fn spend(api: &Api, session: &str, text: &str) -> Result<u64> {
    let turn = api.turn(session, text).await?;
    let ended = of_kind(&turn, "turnEnded");
    ended[0]["usage"]["totalTokens"].as_u64().context("tokens of the turn")
}

#[tokio::test]
async fn tokens_and_cost_are_summed_by_session_agent_model_and_day() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("one").await?;
    api.create_with("two", json!({"model": "demo-large"})).await?;
    let one = spend(&api, "one", "say a").await? + spend(&api, "one", "say some more words").await?;
    let two = spend(&api, "two", "say other words").await?;
    let report = usage(&daemon, "?groupBy=session,model&groupBy=agent").await?;
    let groups = report["groups"].as_array().context("groups")?;
    let found: Vec<_> = groups
        .iter()
        .map(|group| (group["sessionId"].clone(), group["model"].clone(), figures(&group["usage"])))
        .collect();
    // In the order of their models.
    let expected = [
        (json!("two"), json!("demo-large"), (1, two, two)),
        (json!("one"), json!("demo-medium"), (2, one, one)),
    ];
    assert_eq!(found, expected, "{report:#}");
    assert!(groups.iter().all(|group| group["agent"] == "demo" && group.get("day").is_none()), "{report:#}");
    assert_eq!(figures(&report["total"]), (3, one + two, one + two), "{report:#}");
    assert_eq!(report["total"]["costs"][0]["currency"], "USD");

    let days = usage(&daemon, "").await?;
    let events = api.events("one").await?;
    let (day, ended) = (&days["groups"][0]["day"], &events.last().unwrap()["timestamp"]);
    assert!(ended.as_str().unwrap().starts_with(day.as_str().unwrap()), "{day} and {ended}");
    let first = usage(&daemon, "?groupBy=session&limit=1").await?;
    assert_eq!((&first["groups"][0]["sessionId"], &first["hasMore"]), (&json!("one"), &json!(true)));
    let next = first["next"].as_str().context("next")?;
    let second = usage(&daemon, &format!("?groupBy=session&limit=1&after={next}")).await?;
    assert_eq!((&second["groups"][0]["sessionId"], &second["hasMore"]), (&json!("two"), &json!(false)));
    assert_eq!(second["total"], first["total"]);
    for (query, turns) in [
        ("?sessionId=two", 1),
        ("?model=demo-medium,other", 2),
        ("?agent=claude", 0),
        ("?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00%2B01:00", 0),
        ("?from=2020-01-01T00:00:00Z", 3),
    ] {
        assert_eq!(usage(&daemon, query).await?["total"]["turns"], turns, "{query}");
    }
    Ok(())
}

#[tokio::test]
async fn restarts_forks_imports_and_deletions_count_nothing_twice_and_lose_nothing() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let mut api = Api::of(&daemon);
    api.create("s").await?;
    let mut spent = spend(&api, "s", "say before").await?;
    for signal in [Signal::KILL, Signal::TERM] {
        daemon = again(daemon, signal).await?;
        api = Api::of(&daemon);
        spent += spend(&api, "s", "say after").await?;
        assert_eq!(figures(&usage(&daemon, "").await?["total"]).1, spent, "{signal:?}");
    }
    let counted = usage(&daemon, "").await?["total"].clone();
    assert_eq!(figures(&counted), (3, spent, spent), "{counted:#}");

    api.post("/s/fork", &json!({"sessionId": "forked"})).await?.expect_status(201)?;
    let lines = api.get("/s/export").await?.expect_status(200)?.text();
    let import = daemon.http().post("/v1/sessions/import?sessionId=imported");
    import.header("content-type", "application/x-ndjson").body(lines).send().await?.expect_status(201)?;
    assert_eq!(usage(&daemon, "").await?["total"], counted, "copies of events are no turns");
    spent += spend(&api, "forked", "say from here").await?;
    let total = usage(&daemon, "").await?["total"].clone();
    assert_eq!((figures(&total).0, figures(&total).1), (4, spent), "{total:#}");
    let costs = (figures(&total).2, spent);
    assert!(costs.0 <= costs.1, "the fork is charged for its own turn at most: {costs:?}");

    api.delete("s").await?.expect_status(204)?;
    assert_eq!(usage(&daemon, "").await?["total"], total, "deleting a session does not give money back");
    let of_deleted = usage(&daemon, "?groupBy=session&sessionId=s").await?;
    assert_eq!(figures(&of_deleted["groups"][0]["usage"]).0, 3, "{of_deleted:#}");
    Ok(())
}

#[tokio::test]
async fn a_turn_that_the_daemon_was_killed_in_counts_as_a_turn() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.send("s", "say working\nquestion single").await?;
    api.asked("s", "questions").await?;
    let daemon = again(daemon, Signal::KILL).await?;
    assert_eq!(usage(&daemon, "").await?["total"]["turns"], 1);
    Ok(())
}

#[tokio::test]
async fn queries_that_make_no_sense_are_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for (query, why) in [
        ("from=yesterday", "expected an RFC 3339 time such as 2026-03-14T00:00:00Z"),
        ("from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "must be later than 'from'"),
        ("groupBy=week", "session"),
        ("after=x", "expected the `next` of a page with the same `groupBy`"),
        ("limit=0", "limit"),
        ("sesionId=s", "did you mean 'sessionId'?"),
    ] {
        let reply = daemon.http().get(&format!("/v1/usage?{query}")).send().await?;
        let detail = reply.expect_problem(400, "invalid_request")?.detail;
        assert!(detail.contains(why), "{query}: {detail}");
    }
    Ok(())
}
