//! Output of a misbehaving agent: garbage, lines of any size, too much of it.

use super::action::Action;
use super::content::text;
use super::core::{Core, Effect};
use super::session::Session;
use agent_client_protocol_schema::v1::{ContentChunk, MessageId, SessionId, SessionUpdate};

/// Returns what writes something that is no message, as these words describe it.
pub(super) fn garbage(words: &str) -> Option<Vec<Action>> {
    let raw = |bytes: &[u8]| Action::Raw(bytes.to_vec());
    Some(vec![match words {
        "" | "text" => raw(b"This line is no JSON.\n"),
        // JSON that is no JSON-RPC.
        "json" => raw(b"{\"hello\":\"world\"}\n"),
        "empty" => raw(b"\n"),
        // An answer to a question that nobody asked.
        "response" => raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"nobody-asked\",\"result\":{}}\n"),
        "utf8" => raw(b"\xff\xfe this line is no UTF-8 \xc3\x28\n"),
        // A line that does not end, because the process does.
        "nolf" => {
            let begun = raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"session/upd");
            return Some(vec![begun, Action::Effect(Effect::Exit(0)), Action::Hang]);
        }
        _ => Action::Fill(words.strip_prefix("long ")?.trim().parse().ok()?),
    }])
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
