//! The event stream of a server: a reader as frames.

use crate::stream::{Frames, sse};
use bytes::{Bytes, BytesMut};
use sa_hub::{Past, Reader};
use sa_journal::Step;
use sa_relay::{Part, Record};
use std::collections::VecDeque;
use std::task::{Context, Poll, ready};

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
            let shown = match ready!(self.reader.poll_step(context)) {
                Some(Step::Entry(part)) => visible(&part, self.reader.past()),
                Some(Step::Gap(gap)) => Some(sse::gap(gap)),
                None => return Poll::Ready(None),
            };
            if shown.is_some() {
                return Poll::Ready(shown);
            }
        }
    }
}

/// Returns the frames of a part that an event stream shows: all, but for what was settled before the first reader.
fn visible(part: &Part, past: Option<&Past>) -> Option<Bytes> {
    let Some(past) = past.filter(|past| past.reaches(part.segment.first)) else {
        return Some(part.frames());
    };
    gather(part, |index, sequence, record| {
        let settled = past.is_settled(sequence, record.audience, &part.segment.data(index));
        (!settled).then(|| part.segment.frames(index..index + 1))
    })
}

/// Joins the frames of a part that `frame` returns, given a record's index and number. Returns none if there are none.
pub(super) fn gather(
    part: &Part,
    mut frame: impl FnMut(usize, u64, &Record) -> Option<Bytes>,
) -> Option<Bytes> {
    let mut bytes = BytesMut::new();
    for frame in part.records().filter_map(|(index, sequence, record)| frame(index, sequence, record)) {
        bytes.extend_from_slice(&frame);
    }
    (!bytes.is_empty()).then(|| bytes.freeze())
}
