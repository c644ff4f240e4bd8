//! A session's log in memory, with a view of what was stored about its webhook.

use bytes::Bytes;
use sa_api::sessions::WebhookStatus;
use sa_webhooks::{BoxFuture, Source};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

#[derive(Default)]
pub(crate) struct Log {
    events: Mutex<Vec<(u64, Bytes)>>,
    stored: Mutex<Vec<(u64, WebhookStatus)>>,
    changed: Notify,
    is_over: AtomicBool,
    /// As if the daemon was killed just before it could store something.
    pub(crate) store_hangs: AtomicBool,
    /// The number of reads that fail from now on.
    pub(crate) reads_fail: AtomicUsize,
    pub(crate) page: AtomicUsize,
}

impl Log {
    pub(crate) fn new() -> Arc<Self> {
        let log = Self::default();
        log.page.store(150, Ordering::SeqCst);
        Arc::new(log)
    }

    /// Appends an event whose data is this JSON.
    pub(crate) fn append(&self, data: &str) {
        let mut events = self.events.lock().unwrap();
        let id = events.len() as u64 + 1;
        let text = format!(
            r#"{{"id":{id},"timestamp":"2026-01-01T00:00:00Z","sessionId":"s1","agent":"demo","data":{data}}}"#
        );
        events.push((id, Bytes::from(text)));
        drop(events);
        self.changed.notify_waiters();
    }

    pub(crate) fn append_plans(&self, number: usize) {
        for _ in 0..number {
            self.append(r#"{"plan":{"entries":[]}}"#);
        }
    }

    /// The session is gone: nothing more will come.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    pub(crate) fn json(&self, id: u64) -> Bytes {
        let events = self.events.lock().unwrap();
        events.iter().find(|(known, _)| *known == id).map(|(_, json)| json.clone()).unwrap()
    }

    pub(crate) fn stored(&self) -> Vec<(u64, WebhookStatus)> {
        self.stored.lock().unwrap().clone()
    }

    /// Waits until something was stored that is like this.
    pub(crate) async fn until_stored(&self, like: impl Fn(&WebhookStatus) -> bool) -> WebhookStatus {
        crate::within(async {
            loop {
                let found = self.stored().into_iter().map(|(_, status)| status).find(|status| like(status));
                match found {
                    Some(status) => return status,
                    None => tokio::time::sleep(std::time::Duration::from_millis(2)).await,
                }
            }
        })
        .await
    }
}

impl Source for Log {
    fn events(&self, after: u64) -> BoxFuture<'_, Result<Vec<(u64, Bytes)>, String>> {
        Box::pin(async move {
            let failing =
                self.reads_fail.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            if failing.is_ok() {
                return Err("the disk is away".to_owned());
            }
            let events = self.events.lock().unwrap();
            let page = self.page.load(Ordering::SeqCst);
            Ok(events.iter().filter(|(id, _)| *id > after).take(page).cloned().collect())
        })
    }

    fn wait(&self, after: u64) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            loop {
                let changed = self.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if self.events.lock().unwrap().len() as u64 > after {
                    return true;
                }
                if self.is_over.load(Ordering::SeqCst) {
                    return false;
                }
                changed.await;
            }
        })
    }

    fn store<'a>(&'a self, delivered: u64, status: &'a WebhookStatus) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if self.store_hangs.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            assert_eq!(delivered, status.delivered_event_id);
            self.stored.lock().unwrap().push((delivered, status.clone()));
        })
    }
}
