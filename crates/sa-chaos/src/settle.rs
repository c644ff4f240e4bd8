//! Lets sessions finish: answers what they ask, resumes what is held and cancels what does not end.

use crate::model::{Fate, Session};
use crate::wire::{Outcome, Wire};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A session that is answered, resumed and cancelled has settled by then.
const PATIENCE: Duration = Duration::from_secs(90);
/// A turn that runs longer is cancelled.
const LONG: Duration = Duration::from_secs(2);

/// Waits until nothing of a session runs, waits or is open. One that does not come to an end is a difference.
pub(crate) async fn settle(wire: &Wire, session: &Session) {
    let (started, mut cancelled) = (Instant::now(), Instant::now());
    loop {
        let allowed = |status| status == 200 || session.fate().allows(status);
        let outcome = wire.send(&session.id, wire.http.get(&session.path("")), allowed).await;
        let Outcome::Reply(reply) = outcome else { return };
        if reply.status != 200 {
            return;
        }
        let state = reply.json().unwrap_or_default();
        if is_settled(&state) {
            return;
        }
        if started.elapsed() > PATIENCE {
            wire.oracle.differ(
                &session.id,
                format_args!("it has not settled within {PATIENCE:?}: {}", brief(&state)),
            );
            return;
        }
        answer(wire, session, &state).await;
        if state["queueHeld"] == true {
            post(wire, session, "/resume", &json!(null)).await;
        } else if cancelled.elapsed() > LONG {
            cancelled = Instant::now();
            post(wire, session, "/cancel", &json!(null)).await;
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// Waits until changes of a session are stored again, after its disk was full.
pub(crate) async fn await_storage(wire: &Wire, session: &Session) {
    let started = Instant::now();
    loop {
        let request = wire.http.patch(&session.path("")).json(r#"{"title":"There is space again"}"#);
        let allowed = |status| status == 200 || session.fate().allows(status);
        if wire.send(&session.id, request, allowed).await.status() != 507 {
            return;
        }
        if started.elapsed() > PATIENCE {
            wire.oracle.differ(
                &session.id,
                format_args!("nothing is stored {PATIENCE:?} after the disk had space again"),
            );
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn is_settled(state: &Value) -> bool {
    matches!(state["state"].as_str(), Some("idle" | "interrupted" | "ended")) && state["queued"] == 0
}

async fn answer(wire: &Wire, session: &Session, state: &Value) {
    for permission in state["permissions"].as_array().into_iter().flatten() {
        let id = permission["id"].as_str().unwrap_or_default();
        post(wire, session, &format!("/permissions/{id}/reply"), &json!({ "reply": "once" })).await;
    }
    for question in state["questions"].as_array().into_iter().flatten() {
        let id = question["id"].as_str().unwrap_or_default();
        post(wire, session, &format!("/questions/{id}/reject"), &json!(null)).await;
    }
}

async fn post(wire: &Wire, session: &Session, path: &str, body: &Value) {
    let request = wire.http.post(&session.path(path));
    let request = if body.is_null() { request } else { request.json(body.to_string()) };
    let allowed = |status| matches!(status, 200 | 204 | 409) || session.fate().allows(status);
    wire.send(&session.id, request, allowed).await;
}

/// The members of a session's state that say why it has not settled.
fn brief(state: &Value) -> Value {
    let members = ["state", "turn", "queue", "queueHeld", "questions", "permissions", "error", "healthy"];
    members.into_iter().map(|member| (member.to_owned(), state[member].clone())).collect()
}

/// Reports messages and questions of a settled session that have no end in its log.
pub(crate) fn expect_finished(wire: &Wire, session: &Session) {
    if session.fate() == Fate::Deleting {
        return;
    }
    let unfinished = session.unfinished();
    wire.oracle.expect(unfinished.is_empty(), &session.id, || {
        format!("it has settled, but {}", unfinished.join(", "))
    });
}
