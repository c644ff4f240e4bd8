//! At least once, whenever the daemon ends.

use crate::log::Log;
use crate::receiver::{Answer, Receiver};
use crate::{limits, start, start_from, webhook, within};
use sa_api::sessions::{WebhookState, WebhookStatus};
use sa_webhooks::{WebhookLimits, fresh_status};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[tokio::test]
async fn what_was_sent_but_not_stored_is_sent_again() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.append_plans(100);
    let (task, _stop) = start(&log, webhook(&receiver), limits());
    let first = log.until_stored(|status| status.delivered_event_id == 100).await;
    log.store_hangs.store(true, Ordering::SeqCst);
    log.append_plans(50);
    // The events have arrived, and nobody has written that down.
    within(async {
        while receiver.ids().last() != Some(&150) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    task.abort();
    let _ = task.await;
    assert_eq!(log.stored().pop().unwrap().0, 100);

    log.store_hangs.store(false, Ordering::SeqCst);
    let before = receiver.requests().len();
    log.append_plans(10);
    log.end();
    let (task, _stop) = start_from(&log, webhook(&receiver), limits(), first);
    within(task).await.unwrap();
    let again: Vec<u64> = receiver.requests().iter().skip(before).flat_map(|request| request.ids()).collect();
    assert_eq!(again, (101..=160).collect::<Vec<u64>>());
}

#[tokio::test]
async fn killed_at_any_moment_nothing_is_lost_or_out_of_order() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.page.store(7, Ordering::SeqCst);
    let limits = WebhookLimits { batch_events: 5, ..limits() };
    let mut status = fresh_status(&webhook(&receiver));
    for round in 0..30 {
        log.append_plans(20);
        let (task, _stop) = start_from(&log, webhook(&receiver), limits.clone(), status.clone());
        tokio::time::sleep(Duration::from_micros(round * 400)).await;
        task.abort();
        let _ = task.await;
        status = log.stored().pop().map_or(status, |(_, status)| status);
    }
    log.end();
    let (task, _stop) = start_from(&log, webhook(&receiver), limits, status);
    within(task).await.unwrap();
    // Repeated, yes; but never an event before all that come before it.
    let mut next = 1;
    for id in receiver.ids() {
        assert!(id <= next, "{id} came before {next}");
        next = next.max(id + 1);
    }
    assert_eq!(next, 601);
}

#[tokio::test]
async fn a_pause_is_kept_across_a_restart() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.append_plans(1);
    let soon = SystemTime::now() + Duration::from_millis(600);
    let soon_ms = u64::try_from(soon.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let from = WebhookStatus {
        state: WebhookState::Failing,
        failures: 3,
        next_attempt_at: Some(sa_api::Timestamp::from_millis(soon_ms)),
        ..fresh_status(&webhook(&receiver))
    };
    let began = Instant::now();
    let (_task, stop) = start_from(&log, webhook(&receiver), limits(), from);
    let requests = receiver.until(1).await;
    stop.cancel();
    assert!(requests[0].at - began >= Duration::from_millis(550));
    assert_eq!(requests[0].delivery().attempt, 3);
}

#[tokio::test]
async fn giving_up_counts_failures_from_before_a_restart() {
    let receiver = Receiver::start(vec![Answer::status(500); 10]).await;
    let log = Log::new();
    log.append_plans(1);
    let limits = WebhookLimits { give_up: Duration::from_secs(60), ..limits() };
    let from = WebhookStatus { failures: 400, ..fresh_status(&webhook(&receiver)) };
    let (task, _stop) = start_from(&log, webhook(&receiver), limits, from);
    within(task).await.unwrap();
    assert_eq!(log.stored().pop().unwrap().1.state, WebhookState::Disabled);
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test]
async fn a_disabled_webhook_stays_disabled() {
    let receiver = Receiver::start([]).await;
    let log = Log::new();
    log.append_plans(1);
    let from = WebhookStatus { state: WebhookState::Disabled, ..fresh_status(&webhook(&receiver)) };
    let (task, _stop) = start_from(&log, webhook(&receiver), limits(), from);
    within(task).await.unwrap();
    assert_eq!(receiver.requests().len(), 0);
}

#[tokio::test]
async fn a_stop_ends_it_at_once_whatever_it_does() {
    let silent = Receiver::start([Answer::Silence]).await;
    let refusing = Receiver::start(vec![Answer::status(500); 10]).await;
    let idle = Receiver::start([]).await;
    let slow = WebhookLimits {
        first_pause: Duration::from_secs(60),
        longest_pause: Duration::from_secs(60),
        request_timeout: Duration::from_secs(60),
        ..limits()
    };
    for receiver in [silent, refusing, idle] {
        let log = Log::new();
        log.append_plans(1);
        let (task, stop) = start(&log, webhook(&receiver), slow.clone());
        receiver.until(1).await;
        stop.cancel();
        within(task).await.unwrap();
    }
}
