//! A webhook as it was asked for, checked; and its address without secrets.

use crate::WebhookError;
use reqwest::Url;
use sa_api::sessions::{EventType, Webhook, WebhookStatus};
use std::collections::BTreeSet;
use std::fmt;

/// Pieces of messages: most of all events, and each is in the message that follows.
const UNLESS_ASKED_FOR: EventType = EventType::MessageDelta;

/// Refuses a webhook to which no delivery can succeed.
pub fn check(webhook: &Webhook) -> Result<(), WebhookError> {
    Target::new(webhook).map(drop)
}

/// Returns the state of a webhook to which nothing was delivered yet.
pub fn fresh_status(webhook: &Webhook) -> WebhookStatus {
    WebhookStatus { url: redacted(&webhook.url), ..WebhookStatus::default() }
}

/// Returns the address as it is shown: scheme, host and the first segment of the path. The secret of many receivers is in the rest.
pub fn redacted(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else { return "(not a URL)".to_owned() };
    if url.cannot_be_a_base() {
        return format!("{}:…", url.scheme());
    }
    let hides_query = url.query().is_some_and(|query| !query.is_empty());
    // Both fail only for addresses that cannot have these parts.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().to_owned();
    let (first, rest) =
        path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_start_matches('/'), ""));
    url.set_path(first);
    let more = if rest.is_empty() { "" } else { "/…" };
    let query = if hides_query { "?…" } else { "" };
    format!("{url}{more}{query}")
}

/// The destination of deliveries, their contents and their secret.
pub(crate) struct Target {
    pub(crate) url: Url,
    pub(crate) secret: Option<String>,
    filter: Option<BTreeSet<String>>,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, secret, filter } = self;
        f.debug_struct("Target")
            .field("url", &redacted(url.as_str()))
            .field("signed", &secret.is_some())
            .field("filter", filter)
            .finish()
    }
}

impl Target {
    pub(crate) fn new(webhook: &Webhook) -> Result<Self, WebhookError> {
        let url = Url::parse(&webhook.url).map_err(|error| WebhookError::Unreadable(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(WebhookError::Scheme);
        }
        if webhook.secret.as_deref() == Some("") {
            return Err(WebhookError::EmptySecret);
        }
        let names = webhook.events.iter().flatten();
        if let Some(unknown) = names.into_iter().find(|name| EventType::from_name(name).is_none()) {
            return Err(WebhookError::UnknownEvent(unknown.clone()));
        }
        let filter = webhook.events.as_ref().map(|names| names.iter().cloned().collect());
        Ok(Self { url, secret: webhook.secret.clone(), filter })
    }

    pub(crate) fn wants(&self, event: &str) -> bool {
        self.filter.as_ref().map_or(event != UNLESS_ASKED_FOR.name(), |names| names.contains(event))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn webhook(url: &str) -> Webhook {
        Webhook { url: url.to_owned(), secret: None, events: None }
    }

    #[test]
    fn only_addresses_that_can_be_called_are_taken() {
        for good in ["http://127.0.0.1:1/x", "https://user:pw@host/a?b=c", "HTTP://host"] {
            assert_eq!(check(&webhook(good)), Ok(()), "{good}");
        }
        for bad in ["ftp://host/x", "file:///etc/passwd", "data:text/plain,x", "mailto:a@b"] {
            assert_eq!(check(&webhook(bad)), Err(WebhookError::Scheme), "{bad}");
        }
        for bad in ["", "/x", "host/x", "http://"] {
            assert!(matches!(check(&webhook(bad)), Err(WebhookError::Unreadable(_))), "{bad}");
        }
    }

    #[test]
    fn secrets_stay_out_of_what_is_shown() {
        let shown = |address: &str| redacted(address);
        assert_eq!(shown("https://me:pw@host:8443/a?token=x#y"), "https://host:8443/a?…");
        assert_eq!(shown("https://host:8443/a/b?token=x#y"), "https://host:8443/a/…?…");
        for address in [
            "https://hooks.slack.com/services/T000/B000/SECRET",
            "https://hooks.slack.com/services/SECRET/",
            "https://hooks.slack.com//services/SECRET",
            "https://SECRET@hooks.slack.com/services/x;SECRET?SECRET#SECRET",
        ] {
            assert!(shown(address).starts_with("https://hooks.slack.com/services/…"), "{}", shown(address));
            assert!(!shown(address).contains("SECRET"), "{}", shown(address));
        }
        assert_eq!(shown("mailto:SECRET"), "mailto:…");
        assert_eq!(shown("http://host"), "http://host/");
        assert_eq!(shown("nonsense pw"), "(not a URL)");
        assert_eq!(fresh_status(&webhook("http://u@h/?k=1")).url, "http://h/?…");
        let hook = Webhook { secret: Some("s3cret".to_owned()), ..webhook("http://me:s3cret@h/?k=s3cret") };
        let target = format!("{:?}", Target::new(&hook).unwrap());
        assert!(!target.contains("s3cret") && target.contains("http://h/?…"), "{target}");
    }

    #[test]
    fn names_of_events_are_those_of_the_contract() {
        let asks = |names: &[&str]| {
            let events = Some(names.iter().map(|name| (*name).to_owned()).collect());
            check(&Webhook { events, ..webhook("http://h/") })
        };
        assert_eq!(asks(&["message", "messageDelta", "turnEnded", "ended", "unknown", "plan"]), Ok(()));
        assert_eq!(asks(&["turnended"]), Err(WebhookError::UnknownEvent("turnended".to_owned())));
        let empty = Webhook { secret: Some(String::new()), ..webhook("http://h/") };
        assert_eq!(check(&empty), Err(WebhookError::EmptySecret));
    }

    #[test]
    fn deltas_are_sent_only_when_asked_for() {
        let target = Target::new(&webhook("http://h/")).unwrap();
        assert!(target.wants("message") && !target.wants("messageDelta"));
        let events = Some(vec!["messageDelta".to_owned()]);
        let target = Target::new(&Webhook { events, ..webhook("http://h/") }).unwrap();
        assert!(!target.wants("message") && target.wants("messageDelta"));
    }
}
