//! What the agent asked and nobody has answered yet. A reader that starts afresh is shown these first.

use bytes::Bytes;
use sa_jsonrpc::Id;
use std::collections::{BTreeMap, HashMap};

#[derive(Debug)]
pub(crate) struct Asked {
    frames: BTreeMap<u64, (Id, Bytes)>,
    sequences: HashMap<Id, u64>,
    bytes: usize,
    limit: usize,
}

impl Asked {
    /// Keeps up to `limit` bytes of frames; beyond that the oldest questions are found in the log only.
    pub(crate) fn new(limit: usize) -> Self {
        Self { frames: BTreeMap::new(), sequences: HashMap::new(), bytes: 0, limit }
    }

    /// Notes a request of the agent. The frame is copied, so that one question does not keep a whole segment alive.
    pub(crate) fn note(&mut self, sequence: u64, id: Id, frame: &[u8]) {
        self.answered(&id);
        self.bytes += frame.len();
        self.sequences.insert(id.clone(), sequence);
        self.frames.insert(sequence, (id, Bytes::copy_from_slice(frame)));
        while self.bytes > self.limit {
            let Some((_, (id, frame))) = self.frames.pop_first() else { break };
            self.sequences.remove(&id);
            self.bytes -= frame.len();
        }
    }

    /// A client answered the request of that id.
    pub(crate) fn answered(&mut self, id: &Id) {
        let frame = self.sequences.remove(id).and_then(|sequence| self.frames.remove(&sequence));
        self.bytes -= frame.map_or(0, |(_, frame)| frame.len());
    }

    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.sequences.clear();
        self.bytes = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The frames of all open questions, oldest first.
    pub(crate) fn frames(&self) -> Vec<Bytes> {
        self.frames.values().map(|(_, frame)| frame.clone()).collect()
    }
}
