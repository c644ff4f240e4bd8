//! Output of a misbehaving agent: garbage, lines of any size, too much of it.

use super::action::Action;
use super::content::text;
use super::core::{Core, Effect};
use super::session::Session;
use agent_client_protocol_schema::v1::{ContentChunk, MessageId, SessionId, SessionUpdate};

/// Something that is no message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Garbage {
    /// Words.
    Text,
    /// JSON that is no JSON-RPC.
    Json,
    /// A line without anything in it.
    Empty,
    /// An answer to a question that nobody asked.
    Response,
    /// Bytes that are not UTF-8.
    Utf8,
    /// A line of that length.
    Long(u64),
    /// A line that does not end, because the process does.
    Unended,
}

impl Garbage {
    pub(super) fn from_words(words: &str) -> Option<Self> {
        Some(match words {
            "" | "text" => Self::Text,
            "json" => Self::Json,
            "empty" => Self::Empty,
            "response" => Self::Response,
            "utf8" => Self::Utf8,
            "nolf" => Self::Unended,
            _ => Self::Long(words.strip_prefix("long ")?.trim().parse().ok()?),
        })
    }

    pub(super) fn actions(self) -> Vec<Action> {
        let raw = |bytes: &[u8]| Action::Raw(bytes.to_vec());
        match self {
            Self::Text => vec![raw(b"This line is no JSON.\n")],
            Self::Json => vec![raw(b"{\"hello\":\"world\"}\n")],
            Self::Empty => vec![raw(b"\n")],
            Self::Response => vec![raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"nobody-asked\",\"result\":{}}\n")],
            Self::Utf8 => vec![raw(b"\xff\xfe this line is no UTF-8 \xc3\x28\n")],
            Self::Long(bytes) => vec![Action::Fill(bytes)],
            Self::Unended => {
                vec![
                    raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"session/upd"),
                    Action::Effect(Effect::Exit(0)),
                    Action::Hang,
                ]
            }
        }
    }
}

/// The rest of a garbage line.
#[derive(Debug)]
pub(super) struct Filler {
    /// Whose turn writes it.
    pub(super) session: SessionId,
    pub(super) bytes: u64,
}

/// Writes the next part of a garbage line, and its end after the last one; `false` if there is none.
pub(super) fn write_filler(filler: &mut Option<Filler>, out: &mut Vec<u8>) -> bool {
    const AT_ONCE: u64 = 64 << 10;
    let Some(rest) = filler else { return false };
    let part = rest.bytes.min(AT_ONCE);
    rest.bytes -= part;
    out.extend(std::iter::repeat_n(b'x', usize::try_from(part).unwrap_or_default()));
    if rest.bytes == 0 {
        out.push(b'\n');
        *filler = None;
    }
    true
}

/// The text of a numbered chunk: its number and a space, then filled up to `bytes` bytes.
pub(super) fn numbered_text(number: u64, bytes: usize) -> String {
    let mut words = format!("{number} ");
    words.extend(std::iter::repeat_n('x', bytes.saturating_sub(words.len())));
    words
}

/// Writes one chunk whose line is exactly `bytes` bytes long without its end, or as short as it can be.
pub(super) fn write_big(bytes: usize, session: &mut Session, core: &mut Core) {
    let message = MessageId::new(session.next_id("msg"));
    let big = |fill: usize| {
        let chunk = ContentChunk::new(text("x".repeat(fill))).message_id(message.clone());
        SessionUpdate::AgentMessageChunk(chunk)
    };
    let before = core.client.outbox.len();
    core.client.update(&session.about.id, &big(0));
    let frame = core.client.outbox.len() - before - 1;
    core.client.outbox.truncate(before);
    core.client.update(&session.about.id, &big(bytes.saturating_sub(frame)));
}
