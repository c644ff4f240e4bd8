//! The relay of one server: client messages in, agent bytes in, what follows from each out.

use crate::asked::{OpenQuestions, Question};
use crate::buffer::{FRAME_ROOM, FrameBuffer};
use crate::lines::{Lines, OutputLine};
use crate::pending::{Asker, CancelRoute, Pending, Waiting};
use crate::segment::SegmentBuilder;
use crate::{Audience, Caller, RecordKind, Refused, Segment};
use bytes::Bytes;
use sa_jsonrpc::{ErrorObject, Kind, Message};
use serde::Serialize;

/// Bounds of one relay, in bytes but for `pending_requests`.
#[derive(Debug, Clone)]
pub struct RelayOptions {
    /// Longest line of an agent.
    pub line_bytes: usize,
    /// Bytes of an unparsable line that its event carries.
    pub unparsed_bytes: usize,
    /// Unanswered requests of clients.
    pub pending_requests: usize,
    /// Unanswered requests of the agent that are kept for new readers.
    pub asked_bytes: usize,
}

/// State of one server: what is owed in either direction, and how far the log has got.
#[derive(Debug)]
pub struct Relay {
    lines: Lines,
    pending: Pending,
    asked: OpenQuestions,
    unparsed_bytes: usize,
    next_sequence: u64,
    end: u64,
}

/// The form in which a client's message is sent to the agent.
#[derive(Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// Goes to the agent as it came.
    Verbatim,
    /// Goes to the agent with another id.
    Rewritten(Vec<u8>),
    /// Does not go to the agent: it cancels a request that has been answered, and the agent would cancel another.
    Nothing,
}

/// The listeners of a server, as its owner knows them.
pub struct Presence<'a> {
    /// Returns whether the POST of this ticket still waits.
    pub has_post: &'a dyn Fn(u64) -> bool,
    /// Returns whether the socket of this number is open.
    pub has_socket: &'a dyn Fn(u32) -> bool,
    /// The number of open event streams.
    pub streams: usize,
}

/// The result of processing an agent's bytes.
#[derive(Debug, Default)]
pub struct Output {
    /// Goes to the log.
    pub segment: Option<Segment>,
    /// Goes to the POSTs, once the segment is in the log: one for each ticket that was not abandoned.
    pub deliveries: Vec<Delivery>,
    /// JSON-RPC messages among the records.
    pub messages: usize,
}

/// The end of a POST's wait.
#[derive(Debug)]
pub struct Delivery {
    pub ticket: u64,
    pub answer: Answer,
}

/// The end of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The agent's response, under the client's id.
    Response {
        bytes: Bytes,
        /// Set if the response carries an error.
        is_error: bool,
    },
    AgentEnded,
    /// The agent said nothing for too long. Its answer may still come, on the streams.
    Silent,
}

#[derive(Serialize)]
struct Unparsed<'a> {
    raw: &'a str,
    bytes: u64,
    truncated: bool,
    reason: &'a str,
}

impl Relay {
    /// Creates a relay in front of an agent that has said nothing yet.
    pub fn new(options: &RelayOptions) -> Self {
        Self::continuing(options, 0)
    }

    /// Creates a relay whose first record has the number after `base`.
    pub fn continuing(options: &RelayOptions, base: u64) -> Self {
        Self {
            lines: Lines::new(options.line_bytes, options.unparsed_bytes),
            pending: Pending::new(options.pending_requests),
            asked: OpenQuestions::new(options.asked_bytes),
            unparsed_bytes: options.unparsed_bytes,
            next_sequence: base + 1,
            end: 0,
        }
    }

    /// Takes a client's message: registers a request, notes that a question was answered, finds the request that a
    /// cancellation means.
    pub fn client_message<B: AsRef<[u8]>>(
        &mut self,
        message: &Message<B>,
        caller: Caller,
        present: &Presence<'_>,
    ) -> Result<Outgoing, Refused> {
        match message.shape.kind {
            Kind::Request => Ok(match self.pending.admit(message, caller)? {
                Some(id) => Outgoing::Rewritten(message.with_id(&id)),
                None => Outgoing::Verbatim,
            }),
            Kind::Response => {
                if let Some(id) = &message.shape.id {
                    self.asked.on_answer(id);
                }
                Ok(Outgoing::Verbatim)
            }
            Kind::Notification => {
                let Some(cancellation) = message.cancellation() else { return Ok(Outgoing::Verbatim) };
                Ok(match self.pending.cancel(&cancellation.id, caller, present.has_socket)? {
                    CancelRoute::Verbatim => Outgoing::Verbatim,
                    CancelRoute::Replaced(id) => {
                        Outgoing::Rewritten(message.with_cancelled(&cancellation, &id))
                    }
                    CancelRoute::Nowhere => Outgoing::Nothing,
                })
            }
        }
    }

    /// Takes bytes that the agent wrote.
    pub fn agent_data(&mut self, data: &[u8], present: &Presence<'_>) -> Output {
        let mut lines = std::mem::take(&mut self.lines);
        // The end of a long line brings its buffer with it.
        let frames =
            if lines.is_gathering() { FrameBuffer::default() } else { lines.buffers.for_output(data.len()) };
        let mut round = Round::new(frames);
        lines.feed(data, |line| self.agent_line(line, present, &mut round));
        self.lines = lines;
        let output = self.close(round);
        let framed = output.segment.as_ref().map_or(0, |segment| (segment.end() - segment.start) as usize);
        self.lines.buffers.learn(data.len(), framed);
        output
    }

    /// Handles the agent's end: unfinished output becomes records, and every wait ends. `exit` is the event's data.
    pub fn agent_end(&mut self, exit: &str, error: &ErrorObject, present: &Presence<'_>) -> Output {
        let mut lines = std::mem::take(&mut self.lines);
        let mut round = Round::default();
        lines.finish(|line| self.agent_line(line, present, &mut round));
        self.lines = lines;
        // Nobody waits for replies any more, nor to a question in the agent's last words.
        self.asked.clear();
        round.asked.clear();
        for waiting in self.pending.drain() {
            if let Asker::Waits(Caller::Post(ticket)) = waiting.asker {
                round.ended.push((ticket, Answer::AgentEnded));
            }
            self.fail(&waiting, error, present, &mut round);
        }
        self.record(&mut round, RecordKind::Exit, Audience::Everyone, exit.as_bytes());
        self.close(round)
    }

    /// Fails all requests up to this number: the agent has been silent for too long. It may still answer; that answer
    /// goes to the streams.
    pub fn give_up(&mut self, through: u64, error: &ErrorObject, present: &Presence<'_>) -> Output {
        let mut round = Round::default();
        for waiting in self.pending.give_up(through) {
            self.fail(&waiting, error, present, &mut round);
            if let Asker::Waits(Caller::Post(ticket)) = waiting.asker {
                round.ended.push((ticket, Answer::Silent));
            }
        }
        self.close(round)
    }

    /// Returns the number of the newest request. Requests count from 1.
    pub fn newest_request(&self) -> u64 {
        self.pending.newest()
    }

    /// Returns the number of the oldest request that somebody waits for.
    pub fn oldest_request(&self) -> Option<u64> {
        self.pending.oldest()
    }

    /// Unanswered requests of clients.
    pub fn pending_requests(&self) -> usize {
        self.pending.len()
    }

    /// Returns whether the agent waits for a client, so that its silence does not count.
    pub fn agent_waits(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Returns the agent's unanswered requests, oldest first.
    pub fn open_questions(&self) -> Vec<Question> {
        self.asked.questions()
    }

    fn agent_line(&mut self, line: OutputLine<'_>, present: &Presence<'_>, round: &mut Round) {
        match line {
            OutputLine::Whole(bytes) => {
                if let Some((kind, audience)) = self.agent_text(bytes, present, round) {
                    self.record(round, kind, audience, bytes);
                }
            }
            OutputLine::Gathered(buffer) => {
                let bytes = buffer.get(FRAME_ROOM..).unwrap_or_default();
                if let Some((kind, audience)) = self.agent_text(bytes, present, round) {
                    round.builder.adopt(self.next_sequence, kind, audience, buffer);
                    self.next_sequence += 1;
                }
            }
            OutputLine::TooLong { head, length } => self.unparsed(head, length, "line too long", round),
        }
    }

    /// Processes a line of the agent. A message that is passed on unchanged is left to be recorded, for this
    /// audience.
    fn agent_text(
        &mut self,
        bytes: &[u8],
        present: &Presence<'_>,
        round: &mut Round,
    ) -> Option<(RecordKind, Audience)> {
        let message = match Message::read(bytes) {
            Ok(message) => message,
            Err(invalid) => {
                self.unparsed(bytes, bytes.len() as u64, &invalid.to_string(), round);
                return None;
            }
        };
        round.messages += 1;
        let id = message.shape.id.as_ref();
        match (message.shape.kind, id) {
            (Kind::Response, Some(id)) => match self.pending.answer(id) {
                Some(waiting) => return self.agent_response(&message, &waiting, present, round),
                None if self.pending.has_client_id(id) => {
                    return Some((RecordKind::Response, Audience::Everyone));
                }
                None => {}
            },
            (Kind::Request, Some(id)) => round.asked.push((self.next_sequence, id.clone())),
            (Kind::Notification, _) => {
                // The agent waits no longer, and who comes later should not be asked.
                if let Some(cancellation) = message.cancellation() {
                    round.asked.retain(|(_, id)| *id != cancellation.id);
                    self.asked.on_answer(&cancellation.id);
                }
            }
            _ => {}
        }
        Some((RecordKind::Message, Audience::Everyone))
    }

    fn agent_response(
        &mut self,
        message: &Message<&[u8]>,
        waiting: &Waiting,
        present: &Presence<'_>,
        round: &mut Round,
    ) -> Option<(RecordKind, Audience)> {
        if let Asker::Waits(Caller::Post(ticket)) = waiting.asker {
            round.answered.push((ticket, round.builder.len(), message.shape.is_error));
        }
        let (kind, audience) = self.addressee(waiting, present);
        if message.id_text() == &*waiting.id {
            return Some((kind, audience));
        }
        self.record(round, kind, audience, &message.with_id(&waiting.id));
        None
    }

    /// Records that a request failed, unless its POST is there to get the error.
    fn fail(&mut self, waiting: &Waiting, error: &ErrorObject, present: &Presence<'_>, round: &mut Round) {
        let (kind, audience) = self.addressee(waiting, present);
        if audience != Audience::Post {
            self.record(round, kind, audience, &error.response(&waiting.id));
        }
    }

    /// Returns who the answer to a request is for, and as what event streams show it. Readers of event streams match
    /// answers by id, so an answer that could be taken for another client's is no `message` there.
    fn addressee(&mut self, waiting: &Waiting, present: &Presence<'_>) -> (RecordKind, Audience) {
        let contested = waiting.contested;
        let (audience, ambiguous) = match waiting.asker {
            Asker::Waits(Caller::Post(ticket)) if (present.has_post)(ticket) => {
                (Audience::Post, contested || self.pending.ids_are_alike(present.streams))
            }
            Asker::Waits(Caller::Socket(socket)) => {
                let among_sockets = waiting.contested_by_socket;
                if (present.has_socket)(socket) {
                    let audience = Audience::Socket { socket, contested: among_sockets };
                    (audience, contested || self.pending.ids_are_alike(present.streams))
                } else {
                    (Audience::GoneSocket { contested: among_sockets }, contested)
                }
            }
            Asker::Waits(Caller::Stream(scope)) => (Audience::Stream { scope }, contested),
            Asker::Waits(Caller::Post(_)) | Asker::GaveUp => (Audience::Gone, contested),
            Asker::Failed => (Audience::Post, true),
        };
        (if ambiguous { RecordKind::Response } else { RecordKind::Message }, audience)
    }

    fn unparsed(&mut self, bytes: &[u8], length: u64, reason: &str, round: &mut Round) {
        let head = bytes.get(..self.unparsed_bytes).unwrap_or(bytes);
        let raw = String::from_utf8_lossy(head);
        let truncated = (head.len() as u64) < length;
        let event = Unparsed { raw: &raw, bytes: length, truncated, reason };
        let data = serde_json::to_vec(&event).unwrap_or_default();
        self.record(round, RecordKind::Unparsed, Audience::Everyone, &data);
    }

    fn record(&mut self, round: &mut Round, kind: RecordKind, audience: Audience, data: &[u8]) {
        round.builder.push(self.next_sequence, kind, audience, data);
        self.next_sequence += 1;
    }

    fn close(&mut self, round: Round) -> Output {
        let first = self.next_sequence - round.builder.len() as u64;
        let (segment, rest) = round.builder.finish(first, self.end);
        self.lines.buffers.put_back(rest);
        let mut deliveries: Vec<Delivery> =
            round.ended.into_iter().map(|(ticket, answer)| Delivery { ticket, answer }).collect();
        if let Some(segment) = &segment {
            self.end = segment.end();
            for (sequence, id) in round.asked {
                let index = (sequence - first) as usize;
                self.asked.note(sequence, id, &segment.frames(index..index + 1), segment.data(index).len());
            }
            deliveries.extend(round.answered.into_iter().map(|(ticket, index, is_error)| Delivery {
                ticket,
                answer: Answer::Response { bytes: segment.data(index), is_error },
            }));
        }
        Output { segment, deliveries, messages: round.messages }
    }
}

/// The state while one piece of output is processed.
#[derive(Default)]
struct Round {
    builder: SegmentBuilder,
    /// Requests of the agent, by sequence number.
    asked: Vec<(u64, sa_jsonrpc::Id)>,
    /// Tickets with the index of the record that answers them.
    answered: Vec<(u64, usize, bool)>,
    /// Tickets that will not be answered, and why.
    ended: Vec<(u64, Answer)>,
    messages: usize,
}

impl Round {
    fn new(frames: FrameBuffer) -> Self {
        Self { builder: SegmentBuilder::new(frames), ..Self::default() }
    }
}
