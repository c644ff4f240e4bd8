//! The contents of one delivery: as many events of a page as fit.

use crate::WebhookLimits;
use crate::limits::ENVELOPE_BYTES;
use crate::target::Target;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Events that are sent together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The JSON of each.
    events: Vec<Bytes>,
    /// The session of the first event.
    session_id: String,
    /// Everything up to this id is in the batch, or of no interest.
    pub(crate) last: u64,
}

/// The members of an event that are read; the others are passed on unread.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Glance<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    data: BTreeMap<Cow<'a, str>, &'a RawValue>,
}

impl Batch {
    /// Creates a batch of the first events after `cursor`.
    pub(crate) fn new(page: Vec<(u64, Bytes)>, cursor: u64, target: &Target, limits: &WebhookLimits) -> Self {
        let mut batch = Self { last: cursor, ..Self::default() };
        let mut length = ENVELOPE_BYTES;
        for (id, event) in page {
            if id <= batch.last {
                continue;
            }
            let Ok(glance) = serde_json::from_slice::<Glance<'_>>(&event) else {
                tracing::error!(id, "an event cannot be read and is not delivered to the webhook");
                batch.last = id;
                continue;
            };
            if !glance.data.keys().any(|name| target.wants(name)) {
                batch.last = id;
                continue;
            }
            if batch.events.is_empty() {
                batch.session_id = glance.session_id.into_owned();
                length += batch.session_id.len();
            }
            length += event.len() + 1;
            let is_full = batch.events.len() >= limits.batch_events || length > limits.batch_bytes;
            if is_full && !batch.events.is_empty() {
                break;
            }
            batch.events.push(event);
            batch.last = id;
        }
        batch
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns a `WebhookDelivery`, made of the events' bytes as they are.
    pub(crate) fn body(&self, attempt: u32) -> Vec<u8> {
        let session_id = serde_json::Value::from(self.session_id.as_str());
        let mut body = format!(r#"{{"sessionId":{session_id},"attempt":{attempt},"events":["#).into_bytes();
        for (at, event) in self.events.iter().enumerate() {
            if at > 0 {
                body.push(b',');
            }
            body.extend_from_slice(event);
        }
        body.extend_from_slice(b"]}");
        body
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sa_api::sessions::{Webhook, WebhookDelivery};

    fn event(id: u64, data: &str) -> (u64, Bytes) {
        let text = format!(
            r#"{{"id":{id},"timestamp":"2026-01-01T00:00:00Z","sessionId":"s\"1","agent":"demo","data":{data}}}"#
        );
        (id, Bytes::from(text))
    }

    fn plan(id: u64) -> (u64, Bytes) {
        event(id, r#"{"plan":{"entries":[]}}"#)
    }

    fn delta(id: u64) -> (u64, Bytes) {
        event(id, r#"{"messageDelta":{}}"#)
    }

    fn batch(page: Vec<(u64, Bytes)>, limits: &WebhookLimits) -> (Vec<u64>, u64) {
        let webhook = Webhook { url: "http://h/".to_owned(), secret: None, events: None };
        let batch = Batch::new(page, 0, &Target::new(&webhook).unwrap(), limits);
        let last = batch.last;
        if batch.is_empty() {
            return (Vec::new(), last);
        }
        let body = batch.body(3);
        let delivery: WebhookDelivery = serde_json::from_slice(&body).unwrap();
        assert_eq!((delivery.session_id.as_str(), delivery.attempt), ("s\"1", 3));
        let one_is_too_long = delivery.events.len() == 1;
        assert!(one_is_too_long || body.len() <= limits.batch_bytes, "{}", body.len());
        (delivery.events.iter().map(|event| event.id).collect(), last)
    }

    #[test]
    fn events_go_in_order_up_to_the_number() {
        let limits = WebhookLimits { batch_events: 2, ..WebhookLimits::default() };
        assert_eq!(batch(vec![plan(1), delta(2), plan(3), delta(4), plan(5)], &limits), (vec![1, 3], 4));
        assert_eq!(batch(vec![delta(1), delta(2)], &limits), (vec![], 2));
        assert_eq!(batch(vec![], &limits), (vec![], 0));
    }

    #[test]
    fn a_batch_is_not_longer_than_it_may_be() {
        let long = |id| event(id, &format!(r#"{{"unknown":{{"raw":"{}"}}}}"#, "x".repeat(600)));
        let limits = WebhookLimits { batch_bytes: 900, ..WebhookLimits::default() };
        assert_eq!(batch(vec![plan(1), long(2), plan(3)], &limits), (vec![1, 2], 2));
        assert_eq!(batch(vec![long(1), long(2)], &limits), (vec![1], 1));
        let limits = WebhookLimits { batch_bytes: 100, ..WebhookLimits::default() };
        assert_eq!(batch(vec![delta(1), long(2), plan(3)], &limits), (vec![2], 2));
    }

    #[test]
    fn what_cannot_be_read_does_not_spoil_the_rest() {
        let limits = WebhookLimits::default();
        let broken = (2, Bytes::from_static(b"{\"id\":2,"));
        assert_eq!(batch(vec![plan(1), broken, plan(3)], &limits), (vec![1, 3], 3));
    }
}
