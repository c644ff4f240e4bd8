//! The `Prefer` header of RFC 7240: how a client wants a request to be answered.

use http::{HeaderMap, HeaderValue};
use std::time::Duration;

/// The longest that `wait=N` may ask for. A request that is to wait as long as it takes says `wait`.
const LONGEST_WAIT_SECONDS: u64 = 24 * 60 * 60;

/// The moment at which a request wants its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preference {
    /// At once; the answer comes on the stream.
    Async,
    /// With the answer, however long that takes.
    Wait,
    /// With the answer, or after so many seconds without one.
    WaitSeconds(u64),
}

impl Preference {
    /// Reads the preferences that are known; `respond-async` is the strongest, then the first. Others are ignored, as the
    /// standard asks for.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        let known = values.flat_map(|value| value.split([',', ';'])).filter_map(|preference| {
            let (name, value) = match preference.split_once('=') {
                Some((name, value)) => (name, Some(value.trim().trim_matches('"'))),
                None => (preference, None),
            };
            match (name.trim().to_ascii_lowercase().as_str(), value) {
                ("respond-async", None) => Some(Self::Async),
                ("wait", None) => Some(Self::Wait),
                ("wait", Some(seconds)) => {
                    let seconds: u64 = seconds.parse().ok()?;
                    Some(Self::WaitSeconds(seconds.min(LONGEST_WAIT_SECONDS)))
                }
                _ => None,
            }
        });
        let mut known: Vec<Self> = known.collect();
        known.sort_by_key(|preference| *preference != Self::Async);
        known.first().copied()
    }

    /// Returns the time that the status may wait for the answer; `usual` without a preference. `None` is forever.
    pub(super) fn patience(preference: Option<Self>, usual: Duration) -> Option<Duration> {
        match preference {
            Some(Self::Wait) => None,
            Some(Self::WaitSeconds(seconds)) => Some(Duration::from_secs(seconds)),
            Some(Self::Async) | None => Some(usual),
        }
    }

    pub(crate) fn applied(self) -> HeaderValue {
        match self {
            Self::Async => HeaderValue::from_static("respond-async"),
            Self::Wait => HeaderValue::from_static("wait"),
            Self::WaitSeconds(seconds) => HeaderValue::try_from(format!("wait={seconds}"))
                .unwrap_or_else(|_| HeaderValue::from_static("wait")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn preferences_are_read_leniently() {
        for (value, read) in [
            ("wait", Some(Preference::Wait)),
            ("WAIT = 5", Some(Preference::WaitSeconds(5))),
            ("wait=\"7\"", Some(Preference::WaitSeconds(7))),
            ("handling=strict, wait=0", Some(Preference::WaitSeconds(0))),
            ("return=minimal; wait", Some(Preference::Wait)),
            ("wait=10, respond-async", Some(Preference::Async)),
            ("wait=10, wait", Some(Preference::WaitSeconds(10))),
            ("wait=soon", None),
            ("wait=-1", None),
            ("waiting", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([("prefer".parse().unwrap(), value.parse().unwrap())]);
            assert_eq!(Preference::of(&headers), read, "{value}");
        }
        let most = Preference::WaitSeconds(LONGEST_WAIT_SECONDS);
        let headers = HeaderMap::from_iter([("prefer".parse().unwrap(), "wait=99999999".parse().unwrap())]);
        assert_eq!(Preference::of(&headers), Some(most));
    }
}
