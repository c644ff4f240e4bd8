//! Reads the log of a session and compares it with everything that clients saw.

use crate::clients::Page;
use crate::model::{Fate, Session};
use crate::wire::{Outcome, Wire};

/// The part of a log that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Events since the last time.
    New,
    /// Every event again: none may have changed.
    Whole,
}

/// Returns whether a session exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existence {
    Exists,
    Gone,
}

/// Compares a session while no client acts on it.
pub(crate) async fn audit(wire: &Wire, session: &Session, extent: Extent) -> Existence {
    if extent == Extent::Whole && read(wire, session, Extent::Whole).await == Existence::Gone {
        return Existence::Gone;
    }
    if read(wire, session, Extent::New).await == Existence::Gone {
        return Existence::Gone;
    }
    let (broken, compared) = session.judge();
    wire.oracle.observed(compared);
    for what in broken {
        wire.oracle.differ(&session.id, what);
    }
    Existence::Exists
}

async fn read(wire: &Wire, session: &Session, extent: Extent) -> Existence {
    let (mut after, end) = match extent {
        Extent::New => (session.events(), u64::MAX),
        Extent::Whole => (0, session.events()),
    };
    while after < end {
        let path = session.path(&format!("/events?after={after}&limit=1000"));
        let may_be_gone = session.fate() == Fate::Deleting;
        let outcome = wire
            .send(&session.id, wire.http.get(&path), |status| status == 200 || (status == 404 && may_be_gone))
            .await;
        let Outcome::Reply(reply) = outcome else { return Existence::Exists };
        if reply.status == 404 {
            return Existence::Gone;
        }
        let page = match Page::read(&reply) {
            Ok(page) => page,
            Err(error) => {
                wire.oracle.differ(&session.id, format_args!("GET {path}: {error:#}"));
                return Existence::Exists;
            }
        };
        wire.oracle.observed(page.events.len());
        for (id, bytes) in &page.events {
            let broken = match extent {
                Extent::New => session.append(bytes),
                Extent::Whole if *id > end => Vec::new(),
                Extent::Whole => session.compare(*id, bytes).into_iter().collect(),
            };
            for what in broken {
                wire.oracle.differ(
                    &session.id,
                    format_args!("{what}\nthe log up to there:\n{}", session.excerpt(25)),
                );
            }
        }
        after = page.events.last().map_or(after, |(id, _)| *id);
        if !page.has_more {
            let is_short = extent == Extent::Whole && after < end;
            wire.oracle
                .expect(!is_short, &session.id, || format!("the log ends with {after}; it had {end} events"));
            break;
        }
    }
    Existence::Exists
}
