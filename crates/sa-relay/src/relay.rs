//! The relay of one server: client messages in, agent bytes in, what follows from each out.

use crate::asked::{Asked, Question};
use crate::lines::{Line, Lines};
use crate::pending::{Pending, Waiting};
use crate::segment::{FRAME_ROOM, SegmentBuilder};
use crate::{Audience, Caller, RecordKind, Refused, Segment};
use bytes::Bytes;
use sa_jsonrpc::{ErrorObject, Kind, Message};
use serde::Serialize;

/// Bounds of one relay, in bytes but for `pending_requests`.
#[derive(Debug, Clone)]
pub struct RelayOptions {
    /// Longest line of an agent.
    pub line_bytes: usize,
    /// How much of an unparsable line is told.
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
    asked: Asked,
    unparsed_bytes: usize,
    next_sequence: u64,
    end: u64,
    framing: Framing,
    /// Whether several clients that count alike were seen. Stays so: whichever of them is away comes back.
    shared: bool,
}

/// What a message of a client becomes.
#[derive(Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// Goes to the agent as it came.
    Verbatim,
    /// Goes to the agent with another id.
    Rewritten(Vec<u8>),
}

/// What the owner knows and the relay does not: who still listens.
pub struct Surroundings<'a> {
    /// Whether the POST of this ticket still waits.
    pub attached: &'a dyn Fn(u64) -> bool,
    /// How many event streams are open.
    pub streams: usize,
}

/// What came of the agent's bytes.
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
    /// Which POST.
    pub ticket: u64,
    /// The answer.
    pub answer: Answer,
}

/// How a request ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The agent's response, under the client's id.
    Response {
        /// Its bytes.
        bytes: Bytes,
        /// Whether it carries an error.
        is_error: bool,
    },
    /// The agent ended before it answered.
    AgentEnded,
}

#[derive(Serialize)]
struct Unparsed<'a> {
    raw: &'a str,
    bytes: u64,
    truncated: bool,
    reason: &'a str,
}

impl Relay {
    /// A relay in front of an agent that has said nothing yet.
    pub fn new(options: &RelayOptions) -> Self {
        Self {
            lines: Lines::new(options.line_bytes, options.unparsed_bytes),
            pending: Pending::new(options.pending_requests),
            asked: Asked::new(options.asked_bytes),
            unparsed_bytes: options.unparsed_bytes,
            next_sequence: 1,
            end: 0,
            framing: Framing::default(),
            shared: false,
        }
    }

    /// Takes a client's message: registers a request, notes that a question was answered.
    pub fn client_message<B: AsRef<[u8]>>(
        &mut self,
        message: &Message<B>,
        caller: Caller,
    ) -> Result<Outgoing, Refused> {
        match message.shape.kind {
            Kind::Request => Ok(match self.pending.admit(message, caller)? {
                Some(id) => Outgoing::Rewritten(message.with_id(&id)),
                None => Outgoing::Verbatim,
            }),
            Kind::Response => {
                if let Some(id) = &message.shape.id {
                    self.asked.answered(id);
                }
                Ok(Outgoing::Verbatim)
            }
            Kind::Notification => Ok(Outgoing::Verbatim),
        }
    }

    /// Takes bytes that the agent wrote.
    pub fn agent_data(&mut self, data: &[u8], around: &Surroundings<'_>) -> Output {
        let mut lines = std::mem::take(&mut self.lines);
        let expected = data.len().saturating_add(self.framing.of(data.len()));
        let mut round = Round::new(expected);
        round.builder = round.builder.into_spare(lines.take_spare(expected));
        lines.feed(data, |line| self.agent_line(line, around, &mut round));
        self.lines = lines;
        let output = self.close(round);
        self.framing.learn(
            data.len(),
            output.segment.as_ref().map_or(0, |segment| (segment.end() - segment.start) as usize),
        );
        output
    }

    /// The agent has ended. What it left unfinished becomes records, every wait is over. `exit` is the event's data.
    pub fn agent_end(&mut self, exit: &str, error: &ErrorObject, around: &Surroundings<'_>) -> Output {
        let mut lines = std::mem::take(&mut self.lines);
        let mut round = Round::new(0);
        lines.finish(|line| self.agent_line(line, around, &mut round));
        self.lines = lines;
        // Nobody waits for replies any more, nor to a question in the agent's last words.
        self.asked.clear();
        round.asked.clear();
        for waiting in self.pending.drain() {
            if let Caller::Post(ticket) = waiting.caller {
                round.ended.push(ticket);
            }
            match listener(waiting.caller, around) {
                Caller::Post(_) => {}
                // Whoever reads a stream for this answer can only learn of its failure there.
                caller => {
                    let audience = audience(caller, false);
                    self.record(&mut round, RecordKind::Message, audience, &error.response(&waiting.id));
                }
            }
        }
        self.record(&mut round, RecordKind::Exit, Audience::Everyone, exit.as_bytes());
        self.close(round)
    }

    /// Takes a buffer that left the log, for what the agent says next.
    pub fn reuse(&mut self, buffer: Vec<u8>) {
        self.lines.reuse(buffer);
    }

    /// The POST of this ticket no longer waits.
    pub fn abandon(&mut self, ticket: u64) {
        self.pending.abandon(ticket);
    }

    /// Unanswered requests of clients.
    pub fn pending_requests(&self) -> usize {
        self.pending.len()
    }

    /// Whether the agent waits for a client, so that its silence is not its own.
    pub fn agent_waits(&self) -> bool {
        !self.asked.is_empty()
    }

    /// The agent's unanswered requests, oldest first.
    pub fn open_questions(&self) -> Vec<Question> {
        self.asked.questions()
    }

    fn agent_line(&mut self, line: Line<'_>, around: &Surroundings<'_>, round: &mut Round) {
        match line {
            Line::Whole(bytes) => {
                if let Some(audience) = self.agent_text(bytes, around, round) {
                    self.record(round, RecordKind::Message, audience, bytes);
                }
            }
            Line::Gathered(buffer) => {
                let bytes = buffer.get(FRAME_ROOM..).unwrap_or_default();
                if let Some(audience) = self.agent_text(bytes, around, round) {
                    round.builder.adopt(self.next_sequence, RecordKind::Message, audience, buffer);
                    self.next_sequence += 1;
                }
            }
            Line::TooLong { head, length } => self.unparsed(head, length, "line too long", round),
        }
    }

    /// Works through a line of the agent. What goes on unchanged is left to be recorded, for this audience.
    fn agent_text(&mut self, bytes: &[u8], around: &Surroundings<'_>, round: &mut Round) -> Option<Audience> {
        let message = match Message::read(bytes) {
            Ok(message) => message,
            Err(invalid) => {
                self.unparsed(bytes, bytes.len() as u64, &invalid.to_string(), round);
                return None;
            }
        };
        let (audience, restored) = self.agent_message(&message, around, round);
        match restored {
            Some(restored) => {
                self.record(round, RecordKind::Message, audience, &restored);
                None
            }
            None => Some(audience),
        }
    }

    /// Who gets a message of the agent, and the message itself if it goes on under another id.
    fn agent_message(
        &mut self,
        message: &Message<&[u8]>,
        around: &Surroundings<'_>,
        round: &mut Round,
    ) -> (Audience, Option<Vec<u8>>) {
        round.messages += 1;
        match (message.shape.kind, &message.shape.id) {
            (Kind::Response, Some(id)) => {
                if let Some(waiting) = self.pending.answer(id) {
                    return self.agent_response(message, &waiting, around, round);
                }
            }
            (Kind::Request, Some(id)) => round.asked.push((self.next_sequence, id.clone())),
            _ => {}
        }
        (Audience::Everyone, None)
    }

    fn agent_response(
        &mut self,
        message: &Message<&[u8]>,
        waiting: &Waiting,
        around: &Surroundings<'_>,
        round: &mut Round,
    ) -> (Audience, Option<Vec<u8>>) {
        // Where several clients count their requests alike, a stream that carries everybody's answers would hand
        // one client's to another, also later, when it is replayed. They are then left to the POST or socket that asked.
        self.shared |= self.pending.ids_collided() || (self.pending.ids_were_reused() && around.streams > 1);
        if let Caller::Post(ticket) = waiting.caller {
            round.answered.push((ticket, round.builder.len(), message.shape.is_error));
        }
        let audience = audience(listener(waiting.caller, around), !self.shared);
        let restored = (message.id_text() != &*waiting.id).then(|| message.with_id(&waiting.id));
        (audience, restored)
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

    fn close(&mut self, mut round: Round) -> Output {
        if round.builder.len() == 0 {
            self.lines.reuse(round.builder.take_buffer());
        }
        let first = self.next_sequence - round.builder.len() as u64;
        let segment = round.builder.finish(first, self.end);
        let mut deliveries: Vec<Delivery> =
            round.ended.into_iter().map(|ticket| Delivery { ticket, answer: Answer::AgentEnded }).collect();
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

/// How much frames add to an agent's output: little to long messages, a fifth to short ones. Agents go on as they
/// were, so the last piece tells, and the next one's buffer is neither too small nor cut to size afterwards.
#[derive(Debug, Default)]
struct Framing {
    data: usize,
    added: usize,
}

impl Framing {
    /// What framing so many bytes will add.
    fn of(&self, data: usize) -> usize {
        /// For the line that a piece begins or ends in the middle of.
        const MARGIN: usize = 256;
        data.saturating_mul(self.added).checked_div(self.data).unwrap_or(0).min(data) + MARGIN
    }

    fn learn(&mut self, data: usize, framed: usize) {
        // A piece that ends a line of many pieces says nothing about frames.
        if (1..data.saturating_mul(2)).contains(&framed) {
            (self.data, self.added) = (data, framed.saturating_sub(data));
        }
    }
}

/// What gathers while one piece of output is worked through.
struct Round {
    builder: SegmentBuilder,
    /// Requests of the agent, by sequence number.
    asked: Vec<(u64, sa_jsonrpc::Id)>,
    /// Tickets with the index of the record that answers them.
    answered: Vec<(u64, usize, bool)>,
    /// Tickets that will not be answered.
    ended: Vec<u64>,
    messages: usize,
}

impl Round {
    fn new(expected: usize) -> Self {
        Self {
            builder: SegmentBuilder::expecting(expected),
            asked: Vec::new(),
            answered: Vec::new(),
            ended: Vec::new(),
            messages: 0,
        }
    }
}

/// Who is there to take an answer: that of a POST which no longer waits goes to the event streams.
fn listener(caller: Caller, around: &Surroundings<'_>) -> Caller {
    match caller {
        Caller::Post(ticket) if !(around.attached)(ticket) => Caller::Stream(0),
        caller => caller,
    }
}

fn audience(caller: Caller, open: bool) -> Audience {
    match caller {
        Caller::Post(_) => Audience::Post { open },
        Caller::Socket(socket) => Audience::Socket { socket, open },
        Caller::Stream(scope) => Audience::Stream { scope },
    }
}
