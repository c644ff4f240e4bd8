//! The spans of a turn: names, parents, times and attributes.

use crate::collector::Collector;
use crate::scene::{PARENT, Session, TRACE};
use anyhow::Result;
use serde_json::json;
use std::collections::BTreeSet;

/// The attributes of the semantic conventions for generative AI that spans may have, and our own.
const KNOWN: [&str; 26] = [
    "error.type",
    "gen_ai.agent.name",
    "gen_ai.agent.version",
    "gen_ai.conversation.id",
    "gen_ai.input.messages",
    "gen_ai.operation.name",
    "gen_ai.output.messages",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.result",
    "gen_ai.tool.name",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.reasoning.output_tokens",
    "sandbox_agent.install.version",
    "sandbox_agent.outcome",
    "sandbox_agent.permission.id",
    "sandbox_agent.question.id",
    "sandbox_agent.resolved_by",
    "sandbox_agent.tool.kind",
    "sandbox_agent.turn.id",
];

#[tokio::test]
async fn a_turn_with_a_tool_call_a_permission_and_a_question_is_a_tree_of_spans() -> Result<()> {
    let collector = Collector::start().await?;
    let daemon = collector.daemon().env("OTEL_RESOURCE_ATTRIBUTES", "team=blue").start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    let accepted = session.send("say private words\npermission Secret deed\nquestion single").await?;
    session.answer("permissions", json!({"reply": "once"})).await?;
    session.answer("questions", json!({"answers": [["Blue"]]})).await?;
    session.idle().await?;
    let turn = collector.span("invoke_agent demo").await?;
    assert_eq!((turn.trace.as_str(), turn.parent.as_str(), turn.kind), (TRACE, PARENT, 1));
    assert_eq!(turn.text("sandbox_agent.turn.id"), accepted["turnId"].as_str().unwrap());
    let texts = [
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.agent.name", "demo"),
        ("gen_ai.conversation.id", "s"),
        ("gen_ai.request.model", "demo-medium"),
    ];
    for (key, value) in texts {
        assert_eq!(turn.text(key), value, "{turn:#?}");
    }
    assert_eq!(turn.attributes["gen_ai.response.finish_reasons"], json!(["endTurn"]));
    assert!(turn.attributes["gen_ai.usage.input_tokens"].as_u64() > Some(0), "{turn:#?}");
    assert!(turn.attributes["gen_ai.usage.output_tokens"].as_u64() > Some(0), "{turn:#?}");
    let resource = ["service.name", "team"].map(|key| turn.resource[key].clone());
    assert_eq!(resource, [json!("sandbox-agent"), json!("blue")]);

    let spans = collector.spans()?;
    let tool = spans.iter().find(|span| span.text("gen_ai.operation.name") == "execute_tool").unwrap();
    let permission = spans.iter().find(|span| span.name == "permission").unwrap();
    let question = spans.iter().find(|span| span.name == "question").unwrap();
    assert_eq!(
        (&tool.parent, &permission.parent, &question.parent),
        (&turn.id, &tool.id, &turn.id),
        "{spans:#?}"
    );
    assert_eq!(tool.text("gen_ai.tool.call.id"), permission.text("gen_ai.tool.call.id"));
    assert_eq!(tool.name, format!("execute_tool {}", tool.text("gen_ai.tool.name")));
    let decision = ["sandbox_agent.outcome", "sandbox_agent.resolved_by"].map(|key| permission.text(key));
    assert_eq!(decision, ["once", "client"]);
    for span in &spans {
        assert_eq!(span.trace, TRACE);
        assert!(
            turn.start_ms <= span.start_ms && span.start_ms <= span.end_ms && span.end_ms <= turn.end_ms,
            "{spans:#?}"
        );
        assert_eq!(span.text("gen_ai.conversation.id"), "s");
        for key in span.attributes.keys() {
            assert!(KNOWN.contains(&key.as_str()), "{key} of {}", span.name);
        }
    }
    let everything = format!("{spans:?}");
    assert!(!everything.contains("private") && !everything.contains("Secret"), "{everything}");
    Ok(())
}

#[tokio::test]
async fn a_message_without_a_trace_begins_one_of_its_own() -> Result<()> {
    let collector = Collector::start().await?;
    let daemon = collector.daemon().start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    session.turn("say one").await?;
    session.turn("fail tool").await?;
    let traces = sa_e2e::poll("two turns", async || {
        let turns = collector.spans()?.into_iter().filter(|span| span.name == "invoke_agent demo");
        let traces: BTreeSet<_> = turns.map(|span| (span.trace, span.parent)).collect();
        Ok((traces.len() == 2).then_some(traces))
    })
    .await?;
    assert!(traces.iter().all(|(trace, parent)| trace.len() == 32 && parent.is_empty()), "{traces:?}");
    let failed = collector.spans()?.into_iter().find(|span| span.name.starts_with("execute_tool")).unwrap();
    assert_eq!((failed.status, failed.text("error.type")), (2, "tool_error"));
    Ok(())
}

#[tokio::test]
async fn content_is_exported_only_when_asked_for_and_without_secrets() -> Result<()> {
    let collector = Collector::start().await?;
    let daemon =
        collector.daemon().arg("--otlp-content").env("SOME_API_KEY", "daemon-secret").start().await?;
    let session = Session::create(&daemon, json!({"env": {"OWN": "session-secret"}})).await?;
    session.turn("say words with daemon-secret and session-secret").await?;
    let turn = collector.span("invoke_agent demo").await?;
    let said = turn.text("gen_ai.output.messages");
    assert!(said.contains("words with [redacted] and [redacted]") && said.contains("assistant"), "{turn:#?}");
    assert!(turn.text("gen_ai.input.messages").contains("[redacted]"), "{turn:#?}");
    Ok(())
}

#[tokio::test]
async fn traces_are_recorded_as_the_sampler_and_the_client_say() -> Result<()> {
    let collector = Collector::start().await?;
    let daemon = collector.daemon().env("OTEL_TRACES_SAMPLER", "parentbased_always_off").start().await?;
    let session = Session::create(&daemon, json!({})).await?;
    session.turn("say unrecorded").await?;
    session.send("say recorded").await?;
    session.idle().await?;
    collector.span("invoke_agent demo").await?;
    assert!(collector.spans()?.iter().all(|span| span.trace == TRACE));
    Ok(())
}

#[tokio::test]
async fn the_log_and_the_metrics_are_exported_too() -> Result<()> {
    let collector = Collector::start().await?;
    let daemon = collector
        .daemon()
        .env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20key")
        .env("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
        .start()
        .await?;
    Session::create(&daemon, json!({})).await?.turn("say hi").await?;
    sa_e2e::poll("records", async || {
        Ok(collector
            .records()?
            .into_iter()
            .find(|record| record.body == "listening" && record.severity == "INFO"))
    })
    .await?;
    let value = |name: &str, kind: &str| {
        let metric =
            collector.metrics()?.into_iter().find(|metric| metric.name == name && metric.kind == kind);
        Ok(metric.filter(|metric| metric.points.iter().any(|(_, value)| *value > 0.0)))
    };
    for (name, kind) in [
        ("sandbox_agent_session_turns", "sum"),
        ("sandbox_agent_sessions", "gauge"),
        ("gen_ai.client.operation.duration", "histogram"),
        ("gen_ai.client.token.usage", "histogram"),
    ] {
        sa_e2e::poll(name, async || value(name, kind)).await?;
    }
    let request = &collector.requests("/v1/metrics")[0];
    assert_eq!(request.headers["authorization"], "Bearer key");
    assert_eq!(request.headers["content-type"], "application/x-protobuf");
    Ok(())
}

#[tokio::test]
async fn nothing_is_exported_unless_it_is_configured() -> Result<()> {
    let collector = Collector::start().await?;
    let variables =
        [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()), ("OTEL_SDK_DISABLED", "true".to_owned())];
    let mut builder = sa_testkit::Daemon::builder();
    for (name, value) in &variables {
        builder = builder.env(name, value);
    }
    let mut daemon = builder.start().await?;
    Session::create(&daemon, json!({})).await?.turn("say hi").await?;
    daemon.signal(sa_testkit::Signal::TERM);
    daemon.exited().await?;
    for path in ["/v1/traces", "/v1/logs", "/v1/metrics"] {
        assert!(collector.requests(path).is_empty(), "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn an_installation_is_a_part_of_the_turn_that_waits_for_it() -> Result<()> {
    let collector = Collector::start().await?;
    // No address that anybody answers at.
    let daemon = collector.daemon().arg("--mirror").arg("http://127.0.0.1:9").start().await?;
    let session = Session::create(&daemon, json!({"agent": "codex"})).await?;
    session.send("hello").await?;
    let turn = collector.span("invoke_agent codex").await?;
    assert_eq!((turn.trace.as_str(), turn.status), (TRACE, 2), "{turn:#?}");
    let installations = sa_e2e::poll("two installations", async || {
        let spans = collector.spans()?.into_iter().filter(|span| span.name == "install codex");
        let spans: Vec<_> = spans.collect();
        Ok((spans.len() == 2).then_some(spans))
    })
    .await?;
    let [created, sent] = &installations[..] else { unreachable!() };
    assert!(created.parent.is_empty() && created.trace != TRACE, "the session was created without a trace");
    assert_eq!((&sent.trace, &sent.parent), (&turn.trace, &turn.id));
    assert_eq!((sent.status, sent.text("error.type")), (2, "noSource"), "{sent:#?}");
    Ok(())
}
