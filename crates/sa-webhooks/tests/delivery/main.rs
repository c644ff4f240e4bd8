//! Deliveries to real servers on loopback, from a log in memory.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod failures;
mod log;
mod receiver;
mod restarts;
mod signing;
mod streams;

use log::Log;
use receiver::Receiver;
use sa_api::sessions::{Webhook, WebhookStatus};
use sa_webhooks::{Client, WebhookLimits, fresh_status, run};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Far more than anything here takes; only a failure waits this long.
const PATIENCE: Duration = Duration::from_secs(20);

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("this took too long")
}

fn webhook(receiver: &Receiver) -> Webhook {
    Webhook { url: receiver.url(), secret: None, events: None }
}

/// As usual, but in a hurry.
fn limits() -> WebhookLimits {
    WebhookLimits {
        gather: Duration::from_millis(5),
        first_pause: Duration::from_millis(40),
        longest_pause: Duration::from_millis(200),
        request_timeout: Duration::from_secs(5),
        ..WebhookLimits::default()
    }
}

fn start_from(
    log: &Arc<Log>,
    webhook: Webhook,
    limits: WebhookLimits,
    from: WebhookStatus,
) -> (JoinHandle<()>, CancellationToken) {
    let stop = CancellationToken::new();
    let source: Arc<Log> = Arc::clone(log);
    (tokio::spawn(run(source, webhook, from, Client::new(), limits, stop.clone())), stop)
}

fn start(log: &Arc<Log>, webhook: Webhook, limits: WebhookLimits) -> (JoinHandle<()>, CancellationToken) {
    let from = fresh_status(&webhook);
    start_from(log, webhook, limits, from)
}
