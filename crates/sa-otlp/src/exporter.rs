//! The exporter as others hold it: it takes spans and records without ever waiting, and drops what it has no room for.

use crate::config::{Config, ConfigError, Target};
use crate::encode;
use crate::logs::LogRecord;
use crate::metrics::Reading;
use crate::post::Post;
use crate::sampler::Sampler;
use crate::span::Span;
use crate::worker::{self, Sender};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Time that a shutdown waits for a collector.
const FLUSH: Duration = Duration::from_secs(3);

/// Counts of one signal's items, by outcome.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) exported: AtomicU64,
    pub(crate) dropped: AtomicU64,
}

/// Items of one signal since the daemon started, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportCounts {
    /// The signal: `spans`, `logs` or `metrics`.
    pub signal: &'static str,
    /// Items that a collector has taken.
    pub exported: u64,
    /// Items that were dropped: there was no room, or no collector took them.
    pub dropped: u64,
}

impl ExportCounts {
    /// Returns the counts of a daemon that exports nothing.
    pub fn none() -> [Self; 3] {
        SIGNALS.map(|signal| Self { signal, exported: 0, dropped: 0 })
    }
}

/// A way to collectors. Clones are the same.
#[derive(Debug, Clone)]
pub struct Exporter {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: Config,
    spans: Option<mpsc::Sender<Span>>,
    records: Option<mpsc::Sender<LogRecord>>,
    /// Until metrics are read.
    metrics: Mutex<Option<Sender>>,
    counts: [Arc<Counts>; 3],
    stop: CancellationToken,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

const SIGNALS: [&str; 3] = ["spans", "logs", "metrics"];

impl Exporter {
    /// Starts the tasks that send spans and records.
    ///
    /// # Errors
    ///
    /// If a certificate cannot be read.
    pub fn start(config: Config) -> Result<Self, ConfigError> {
        let counts = [(); 3].map(|()| Arc::<Counts>::default());
        let [span_counts, record_counts, metric_counts] = counts.clone();
        let stop = CancellationToken::new();
        let sender = |signal, target: &Option<Target>, counts| -> Result<Option<Sender>, ConfigError> {
            let Some(target) = target else { return Ok(None) };
            let post = Post::new(target.clone())?;
            Ok(Some(Sender { signal, post, counts, stop: stop.clone(), failing: false }))
        };
        let spans = sender("spans", &config.traces, span_counts)?;
        let records = sender("logs", &config.logs, record_counts)?;
        let metrics = sender("metrics", &config.metrics, metric_counts)?;
        let (mut tasks, resource) = (Vec::new(), &config.resource);
        let spans = spans
            .map(|sender| worker::start(sender, config.spans, resource.clone(), encode::traces, &mut tasks));
        let records = records
            .map(|sender| worker::start(sender, config.records, resource.clone(), encode::logs, &mut tasks));
        let (tasks, metrics) = (Mutex::new(tasks), Mutex::new(metrics));
        Ok(Self { inner: Arc::new(Inner { config, spans, records, metrics, counts, stop, tasks }) })
    }

    /// Starts the task that reads metrics and sends them, at intervals and once more at the end.
    pub fn send_metrics(&self, read: impl Fn() -> Vec<Reading> + Send + 'static) {
        let sender = self.inner.metrics.lock().take();
        let Some(mut sender) = sender else { return };
        let stop = self.inner.stop.clone();
        let (resource, every) = (self.inner.config.resource.clone(), self.inner.config.metrics_every);
        let start = now_ns();
        let task = tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = tokio::time::sleep(every) => {}
                    () = stop.cancelled() => {}
                }
                let readings = read();
                let body = encode::metrics(&resource, &readings, start, now_ns());
                sender.deliver(readings.len() as u64, &body).await;
                if stop.is_cancelled() {
                    return;
                }
            }
        });
        self.inner.tasks.lock().push(task);
    }

    /// Hands over a span.
    pub fn span(&self, span: Span) {
        let [counts, ..] = &self.inner.counts;
        offer(self.inner.spans.as_ref(), counts, span);
    }

    /// Hands over a record of the log.
    pub fn record(&self, record: LogRecord) {
        let [_, counts, _] = &self.inner.counts;
        offer(self.inner.records.as_ref(), counts, record);
    }

    /// Returns what became of everything that was handed over.
    pub fn counts(&self) -> [ExportCounts; 3] {
        let mut counts = ExportCounts::none();
        for (shown, counted) in counts.iter_mut().zip(&self.inner.counts) {
            shown.exported = counted.exported.load(Relaxed);
            shown.dropped = counted.dropped.load(Relaxed);
        }
        counts
    }

    /// True if prompts, answers and the arguments of tools are exported, too.
    pub fn with_content(&self) -> bool {
        self.inner.config.with_content
    }

    pub(crate) fn sampler(&self) -> &Sampler {
        &self.inner.config.sampler
    }

    /// Sends what still waits, for a bounded time. Anything that is handed over from now on is dropped.
    pub async fn shutdown(&self) {
        self.inner.stop.cancel();
        let tasks = std::mem::take(&mut *self.inner.tasks.lock());
        let ended = async {
            for task in tasks {
                // A task that panicked has nothing left to send.
                let _ended = task.await;
            }
        };
        if tokio::time::timeout(FLUSH, ended).await.is_err() {
            tracing::warn!("telemetry was not exported in time; the rest is dropped");
        }
    }
}

fn offer<T>(queue: Option<&mpsc::Sender<T>>, counts: &Counts, item: T) {
    if let Some(queue) = queue
        && queue.try_send(item).is_err()
    {
        counts.dropped.fetch_add(1, Relaxed);
    }
}

pub(crate) fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
