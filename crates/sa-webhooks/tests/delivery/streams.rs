//! Deliveries arrive complete, in order, and in batches of the right size.

use crate::log::Log;
use crate::receiver::Receiver;
use crate::{limits, start, webhook, within};
use sa_api::sessions::{Webhook, WebhookState};
use sa_webhooks::WebhookLimits;
use std::sync::atomic::Ordering;

#[tokio::test]
async fn events_arrive_in_order_and_in_batches() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.append_plans(250);
    let (task, _stop) = start(&log, webhook(&receiver), limits());
    receiver.until(3).await;
    log.append_plans(3);
    log.end();
    within(task).await.unwrap();
    assert_eq!(receiver.ids(), (1..=253).collect::<Vec<u64>>());
    let requests = receiver.requests();
    assert!(requests.iter().all(|request| request.ids().len() <= 100));
    let (delivered, status) = log.stored().pop().unwrap();
    assert_eq!((delivered, status.state, status.failures), (253, WebhookState::Active, 0));
    assert!(status.url.ends_with("/hook?…"), "{}", status.url);
}

#[tokio::test]
async fn a_delivery_is_what_the_contract_says() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.append(r#"{"error":{"kind":"x","message":"ä \" \\ 😀","later":[1.0,{"kept":null}]}}"#);
    log.append_plans(1);
    let (_task, stop) = start(&log, webhook(&receiver), limits());
    let requests = receiver.until(1).await;
    stop.cancel();
    let [request] = &requests[..] else { panic!("one delivery") };
    assert_eq!(request.line, "POST /hook?key=k HTTP/1.1");
    assert_eq!(request.headers.get("content-type").map(String::as_str), Some("application/json"));
    let id = request.headers.get("x-sandbox-agent-delivery").unwrap();
    assert_eq!(id.len(), 36, "{id}");
    assert!(!request.headers.contains_key("x-sandbox-agent-signature"));
    let delivery = request.delivery();
    assert_eq!((delivery.session_id.as_str(), delivery.attempt, delivery.events.len()), ("s1", 0, 2));
    // As it is in the log, byte by byte.
    let body = String::from_utf8(request.body.clone()).unwrap();
    assert!(body.contains(std::str::from_utf8(&log.json(1)).unwrap()), "{body}");
}

#[tokio::test]
async fn only_what_was_asked_for_is_sent() {
    let log = Log::new();
    for data in [
        r#"{"plan":{"entries":[]}}"#,
        r#"{"messageDelta":{"messageId":"m","partIndex":0,"text":"a"}}"#,
        r#"{"unknown":{"raw":1}}"#,
        r#"{"plan":{"entries":[]}}"#,
    ] {
        log.append(data);
    }
    log.end();
    let cases = [
        (None, vec![1, 3, 4]),
        (Some(vec!["messageDelta"]), vec![2]),
        (Some(vec!["plan"]), vec![1, 4]),
        (Some(vec![]), vec![]),
    ];
    for (names, expected) in cases {
        let receiver = Receiver::start([]).await;
        let events = names.map(|names: Vec<&str>| names.into_iter().map(str::to_owned).collect());
        let (task, _stop) = start(&log, Webhook { events, ..webhook(&receiver) }, limits());
        within(task).await.unwrap();
        let ids: Vec<u64> = receiver
            .requests()
            .iter()
            .flat_map(|request| {
                let value: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
                let events = value["events"].as_array().unwrap().clone();
                events.into_iter().map(|event| event["id"].as_u64().unwrap())
            })
            .collect();
        assert_eq!(ids, expected);
        // Skipped events count as handled.
        assert_eq!(log.stored().pop().unwrap().0, 4);
    }
}

#[tokio::test]
async fn progress_over_what_nobody_wants_is_stored_now_and_then() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    for _ in 0..2500 {
        log.append(r#"{"messageDelta":{}}"#);
    }
    log.end();
    let (task, _stop) = start(&log, webhook(&receiver), limits());
    within(task).await.unwrap();
    assert_eq!(receiver.requests().len(), 0);
    let cursors: Vec<u64> = log.stored().into_iter().map(|(delivered, _)| delivered).collect();
    assert_eq!(cursors.last(), Some(&2500));
    assert!(cursors.len() <= 4, "{cursors:?}");
}

#[tokio::test]
async fn an_event_that_is_too_long_goes_alone() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.append_plans(2);
    log.append(&format!(r#"{{"unknown":{{"raw":"{}"}}}}"#, "x".repeat(300_000)));
    log.append_plans(2);
    log.end();
    let (task, _stop) = start(&log, webhook(&receiver), limits());
    within(task).await.unwrap();
    let batches: Vec<Vec<u64>> = receiver.requests().iter().map(|request| request.ids()).collect();
    assert_eq!(batches, [vec![1, 2], vec![3], vec![4, 5]]);
}

#[tokio::test]
async fn batches_are_not_longer_than_they_may_be() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    for _ in 0..40 {
        log.append(&format!(r#"{{"unknown":{{"raw":"{}"}}}}"#, "x".repeat(20_000)));
    }
    log.end();
    let (task, _stop) = start(&log, webhook(&receiver), limits());
    within(task).await.unwrap();
    assert_eq!(receiver.ids(), (1..=40).collect::<Vec<u64>>());
    let longest = receiver.requests().iter().map(|request| request.body.len()).max().unwrap();
    assert!(longest <= WebhookLimits::default().batch_bytes && longest > 200_000, "{longest}");
}

#[tokio::test]
async fn a_log_that_cannot_be_read_for_a_while_loses_nothing() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.append_plans(3);
    log.reads_fail.store(3, Ordering::SeqCst);
    let (_task, stop) = start(&log, webhook(&receiver), limits());
    receiver.until(1).await;
    stop.cancel();
    assert_eq!(receiver.ids(), [1, 2, 3]);
}
