//! The streams of the standard transport: one for a connection, one for each of its sessions.

use super::events::{Frames, gather_if};
use bytes::Bytes;
use sa_hub::{Attachment, Reader, Step};
use sa_relay::{Audience, Part, RecordKind};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio_util::sync::WaitForCancellationFutureOwned;

/// The messages of one stream.
pub(crate) struct ScopedFrames {
    reader: Reader,
    attachment: Attachment,
    /// The session; none for the connection's own stream.
    session: Option<String>,
    replaced: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl ScopedFrames {
    pub(crate) fn new(reader: Reader, attachment: Attachment, session: Option<String>) -> Self {
        let replaced = Box::pin(attachment.replaced().cancelled_owned());
        Self { reader, attachment, session, replaced }
    }

    /// A message goes to the stream of the session it names, an answer to the stream its request asked for. Events
    /// of the transport have no place here: stock clients take every event for a message.
    fn pick(&self, part: &Part) -> Option<Bytes> {
        gather_if(part, |index, record| match record.audience {
            Audience::Stream { scope } => scope == self.attachment.scope,
            Audience::Everyone if record.kind == RecordKind::Message => {
                session_of(&part.segment.data(index)).as_deref() == self.session.as_deref()
            }
            _ => false,
        })
    }
}

impl Frames for ScopedFrames {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.replaced.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        // Being asked again means that what was given before has been taken.
        self.attachment.delivered(self.reader.cursor());
        loop {
            match self.reader.poll_step(context) {
                Poll::Ready(Some(Step::Part(part))) => {
                    if let Some(bytes) = self.pick(&part) {
                        return Poll::Ready(Some(bytes));
                    }
                    self.attachment.delivered(part.last());
                }
                Poll::Ready(Some(Step::Gap { oldest, newest })) => {
                    tracing::warn!(oldest, newest, "a stream ended: what comes next is no longer in the log");
                    return Poll::Ready(None);
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

#[derive(Deserialize)]
struct Scope<'a> {
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct SessionParams<'a> {
    #[serde(borrow, default, rename = "sessionId")]
    session_id: Option<&'a RawValue>,
}

/// The session that a message is about; `$/` messages are about the connection.
pub(super) fn session_of(message: &[u8]) -> Option<String> {
    let scope: Scope<'_> = serde_json::from_slice(message).ok()?;
    if scope.method.is_some_and(|method| method.get().starts_with("\"$/")) {
        return None;
    }
    let params: SessionParams<'_> = serde_json::from_str(scope.params?.get()).ok()?;
    serde_json::from_str(params.session_id?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_its_session_or_none() {
        let of = |text: &str| session_of(text.as_bytes());
        assert_eq!(
            of(r#"{"method":"session/update","params":{"sessionId":"s\u0031"}}"#),
            Some("s1".to_owned())
        );
        assert_eq!(of(r#"{"method":"$/cancel_request","params":{"sessionId":"s1"}}"#), None);
        assert_eq!(of(r#"{"method":"x","params":[1]}"#), None);
        assert_eq!(of(r#"{"method":"x","params":{"sessionId":7}}"#), None);
        assert_eq!(of(r#"{"id":1,"result":{"sessionId":"s1"}}"#), None);
    }
}
