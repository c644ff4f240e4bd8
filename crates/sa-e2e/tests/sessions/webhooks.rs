//! Events that are delivered rather than fetched.

use crate::api::{Api, kinds, said};
use crate::receiver::Receiver;
use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Everything that was delivered, in the order of arrival.
fn delivered(receiver: &Receiver) -> Result<Vec<Value>> {
    let mut events = Vec::new();
    for delivery in receiver.deliveries() {
        events.extend(delivery.json()?["events"].as_array().context("events")?.clone());
    }
    Ok(events)
}

#[tokio::test]
async fn events_are_delivered_in_order_and_signed() -> Result<()> {
    let receiver = Receiver::start(0).await?;
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let webhook = json!({"url": receiver.url(), "secret": "whsec_test"});
    let session = api.create_with("s", json!({"webhook": webhook, "permissionMode": "bypass"})).await?;
    assert!(
        !session.to_string().contains("whsec_test") && !session.to_string().contains("hidden"),
        "{session:#}"
    );
    api.turn("s", "stream 5\nedit a.txt").await?;
    let events = api.events("s").await?;
    let expected: Vec<&Value> =
        events.iter().filter(|event| kinds(std::slice::from_ref(event)) != ["messageDelta"]).collect();
    sa_testkit::until("everything to be delivered", || delivered(&receiver).unwrap().len() >= expected.len())
        .await?;
    assert_eq!(delivered(&receiver)?.iter().collect::<Vec<_>>(), expected);
    for delivery in receiver.deliveries() {
        assert_eq!(delivery.json()?["sessionId"], "s");
        assert_eq!(delivery.headers["content-type"], "application/json");
        let mut signed = format!("{}.", delivery.headers["x-sandbox-agent-timestamp"]).into_bytes();
        signed.extend_from_slice(&delivery.body);
        assert_eq!(
            delivery.headers["x-sandbox-agent-signature"],
            format!("v1={}", hmac("whsec_test", &signed)?)
        );
    }
    let status =
        api.when("s", "the webhook to be done", |s| s["webhook"]["deliveredEventId"] == s["lastEventId"]);
    assert_eq!(status.await?["webhook"]["state"], "active");
    Ok(())
}

#[tokio::test]
async fn deliveries_name_the_trace_of_the_newest_turn() -> Result<()> {
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let receiver = Receiver::start(0).await?;
    let daemon = Daemon::builder().start().await?;
    let webhook = json!({"url": receiver.url(), "events": ["turnEnded"]});
    Api::of(&daemon).create_with("s", json!({"webhook": webhook})).await?;
    let request = daemon.http().post("/v1/sessions/s/messages").header("traceparent", PARENT);
    let request = request.also_header("tracestate", "vendor=kept");
    request.json(json!({"message": "say hi"}).to_string()).send().await?.expect_status(202)?;
    sa_testkit::until("the delivery", || !receiver.deliveries().is_empty()).await?;
    let headers = &receiver.deliveries()[0].headers;
    assert_eq!((headers["traceparent"].as_str(), headers["tracestate"].as_str()), (PARENT, "vendor=kept"));
    Ok(())
}

#[tokio::test]
async fn what_fails_is_delivered_again_and_a_filter_is_heeded() -> Result<()> {
    let receiver = Receiver::start(1).await?;
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let webhook = json!({"url": receiver.url(), "events": ["turnEnded"]});
    api.create_with("s", json!({"webhook": webhook})).await?;
    api.turn("s", "say hi").await?;
    sa_testkit::until("a second try", || receiver.deliveries().len() >= 2).await?;
    let deliveries = receiver.deliveries();
    let (first, second) = (deliveries[0].json()?, deliveries[1].json()?);
    assert_eq!(
        (&first["events"], &first["attempt"], &second["attempt"]),
        (&second["events"], &json!(0), &json!(1))
    );
    assert_eq!(kinds(second["events"].as_array().unwrap()), ["turnEnded"]);
    assert!(!deliveries[0].headers.contains_key("x-sandbox-agent-signature"), "there is no secret");
    Ok(())
}

#[tokio::test]
async fn a_deleted_sessions_last_events_are_delivered() -> Result<()> {
    let receiver = Receiver::start_slow(0, std::time::Duration::from_millis(500)).await?;
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"webhook": {"url": receiver.url()}})).await?;
    api.turn("s", "say the last words").await?;
    api.delete("s").await?.expect_status(204)?;
    let events = delivered(&receiver)?;
    assert_eq!(kinds(&events).last().map(String::as_str), Some("ended"), "{:?}", kinds(&events));
    assert!(kinds(&events).contains(&"turnEnded".to_owned()));
    assert!(said(&events).contains("the last words"));
    Ok(())
}

#[tokio::test]
async fn nobody_waits_long_for_a_receiver_that_does_not_answer() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    // Accepted by the system, and never answered.
    let silent = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let refused = {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        listener.local_addr()?
    };
    for (id, address) in [("silent", silent.local_addr()?), ("refused", refused)] {
        let webhook = json!({"url": format!("http://{address}/hook")});
        api.create_with(id, json!({"webhook": webhook})).await?;
        let deleting = tokio::time::timeout(std::time::Duration::from_secs(20), api.delete(id));
        deleting.await.with_context(|| format!("DELETE of {id}"))??.expect_status(204)?;
    }
    Ok(())
}

#[tokio::test]
async fn the_secret_part_of_an_address_is_shown_nowhere() -> Result<()> {
    let sandbox = {
        let daemon = Daemon::builder().start().await?;
        let api = Api::of(&daemon);
        let webhook = json!({"url": "http://127.0.0.1:9/services/T000/B000/hidden?hidden"});
        let session = api.create_with("s", json!({"webhook": webhook})).await?;
        assert_eq!(session["webhook"]["url"], "http://127.0.0.1:9/services/…?…");
        api.when("s", "a failure", |session| session["webhook"]["state"] == "failing").await?;
        daemon.sandbox()
    };
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    let session = api.session("s").await?;
    assert_eq!(session["webhook"]["url"], "http://127.0.0.1:9/services/…?…");
    let events = api.events("s").await?;
    let export = api.get("/s/export").await?.expect_status(200)?.text();
    for text in [session.to_string(), json!(events).to_string(), export, daemon.stderr()] {
        assert!(!text.contains("hidden"), "{text}");
    }
    Ok(())
}

/// HMAC-SHA256 in hexadecimal digits, by a program that shares nothing with the daemon.
fn hmac(key: &str, text: &[u8]) -> Result<String> {
    let mut child = Command::new("openssl")
        .args(["dgst", "-sha256", "-hmac", key])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("openssl")?;
    child.stdin.take().context("its input")?.write_all(text)?;
    let output = String::from_utf8(child.wait_with_output()?.stdout)?;
    Ok(output.trim().rsplit(['=', ' ']).next().unwrap_or_default().to_owned())
}
