//! `hold` and `release`: answers in an order that the test chooses.

use crate::wire::Reply;
use serde::Deserialize;
use serde_json::value::RawValue;

/// `hold {name?, …}`: not answered until released, then with its params.
#[derive(Deserialize)]
pub(crate) struct Hold {
    #[serde(default)]
    name: String,
}

/// `release {names?}`: answers the held requests of these names, in this order, then itself. It waits for names
/// that are not held yet, so it may overtake them on the way here. Without names: all that are held, as they came.
#[derive(Deserialize)]
pub(crate) struct Release {
    names: Option<Vec<String>>,
}

/// `$/cancel_request {requestId}`: the held request of that id fails as cancelled.
#[derive(Deserialize)]
pub(crate) struct Cancel {
    #[serde(rename = "requestId")]
    id: Box<RawValue>,
}

/// Requests without an answer, and releases that wait for more of them.
#[derive(Default)]
pub(crate) struct Held {
    waiting: Vec<Waiting>,
    releases: Vec<(Vec<String>, Reply)>,
}

struct Waiting {
    name: String,
    params: String,
    reply: Reply,
}

impl Held {
    /// Keeps a request.
    pub(crate) fn hold(&mut self, hold: Hold, params: &str, reply: &Reply) {
        self.waiting.push(Waiting { name: hold.name, params: params.to_owned(), reply: reply.clone() });
        self.settle();
    }

    /// Answers what it names, now or as soon as all are there.
    pub(crate) fn release(&mut self, release: Release, reply: &Reply) {
        let names =
            release.names.unwrap_or_else(|| self.waiting.iter().map(|held| held.name.clone()).collect());
        self.releases.push((names, reply.clone()));
        self.settle();
    }

    /// Fails the request that is cancelled, if it is held.
    pub(crate) fn cancel(&mut self, cancel: &Cancel) {
        if let Some(at) = self.waiting.iter().position(|held| held.reply.is_to(cancel.id.get())) {
            self.waiting.remove(at).reply.fail(-32800, "cancelled");
        }
    }

    fn settle(&mut self) {
        while let Some(at) = self.releases.iter().position(|(names, _)| self.holds_all(names)) {
            let (names, release) = self.releases.remove(at);
            for name in &names {
                if let Some(at) = self.waiting.iter().position(|held| held.name == *name) {
                    let held = self.waiting.remove(at);
                    held.reply.result(&held.params);
                }
            }
            release.result(&format!(r#"{{"released":{}}}"#, names.len()));
        }
    }

    fn holds_all(&self, names: &[String]) -> bool {
        names.iter().all(|name| {
            let wanted = names.iter().filter(|other| *other == name).count();
            self.waiting.iter().filter(|held| held.name == *name).count() >= wanted
        })
    }
}
