//! The streams of the standard transport: one for a connection, one for each of its sessions.

use super::events::gather;
use crate::stream::{Frames, sse};
use bytes::Bytes;
use sa_hub::{About, Attachment, Reader};
use sa_journal::Step;
use sa_relay::{Audience, Part, RecordKind};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio_util::sync::WaitForCancellationFutureOwned;

/// The messages of one stream.
pub(crate) struct ScopedFrames {
    reader: Reader,
    attachment: Attachment,
    replaced: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Set after a gap: stock clients know no other sign of it than the end.
    ended: bool,
}

impl ScopedFrames {
    pub(crate) fn new(reader: Reader, attachment: Attachment) -> Self {
        let replaced = Box::pin(attachment.replaced().cancelled_owned());
        Self { reader, attachment, replaced, ended: false }
    }

    /// Picks the messages that belong to this stream. Events of the transport have no place here: stock clients take
    /// every event for a message.
    fn pick(&self, part: &Part) -> Option<Bytes> {
        let bytes = gather(part, |index, number, record| {
            if !matches!(record.kind, RecordKind::Message | RecordKind::Response) {
                return None;
            }
            let glance = Glance::at(&part.segment.data(index));
            let carried = match record.audience {
                Audience::Stream { scope } => {
                    self.attachment.carries(number, About::Answer { scope, is_error: glance.is_error })
                }
                Audience::Everyone if record.kind == RecordKind::Message => {
                    self.attachment.carries(number, About::Session(glance.session.as_deref()))
                }
                _ => false,
            };
            if let Some(session) = &glance.made {
                self.attachment.made(session, number);
            }
            carried.then(|| part.segment.message_frame(index))
        });
        self.attachment.looked_at(part.last());
        bytes
    }
}

impl Frames for ScopedFrames {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.ended || self.replaced.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        // Being asked again means that what was given before has been taken.
        self.attachment.delivered(self.reader.cursor());
        loop {
            match ready!(self.reader.poll_step(context)) {
                Some(Step::Entry(part)) => {
                    if let Some(bytes) = self.pick(&part) {
                        return Poll::Ready(Some(bytes));
                    }
                    self.attachment.delivered(part.last());
                }
                Some(Step::Gap(gap)) => {
                    tracing::warn!(?gap, "a stream ended: what comes next is no longer in the log");
                    self.ended = true;
                    // The next attempt gets what is left, also if it names the last event it knows of.
                    let cursor = self.reader.cursor();
                    self.attachment.delivered(cursor);
                    return Poll::Ready(Some(sse::opening(cursor)));
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

/// The sessions that a message names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Glance {
    /// The session it is about; `$/` messages are about the connection.
    pub(super) session: Option<String>,
    /// The session that it names as the result of a request.
    made: Option<String>,
    is_error: bool,
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default, rename = "sessionId")]
    session_id: Option<&'a RawValue>,
}

impl Glance {
    pub(super) fn at(message: &[u8]) -> Self {
        let Ok(members) = serde_json::from_slice::<Members<'_>>(message) else { return Self::default() };
        let of_connection = members.method.is_some_and(|method| method.get().starts_with("\"$/"));
        Self {
            session: members.params.filter(|_| !of_connection).and_then(named),
            made: members.result.and_then(named),
            is_error: members.error.is_some(),
        }
    }
}

fn named(object: &RawValue) -> Option<String> {
    let named: Named<'_> = serde_json::from_str(object.get()).ok()?;
    serde_json::from_str(named.session_id?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_its_session_or_none() {
        let of = |text: &str| Glance::at(text.as_bytes()).session;
        assert_eq!(
            of(r#"{"method":"session/update","params":{"sessionId":"s\u0031"}}"#),
            Some("s1".to_owned())
        );
        assert_eq!(of(r#"{"method":"$/cancel_request","params":{"sessionId":"s1"}}"#), None);
        assert_eq!(of(r#"{"method":"x","params":[1]}"#), None);
        assert_eq!(of(r#"{"method":"x","params":{"sessionId":7}}"#), None);
        assert_eq!(of(r#"{"id":1,"result":{"sessionId":"s1"}}"#), None);
        let made = Glance::at(br#"{"id":1,"result":{"sessionId":"s1"}}"#);
        assert_eq!((made.made.as_deref(), made.is_error), (Some("s1"), false));
        assert!(Glance::at(br#"{"id":1,"error":{"code":1,"message":""}}"#).is_error);
    }
}
