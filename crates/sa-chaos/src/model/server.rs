//! One ACP server: the records that its streams carried, and the processes that its agent started.

use crate::census::Identity;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Records that are kept to be compared with other streams.
const KEPT: usize = 40_000;

/// An event of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// `message`, `response`, `gap`, `exit` or `unparsed`.
    pub(crate) event: String,
    pub(crate) id: Option<u64>,
    pub(crate) data: String,
}

/// The records that one client saw on one stream.
#[derive(Debug)]
pub(crate) struct Sighting {
    pub(crate) request: String,
    /// The record after which the stream was to begin, if the client named one.
    pub(crate) after: Option<u64>,
    pub(crate) records: Vec<Record>,
}

/// A server that clients share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) id: String,
    pub(crate) agent: &'static str,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Ids continue when the server is created again, and jump ahead when the daemon is restarted.
    records: BTreeMap<u64, String>,
    sightings: Vec<Sighting>,
    processes: Vec<Identity>,
}

impl Server {
    pub(crate) fn new(id: String, agent: &'static str) -> Self {
        Self { id, agent, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v1/acp/{}{rest}", self.id)
    }

    pub(crate) fn saw(&self, sighting: Sighting) {
        if !sighting.records.is_empty() {
            self.state().sightings.push(sighting);
        }
    }

    /// Returns the newest id that any client saw.
    pub(crate) fn newest(&self) -> u64 {
        let state = self.state();
        let seen =
            state.sightings.iter().flat_map(|sighting| &sighting.records).filter_map(|record| record.id);
        seen.chain(state.records.keys().next_back().copied()).max().unwrap_or_default()
    }

    /// Remembers processes that its agent started.
    pub(crate) fn started(&self, processes: impl IntoIterator<Item = Identity>) {
        self.state().processes.extend(processes);
    }

    /// Returns the processes that must be gone with the server, and forgets them.
    pub(crate) fn take_processes(&self) -> Vec<Identity> {
        std::mem::take(&mut self.state().processes)
    }

    /// Compares all streams with each other; returns what differs and the number of comparisons.
    pub(crate) fn judge(&self) -> (Vec<String>, usize) {
        let mut state = self.state();
        let sightings = std::mem::take(&mut state.sightings);
        let mut broken = Vec::new();
        for record in sightings.iter().flat_map(|sighting| &sighting.records) {
            let Some(id) = record.id.filter(|_| record.event != "gap") else { continue };
            let known = state.records.entry(id).or_insert_with(|| record.data.clone());
            if *known != record.data {
                broken.push(format!("record {id} was {known}, and is {}", record.data));
            }
        }
        for sighting in &sightings {
            broken.extend(sighting.judge(&state.records));
        }
        while state.records.len() > KEPT {
            state.records.pop_first();
        }
        (broken, sightings.iter().map(|sighting| sighting.records.len()).sum())
    }
}

impl Sighting {
    fn judge(&self, known: &BTreeMap<u64, String>) -> Option<String> {
        let fail = |what: String| Some(format!("{}: {what}", self.request));
        // 0 is the beginning, of whichever life of the server it is.
        let mut last = self.after.filter(|after| *after > 0);
        let mut floods: HashMap<String, u64> = HashMap::new();
        for record in &self.records {
            if record.event == "gap" {
                let gap: Value = serde_json::from_str(&record.data).unwrap_or_default();
                let Some(oldest) = gap["oldest"].as_u64() else {
                    return fail(format!("no gap: {}", record.data));
                };
                // The log may be empty: then the stream continues with the next record there is.
                last = oldest.checked_sub(1);
                floods.clear();
                continue;
            }
            let Some(id) = record.id else { continue };
            if let Some(last) = last {
                if id <= last {
                    return fail(format!("record {id} came after {last}"));
                }
                // Without a position, a stream begins with old requests and continues with new records.
                let is_sent = |(_, data): &(&u64, &String)| self.after.is_some() && is_notification(data);
                if let Some((missed, data)) = known.range(last + 1..id).find(is_sent) {
                    return fail(format!("record {missed} was left out before {id}: {data}"));
                }
            }
            last = Some(id);
            if let Some((label, number)) = flood(&record.data) {
                let before = floods.insert(label.clone(), number);
                if before.is_some_and(|before| before + 1 != number) {
                    return fail(format!("flood {label}: {number} came after {before:?}"));
                }
            }
        }
        None
    }
}

/// Returns whether every reader gets the record: answers go to their client alone.
fn is_notification(data: &str) -> bool {
    let message: Value = serde_json::from_str(data).unwrap_or_default();
    message["method"].is_string() && message["id"].is_null()
}

fn flood(data: &str) -> Option<(String, u64)> {
    let message: Value = serde_json::from_str(data).ok()?;
    let params = message.get("params").filter(|_| message["method"] == "flood")?;
    Some((params["label"].as_str()?.to_owned(), params["n"].as_u64()?))
}

#[cfg(test)]
mod tests {
    use super::{Record, Server, Sighting};

    fn judged(streams: &[(Option<u64>, &[u64])]) -> Vec<String> {
        let server = Server::new("s".into(), "puppet");
        for (after, numbers) in streams {
            let record = |n: &u64| Record {
                event: "message".into(),
                id: Some(*n),
                data: format!(r#"{{"method":"flood","params":{{"label":"l","n":{n}}}}}"#),
            };
            let records = numbers.iter().map(record).collect();
            server.saw(Sighting { request: "GET".into(), after: *after, records });
        }
        server.judge().0
    }

    #[test]
    fn a_stream_that_leaves_a_record_out_is_found() {
        assert_eq!(judged(&[(None, &[1, 2, 3]), (Some(1), &[2, 3]), (None, &[3])]), [""; 0]);
        assert_eq!(judged(&[(None, &[1, 2, 3]), (Some(1), &[3])]).len(), 1);
        assert_eq!(judged(&[(None, &[1, 3])]).len(), 1, "the flood has a hole");
        assert_eq!(judged(&[(Some(5), &[5])]).len(), 1, "it was seen before");
    }
}
