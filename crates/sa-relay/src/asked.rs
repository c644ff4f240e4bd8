//! Questions of the agent that nobody has answered yet. A new reader is shown these first.

use crate::event::EVENT_END;
use bytes::Bytes;
use sa_jsonrpc::Id;
use std::collections::{BTreeMap, HashMap};

/// A request of the agent that nobody has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Number of its record.
    pub sequence: u64,
    pub frame: Bytes,
    pub data: Bytes,
}

#[derive(Debug, Default)]
pub(crate) struct OpenQuestions {
    questions: BTreeMap<u64, (Id, Question)>,
    sequences: HashMap<Id, u64>,
    bytes: usize,
    limit: usize,
}

impl OpenQuestions {
    /// Keeps questions up to about `limit` bytes, and always the newest; older ones are found in the log only.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Notes a request of the agent. It is copied, so that one question does not keep a whole segment alive.
    pub(crate) fn note(&mut self, sequence: u64, id: Id, frame: &[u8], data_length: usize) {
        self.on_answer(&id);
        let frame = Bytes::copy_from_slice(frame);
        let end = frame.len().saturating_sub(EVENT_END.len());
        let data = frame.slice(end.saturating_sub(data_length)..end);
        let question = Question { sequence, frame, data };
        self.bytes += cost(&question);
        self.sequences.insert(id.clone(), sequence);
        self.questions.insert(sequence, (id, question));
        while self.bytes > self.limit && self.questions.len() > 1 {
            let Some((_, (id, question))) = self.questions.pop_first() else { break };
            self.sequences.remove(&id);
            self.bytes -= cost(&question);
        }
    }

    /// Notes that a client answered the request of that id.
    pub(crate) fn on_answer(&mut self, id: &Id) {
        let question = self.sequences.remove(id).and_then(|sequence| self.questions.remove(&sequence));
        self.bytes -= question.map_or(0, |(_, question)| cost(&question));
    }

    pub(crate) fn clear(&mut self) {
        self.questions.clear();
        self.sequences.clear();
        self.bytes = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// Returns all open questions, oldest first.
    pub(crate) fn questions(&self) -> Vec<Question> {
        self.questions.values().map(|(_, question)| question.clone()).collect()
    }
}

/// Returns the memory of a question: its frame, and its entries in the two maps with the id in each.
fn cost(question: &Question) -> usize {
    const ENTRY_OVERHEAD: usize = 256;
    question.frame.len() + ENTRY_OVERHEAD
}
