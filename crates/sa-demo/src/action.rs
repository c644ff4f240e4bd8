//! The actions of a turn, and their continuations.

use super::config::Select;
use super::core::{Call, Effect};
use super::permissions::Permission;
use super::questions::Question;
use super::terminal::TerminalStep;
use super::tools::FileStep;
use agent_client_protocol_schema::v1::{
    ContentBlock, Error, MessageId, SessionUpdate, StopReason, TerminalId,
};
use serde_json::value::RawValue;
use std::ops::RangeInclusive;
use std::time::Duration;

pub(super) type Outcome = Result<StopReason, Error>;

/// One step of a turn.
#[derive(Debug)]
pub(super) enum Action {
    /// Reports a change of the session.
    Update(Box<SessionUpdate>),
    Say(String),
    Think(String),
    Show(Box<ContentBlock>),
    Numbered(Numbered),
    /// One message that is so many bytes long.
    Big(usize),
    Rename(String),
    Choose(Select, String),
    /// Reports the tokens used.
    Report,
    Notify {
        method: String,
        params: Option<Box<RawValue>>,
    },
    Call(Box<Call>),
    /// Note a terminal that has to be released if the turn is cancelled, or forget it.
    Hold(TerminalId),
    Release(TerminalId),
    Pause(Duration),
    /// A pause that heeds no cancellation.
    Shield(Duration),
    Hang,
    /// Nothing is written in any session meanwhile.
    Silence(Duration),
    /// Bytes that are no message.
    Raw(Vec<u8>),
    /// A line of so many bytes that is no message.
    Fill(u64),
    Effect(Effect),
    End(Outcome),
}

/// Numbered chunks, made one by one.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) numbers: RangeInclusive<u64>,
    pub(super) bytes: usize,
    pub(super) every: Option<Duration>,
    pub(super) message: MessageId,
    /// Set if they become part of the history.
    pub(super) kept: bool,
}

/// The continuation of a request.
#[derive(Debug)]
pub(super) enum Then {
    Permission(Box<Permission>),
    Question(Question),
    File(Box<FileStep>),
    Terminal(TerminalStep),
    /// The next part of the tour.
    Tour,
    /// Reports it.
    Tell(String),
    Nothing,
}
