//! The service behind Amp, as far as builds need it that work on their threads themselves: who the user is, and the threads.

use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The path of Amp's service.
pub(crate) const PATH: &str = "/api/internal";

/// Threads that are kept; the oldest go. Tests have a few.
const MOST_THREADS: usize = 256;

/// The threads that were stored, by id.
#[derive(Debug, Default)]
pub(crate) struct Threads(Mutex<BTreeMap<String, Value>>);

impl Threads {
    /// Answers a call: the method is in the body, its result in the answer.
    pub(crate) fn answer(&self, call: &Value) -> Value {
        let params = &call["params"];
        // A panic elsewhere leaves whole threads behind.
        let mut threads = self.0.lock();
        let named = || params["thread"].as_str().unwrap_or_default();
        let result = match call["method"].as_str() {
            Some("getUserInfo") => {
                json!({ "id": "scripted", "email": "user@example.com", "username": "scripted",
                "firstName": "Scripted", "lastName": "User", "features": [], "team": null })
            }
            Some("uploadThread") => {
                let thread = &params["thread"];
                if threads.len() >= MOST_THREADS {
                    threads.pop_first();
                }
                threads.insert(thread["id"].as_str().unwrap_or_default().to_owned(), thread.clone());
                json!({})
            }
            Some("getThread") => match threads.get(named()) {
                Some(thread) => json!({ "thread": { "data": thread } }),
                None => return json!({ "ok": false, "error": { "code": "thread-not-found" } }),
            },
            Some("deleteThread") => {
                threads.remove(named());
                json!({})
            }
            Some("listThreads") => json!({ "threads": threads.values().map(entry).collect::<Vec<_>>() }),
            _ => json!({}),
        };
        json!({ "ok": true, "result": result })
    }
}

/// A thread in a list.
fn entry(thread: &Value) -> Value {
    let messages = thread["messages"].as_array().map(Vec::len).unwrap_or_default();
    json!({ "id": thread["id"], "title": thread["title"], "env": thread["env"], "messageCount": messages,
        "userLastInteractedAt": thread["created"] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_there_until_it_is_deleted() {
        let threads = Threads::default();
        let call =
            |method: &str, params: Value| threads.answer(&json!({ "method": method, "params": params }));
        let get = || call("getThread", json!({ "thread": "T-1" }));
        assert_eq!(get()["error"]["code"], "thread-not-found");
        call("uploadThread", json!({ "thread": { "id": "T-1", "messages": [1, 2], "title": "One" } }));
        assert_eq!(get()["result"]["thread"]["data"]["title"], "One");
        assert_eq!(call("listThreads", json!({}))["result"]["threads"][0]["messageCount"], 2);
        call("deleteThread", json!({ "thread": "T-1" }));
        assert_eq!(get()["ok"], false);
        assert_eq!(call("somethingNew", json!({})), json!({ "ok": true, "result": {} }));
    }
}
