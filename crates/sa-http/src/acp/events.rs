//! The event stream of a server: a reader as frames.

use crate::stream::{Frames, sse};
use bytes::{Bytes, BytesMut};
use sa_hub::{Past, Reader, Step};
use sa_relay::{Part, Record};
use std::collections::VecDeque;
use std::task::{Context, Poll};

/// Everything that a server's agent says, with the transport's own events.
pub(crate) struct ServerFrames {
    reader: Reader,
    opening: VecDeque<Bytes>,
}

impl ServerFrames {
    pub(crate) fn new(mut reader: Reader) -> Self {
        let questions = reader.take_questions().into_iter();
        let mut opening: VecDeque<Bytes> = questions.map(|question| question.frame).collect();
        opening.push_back(sse::opening(reader.cursor()));
        Self { reader, opening }
    }
}

impl Frames for ServerFrames {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(frame) = self.opening.pop_front() {
            return Poll::Ready(Some(frame));
        }
        loop {
            match self.reader.poll_step(context) {
                Poll::Ready(Some(Step::Part(part))) => {
                    if let Some(bytes) = visible(&part, self.reader.past()) {
                        return Poll::Ready(Some(bytes));
                    }
                }
                Poll::Ready(Some(Step::Gap { oldest, newest })) => {
                    return Poll::Ready(Some(sse::gap(oldest, newest)));
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// The frames of a part that an event stream shows: all of them, but for what was settled before a server's first reader.
fn visible(part: &Part, past: Option<&Past>) -> Option<Bytes> {
    let Some(past) = past.filter(|past| past.reaches(part.segment.first)) else {
        return Some(part.segment.frames(part.records.clone()));
    };
    let mut bytes = BytesMut::new();
    for (offset, record) in part.segment.records(part.records.start).iter().enumerate() {
        let index = part.records.start + offset;
        let number = part.segment.first + index as u64;
        if !past.is_settled(number, record.audience, &part.segment.data(index)) {
            bytes.extend_from_slice(&part.segment.frames(index..index + 1));
        }
    }
    (!bytes.is_empty()).then(|| bytes.freeze())
}

/// The frames of those records of a part that `shown` picks, given their index in the segment, as `message` events.
pub(super) fn gather_if(part: &Part, mut shown: impl FnMut(usize, &Record) -> bool) -> Option<Bytes> {
    let mut bytes = BytesMut::new();
    for (offset, record) in part.segment.records(part.records.start).iter().enumerate() {
        let index = part.records.start + offset;
        if shown(index, record) {
            bytes.extend_from_slice(&part.segment.message_frame(index));
        }
    }
    (!bytes.is_empty()).then(|| bytes.freeze())
}
