//! Requests to the daemon, and the judgment of each status.

use crate::oracle::Oracle;
use sa_testkit::{Http, Reply, Request, Sse};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// A request that takes longer has not settled. Far above every timeout that the daemon is configured with.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A reader that was refused waits before it comes again.
const REFUSED: Duration = Duration::from_millis(300);

/// The trouble that the daemon is in on purpose, which decides what clients may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// None: every connection holds, and nothing is refused for lack of anything.
    None,
    /// The disk is full: 507.
    Disk,
    /// Descriptors or processes are short: connections break, and agents cannot be started.
    Starved,
    /// The daemon was signaled: connections break, 503.
    Ending,
}

const TROUBLES: [Trouble; 4] = [Trouble::None, Trouble::Disk, Trouble::Starved, Trouble::Ending];

/// The end of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Reply(Reply),
    /// The connection broke because of a fault.
    Lost,
}

impl Outcome {
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Reply(reply) => reply.status,
            Self::Lost => 0,
        }
    }
}

/// The way to one life of the daemon.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub(crate) http: Http,
    pub(crate) oracle: Oracle,
    trouble: Arc<AtomicU8>,
}

impl Wire {
    pub(crate) fn new(http: Http, oracle: Oracle) -> Self {
        Self { http, oracle, trouble: Arc::default() }
    }

    /// Announces trouble; before it begins, and until no client is left that met it.
    pub(crate) fn set_trouble(&self, trouble: Trouble) {
        let place = TROUBLES.iter().position(|one| *one == trouble).unwrap_or_default();
        self.trouble.store(u8::try_from(place).unwrap_or_default(), Ordering::SeqCst);
    }

    pub(crate) fn trouble(&self) -> Trouble {
        TROUBLES.get(usize::from(self.trouble.load(Ordering::SeqCst))).copied().unwrap_or(Trouble::None)
    }

    /// Returns whether connections may break.
    pub(crate) fn may_break(&self) -> bool {
        self.trouble() >= Trouble::Starved
    }

    /// Sends a request of a client. A status that `expected` does not hold for when the reply is there is a difference.
    pub(crate) async fn send(
        &self,
        subject: &str,
        request: Request,
        expected: impl Fn(u16) -> bool,
    ) -> Outcome {
        self.send_for(subject, request, expected, || false).await
    }

    /// Sends a request whose body may break off where `may_end` says so: what it is about may be deleted meanwhile.
    pub(crate) async fn send_for(
        &self,
        subject: &str,
        request: Request,
        expected: impl Fn(u16) -> bool,
        may_end: impl Fn() -> bool,
    ) -> Outcome {
        let what = request.to_string();
        let started = Instant::now();
        let result = request.within(PATIENCE).send().await;
        let took = started.elapsed();
        match result {
            Ok(reply) => {
                self.oracle.operation(subject, format_args!("{what} -> {} in {took:.0?}", reply.status));
                self.judge(subject, &what, &reply, expected(reply.status));
                Outcome::Reply(reply)
            }
            Err(error) => {
                self.oracle.operation(subject, format_args!("{what} -> lost after {took:.0?}: {error:#}"));
                if took >= PATIENCE || !may_end() {
                    self.on_break(subject, &what, took, &error);
                }
                Outcome::Lost
            }
        }
    }

    /// Opens a stream; none if it is refused, which `is_allowed` must hold for, or if the connection breaks.
    pub(crate) async fn open(
        &self,
        subject: &str,
        what: &str,
        request: Request,
        is_allowed: impl Fn(u16) -> bool,
    ) -> Option<Sse> {
        let started = Instant::now();
        match Sse::attempt(request.within(PATIENCE)).await {
            Ok(Ok(stream)) => return Some(stream),
            Ok(Err(reply)) => {
                self.oracle.operation(subject, format_args!("{what} -> {}", reply.status));
                self.oracle.expect(is_allowed(reply.status), subject, || {
                    format!("{what} was answered {}: {}", reply.status, reply.text())
                });
            }
            Err(error) => self.on_break(subject, what, started.elapsed(), &error),
        }
        tokio::time::sleep(REFUSED).await;
        None
    }

    /// Reports a connection that broke without a fault, or a wait that did not end.
    pub(crate) fn on_break(&self, subject: &str, what: &str, took: Duration, error: &anyhow::Error) {
        if took >= PATIENCE {
            self.oracle.differ(subject, format_args!("{what} has not settled within {PATIENCE:?}"));
        } else if !self.may_break() {
            self.oracle.differ(subject, format_args!("{what} broke without a fault: {error:#}"));
        }
    }

    fn judge(&self, subject: &str, what: &str, reply: &Reply, is_expected: bool) {
        let trouble = self.trouble();
        let is_allowed = is_expected
            || match reply.status {
                503 => trouble >= Trouble::Starved,
                507 => trouble == Trouble::Disk,
                _ => false,
            };
        self.oracle.expect(is_allowed, subject, || {
            let body: String = reply.text().chars().take(600).collect();
            format!("{what} was answered {} in trouble {trouble:?}: {body}", reply.status)
        });
        if reply.status >= 400
            && let Err(error) = reply.problem()
        {
            self.oracle.differ(subject, format_args!("{what}: no problem document: {error:#}"));
        }
    }
}
