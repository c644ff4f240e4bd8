//! The task that sends one signal: it takes what waits in batches, and tries again while the collector may still take it.

use crate::config::Batching;
use crate::encode::Resource;
use crate::exporter::Counts;
use crate::post::{Outcome, Post};
use sa_net::Backoff;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// Time for which a batch is retried. Meanwhile others wait, and are dropped when there is no more room.
const RETRY_LIMIT: Duration = Duration::from_secs(60);
/// The pauses between attempts, unless the collector asks for another.
const BACKOFF: Backoff = Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(15) };

/// Sends bytes to one collector, and reports once if that fails and once when it works again.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) signal: &'static str,
    pub(crate) post: Post,
    pub(crate) counts: Arc<Counts>,
    pub(crate) stop: CancellationToken,
    pub(crate) failing: bool,
}

impl Sender {
    /// Sends a request that has so many items in it.
    pub(crate) async fn deliver(&mut self, items: u64, body: &[u8]) {
        let until = Instant::now() + RETRY_LIMIT;
        let mut failures = 0;
        loop {
            let is_last = self.stop.is_cancelled();
            let (reason, asked) = match self.post.send(body).await {
                Outcome::Delivered => return self.delivered(items),
                Outcome::Refused(reason) => return self.lost(items, &reason),
                Outcome::Later { reason, pause } => (reason, pause),
            };
            failures += 1;
            let wait = asked.unwrap_or_else(|| BACKOFF.jittered_pause(failures));
            if is_last || Instant::now() + wait > until {
                return self.lost(items, &reason);
            }
            self.note_failure(&reason);
            tokio::select! {
                () = sleep(wait) => {}
                // The last attempt comes at once.
                () = self.stop.cancelled() => {}
            }
        }
    }

    fn delivered(&mut self, items: u64) {
        self.counts.exported.fetch_add(items, Relaxed);
        if std::mem::take(&mut self.failing) {
            tracing::info!(signal = self.signal, "telemetry is exported again");
        }
    }

    fn lost(&mut self, items: u64, reason: &str) {
        self.counts.dropped.fetch_add(items, Relaxed);
        self.note_failure(reason);
    }

    fn note_failure(&mut self, reason: &str) {
        if !std::mem::replace(&mut self.failing, true) {
            tracing::warn!(signal = self.signal, reason, "telemetry cannot be exported");
        }
    }
}

/// Starts the task that sends what comes into a queue, until it is closed and empty.
pub(crate) fn start<T: Send + Sync + 'static>(
    sender: Sender,
    batching: Batching,
    resource: Resource,
    encode: fn(&Resource, &[T]) -> Vec<u8>,
    tasks: &mut Vec<JoinHandle<()>>,
) -> mpsc::Sender<T> {
    let (queue, waiting) = mpsc::channel(batching.queue);
    let encode = move |batch: &[T]| encode(&resource, batch);
    tasks.push(tokio::spawn(run(waiting, batching, sender, encode)));
    queue
}

async fn run<T>(
    mut queue: mpsc::Receiver<T>,
    batching: Batching,
    mut sender: Sender,
    encode: impl Fn(&[T]) -> Vec<u8>,
) {
    let stop = sender.stop.clone();
    loop {
        let mut batch = Vec::new();
        tokio::select! {
            biased;
            first = queue.recv() => match first {
                Some(first) => batch.push(first),
                None => return,
            },
            () = stop.cancelled(), if !queue.is_closed() => {
                queue.close();
                continue;
            }
        }
        let until = Instant::now() + batching.delay;
        while batch.len() < batching.batch {
            tokio::select! {
                biased;
                next = queue.recv() => match next {
                    Some(next) => batch.push(next),
                    None => break,
                },
                () = sleep_until(until) => break,
                () = stop.cancelled(), if !queue.is_closed() => queue.close(),
            }
        }
        sender.deliver(batch.len() as u64, &encode(&batch)).await;
    }
}
