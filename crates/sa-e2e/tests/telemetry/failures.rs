//! Collectors that are down, slow or busy, and daemons that end. Sessions never notice.

use crate::collector::{Collector, Manner};
use crate::scene::{Session, metric};
use anyhow::Result;
use sa_testkit::{Daemon, Signal};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn sessions_work_while_the_collector_is_down_and_drops_are_counted() -> Result<()> {
    // No address that anybody answers at.
    let daemon = Daemon::builder().arg("--otlp-endpoint").arg("http://127.0.0.1:9");
    let daemon =
        daemon.env("OTEL_BSP_MAX_QUEUE_SIZE", "2").env("OTEL_BSP_SCHEDULE_DELAY", "10").start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    for _ in 0..8 {
        let events = session.turn("say on we go\nread a.txt").await?;
        assert!(events.contains("endTurn"), "{events}");
    }
    sa_e2e::poll("counted drops", async || {
        Ok((metric(&daemon, "sandbox_agent_telemetry_dropped_total").await? > 0.0).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_collector_that_stalls_holds_nothing_up_and_the_end_is_bounded() -> Result<()> {
    let collector = Collector::start().await?;
    collector.behave(Manner::Stalls);
    let mut daemon = collector.daemon().start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    for _ in 0..5 {
        session.turn("say on we go").await?;
    }
    sa_e2e::poll("a request that hangs", async || {
        Ok((!collector.requests("/v1/traces").is_empty()).then_some(()))
    })
    .await?;
    let began = Instant::now();
    daemon.signal(Signal::TERM);
    daemon.exited().await?;
    // The flush takes three seconds at most; the rest is for a busy machine.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    Ok(())
}

#[tokio::test]
async fn a_busy_collector_gets_everything_after_the_pause_that_it_asks_for() -> Result<()> {
    let collector = Collector::start().await?;
    collector.behave(Manner::Answers(429, "retry-after: 1\r\n"));
    let daemon = collector.daemon().start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    session.turn("say once").await?;
    sa_e2e::poll("a refusal", async || Ok((!collector.requests("/v1/traces").is_empty()).then_some(())))
        .await?;
    collector.behave(Manner::Takes);
    collector.span("invoke_agent demo").await?;
    let came: Vec<Instant> = collector.requests("/v1/traces").iter().map(|request| request.at).collect();
    let pauses = came.iter().zip(came.iter().skip(1)).map(|(one, next)| next.duration_since(*one));
    assert!(pauses.min() >= Some(Duration::from_secs(1)), "it came back too early");
    assert_eq!(collector.spans()?.iter().filter(|span| span.name == "invoke_agent demo").count(), 1);
    assert_eq!(metric(&daemon, "sandbox_agent_telemetry_dropped_total").await?, 0.0);
    Ok(())
}

#[tokio::test]
async fn what_a_collector_refuses_for_good_is_not_sent_again() -> Result<()> {
    let collector = Collector::start().await?;
    collector.behave(Manner::Answers(400, ""));
    let daemon = collector.daemon().start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    session.turn("say refused").await?;
    sa_e2e::poll("counted drops", async || {
        let dropped = metric(&daemon, "sandbox_agent_telemetry_dropped_total{signal=\"spans\"}").await?;
        Ok((dropped > 0.0).then_some(()))
    })
    .await?;
    collector.behave(Manner::Takes);
    session.turn("say taken").await?;
    collector.span("invoke_agent demo").await?;
    assert_eq!(collector.spans()?.iter().filter(|span| span.name == "invoke_agent demo").count(), 1);
    Ok(())
}

#[tokio::test]
async fn a_daemon_that_is_stopped_sends_what_waits() -> Result<()> {
    let collector = Collector::start().await?;
    let mut daemon = collector.daemon().env("OTEL_BSP_SCHEDULE_DELAY", "600000").start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    session.turn("say before the end").await?;
    session.send("sleep 600000").await?;
    sa_e2e::poll("the second turn", async || Ok((session.get().await?["state"] == "running").then_some(())))
        .await?;
    assert!(collector.spans()?.is_empty());
    daemon.signal(Signal::TERM);
    daemon.exited().await?;
    let spans = collector.spans()?;
    assert!(spans.iter().any(|span| span.name == "invoke_agent demo" && span.status == 0), "{spans:#?}");
    let records = collector.records()?;
    assert!(records.iter().any(|record| record.body.contains("stopping")), "{records:?}");
    Ok(())
}

#[tokio::test]
async fn a_turn_that_the_daemon_was_killed_in_is_reported_by_the_next_one() -> Result<()> {
    let collector = Collector::start().await?;
    let mut daemon = collector.daemon().start().await?;
    let sandbox = daemon.sandbox();
    let session = Session::create(&daemon, json!({})).await?;
    let accepted = session.send("read a.txt\nquestion single").await?;
    sa_e2e::poll("a question", async || Ok(session.get().await?["questions"][0]["id"].as_str().map(drop)))
        .await?;
    let tool = sa_e2e::poll("the span of the tool call", async || {
        Ok(collector.spans()?.into_iter().find(|span| span.name.starts_with("execute_tool")))
    })
    .await?;
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    let _daemon = collector.daemon().sandbox(sandbox).start().await?;
    let turn = collector.span("invoke_agent demo").await?;
    assert_eq!((&turn.id, &turn.trace), (&tool.parent, &tool.trace), "both daemons tell of one turn");
    assert_eq!((turn.status, turn.text("error.type")), (2, "daemonRestarted"));
    assert_eq!(turn.text("sandbox_agent.turn.id"), accepted["turnId"].as_str().unwrap());
    assert!(turn.start_ms <= tool.start_ms && tool.end_ms <= turn.end_ms);
    Ok(())
}

#[tokio::test]
async fn values_that_cannot_be_used_stop_the_start() -> Result<()> {
    for (name, value) in [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "nowhere")]
    {
        let failed =
            Daemon::builder().env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9").env(name, value);
        let error = failed.start().await.err().map(|error| format!("{error:?}")).unwrap_or_default();
        assert!(error.contains(name), "{name}: {error}");
    }
    Ok(())
}
