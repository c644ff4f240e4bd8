//! Receivers that do not take what they get.

use crate::log::Log;
use crate::receiver::{Answer, Receiver};
use crate::{limits, start, webhook, within};
use sa_api::sessions::{Webhook, WebhookState};
use sa_webhooks::WebhookLimits;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_failed_delivery_is_tried_again_later_and_later() {
    let answers = vec![Answer::status(500), Answer::status(404), Answer::status(429), Answer::status(503)];
    let receiver = Receiver::start(answers).await;
    let log = Log::new();
    log.append_plans(2);
    let limits = WebhookLimits { longest_pause: Duration::from_secs(5), ..limits() };
    let (_task, stop) = start(&log, webhook(&receiver), limits);
    let requests = receiver.until(5).await;
    log.until_stored(|status| status.delivered_event_id == 2).await;
    stop.cancel();
    let attempts: Vec<u32> = requests.iter().map(|request| request.delivery().attempt).collect();
    assert_eq!(attempts, [0, 1, 2, 3, 4]);
    assert!(requests.iter().all(|request| request.ids() == [1, 2]));
    let id = |at: usize| requests[at].headers.get("x-sandbox-agent-delivery");
    assert!((1..5).all(|at| id(at) == id(0)), "a delivery keeps its id");
    // 40, 80, 160 and 320 ms, each up to a quarter less, but never less than the first.
    for (at, least) in [(1, 40), (2, 60), (3, 120), (4, 240)] {
        let pause = requests[at].at - requests[at - 1].at;
        assert!(pause >= Duration::from_millis(least), "{at}: {pause:?}");
    }
    let seen: Vec<_> = log.stored().into_iter().map(|(_, status)| status).collect();
    let failures: Vec<u32> = seen.iter().map(|status| status.failures).collect();
    assert_eq!(failures, [1, 2, 3, 4, 0]);
    assert!(seen[..4].iter().all(|status| status.state == WebhookState::Failing));
    assert!(
        seen[..4].iter().all(|status| status.next_attempt_at.is_some() && status.delivered_event_id == 0)
    );
    assert_eq!(seen[1].last_error.as_deref(), Some("the receiver answered 404 Not Found"));
    assert_eq!((seen[4].state, seen[4].last_error.clone()), (WebhookState::Active, None));
}

#[tokio::test]
async fn a_receiver_can_ask_for_time() {
    let receiver = Receiver::start([Answer::Status(503, "Retry-After: 1\r\n".to_owned())]).await;
    let log = Log::new();
    log.append_plans(1);
    let (_task, stop) = start(&log, webhook(&receiver), limits());
    let requests = receiver.until(2).await;
    stop.cancel();
    assert!(requests[1].at - requests[0].at >= Duration::from_secs(1));
}

#[tokio::test]
async fn but_not_for_more_than_there_is() {
    let receiver = Receiver::start([Answer::Status(503, "Retry-After: 99999999\r\n".to_owned())]).await;
    let log = Log::new();
    log.append_plans(1);
    let limits = WebhookLimits { longest_retry_after: Duration::from_millis(50), ..limits() };
    let (_task, stop) = start(&log, webhook(&receiver), limits);
    receiver.until(2).await;
    stop.cancel();
}

#[tokio::test]
async fn gone_is_gone() {
    let receiver = Receiver::start([Answer::status(204), Answer::status(410)]).await;
    let log = Log::new();
    log.append_plans(100);
    log.append_plans(100);
    let (task, _stop) = start(&log, webhook(&receiver), limits());
    within(task).await.unwrap();
    let (delivered, status) = log.stored().pop().unwrap();
    assert_eq!((delivered, status.state), (100, WebhookState::Disabled));
    assert!(status.last_error.unwrap().contains("410") && status.next_attempt_at.is_none());
    assert_eq!(receiver.requests().len(), 2);
}

#[tokio::test]
async fn one_that_fails_for_too_long_is_given_up() {
    let receiver = Receiver::start(vec![Answer::status(500); 1000]).await;
    let log = Log::new();
    log.append_plans(1);
    let limits = WebhookLimits { give_up: Duration::from_millis(500), ..limits() };
    let began = Instant::now();
    let (task, _stop) = start(&log, webhook(&receiver), limits);
    within(task).await.unwrap();
    assert!(began.elapsed() >= Duration::from_millis(500));
    let (delivered, status) = log.stored().pop().unwrap();
    assert_eq!((delivered, status.state), (0, WebhookState::Disabled));
    assert!(status.failures >= 2, "{}", status.failures);
    assert!(status.last_error.unwrap().contains("given up"));
}

#[tokio::test]
async fn success_in_between_starts_the_clock_anew() {
    let answers = (0..8).flat_map(|_| [Answer::status(500), Answer::status(500), Answer::status(200)]);
    let receiver = Receiver::start(answers).await;
    let log = Log::new();
    log.append_plans(8);
    log.end();
    let limits = WebhookLimits {
        batch_events: 1,
        first_pause: Duration::from_millis(150),
        longest_pause: Duration::from_millis(150),
        give_up: Duration::from_secs(2),
        ..limits()
    };
    let began = Instant::now();
    let (task, _stop) = start(&log, webhook(&receiver), limits);
    within(task).await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(2), "it failed for longer than that, in all");
    assert_eq!(log.stored().pop().unwrap().1.delivered_event_id, 8);
}

#[tokio::test]
async fn a_receiver_that_hangs_is_left_and_tried_again() {
    let receiver = Receiver::start([Answer::Silence]).await;
    let log = Log::new();
    log.append_plans(1);
    let limits = WebhookLimits { request_timeout: Duration::from_millis(300), ..limits() };
    let (_task, stop) = start(&log, webhook(&receiver), limits);
    receiver.until(2).await;
    let failing = log.until_stored(|status| status.failures == 1).await;
    assert!(failing.last_error.unwrap().contains("no answer within"));
    log.until_stored(|status| status.delivered_event_id == 1).await;
    stop.cancel();
}

#[tokio::test]
async fn nonsense_is_a_failure_like_any_other() {
    let nonsense: [&[u8]; 5] = [
        b"",
        b"hello\r\n\r\n",
        b"HTTP/1.1 999999 What\r\n\r\n",
        b"\x00\xff\xfe\x01",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ];
    let receiver = Receiver::start(nonsense.map(|bytes| Answer::Bytes(bytes.to_vec()))).await;
    let log = Log::new();
    log.append_plans(1);
    let (_task, stop) = start(&log, webhook(&receiver), limits());
    let delivered = log.until_stored(|status| status.delivered_event_id == 1).await;
    stop.cancel();
    assert_eq!(delivered.state, WebhookState::Active);
    assert!(receiver.requests().len() >= 6, "{}", receiver.requests().len());
}

#[tokio::test]
async fn an_answer_without_an_end_is_not_read_to_it() {
    let receiver = Receiver::start([Answer::Endless(500), Answer::Endless(200)]).await;
    let log = Log::new();
    log.append_plans(1);
    // Waiting for the end would take longer than the patience of this test.
    let limits = WebhookLimits { request_timeout: Duration::from_secs(60), ..limits() };
    let (_task, stop) = start(&log, webhook(&receiver), limits);
    log.until_stored(|status| status.delivered_event_id == 1).await;
    stop.cancel();
    assert_eq!(receiver.requests().len(), 2);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Receiver::start([]).await;
    let location = format!("Location: {}\r\n", elsewhere.url());
    let receiver =
        Receiver::start([301, 307, 308].map(|status| Answer::Status(status, location.clone()))).await;
    let log = Log::new();
    log.append_plans(1);
    let (_task, stop) = start(&log, webhook(&receiver), limits());
    log.until_stored(|status| status.delivered_event_id == 1).await;
    stop.cancel();
    assert_eq!((receiver.requests().len(), elsewhere.requests().len()), (4, 0));
}

#[tokio::test]
async fn nobody_there_is_a_failure_that_names_no_secret() {
    let log = Log::new();
    log.append_plans(1);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let webhook = Webhook {
        url: format!("http://me:s3cret@{address}/x?token=s3cret"),
        secret: Some("s3cret".to_owned()),
        events: None,
    };
    let (_task, stop) = start(&log, webhook, limits());
    let status = log.until_stored(|status| status.failures == 2).await;
    stop.cancel();
    let shown = serde_json::to_string(&status).unwrap();
    assert!(shown.contains("efused") && !shown.contains("s3cret"), "{shown}");
}

#[tokio::test]
async fn an_address_that_cannot_be_called_disables_it() {
    let log = Log::new();
    let webhook = Webhook { url: "ftp://host/x".to_owned(), secret: None, events: None };
    let (task, _stop) = start(&log, webhook, limits());
    within(task).await.unwrap();
    assert_eq!(log.stored().pop().unwrap().1.state, WebhookState::Disabled);
}
