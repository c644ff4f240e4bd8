//! The part of a message that was streamed already, so that only the rest of the complete message is reported.

use sa_acp::ChunkKind;

#[derive(Debug)]
struct Streamed {
    index: u64,
    kind: ChunkKind,
    text: String,
    /// Set if the whole block has come, too.
    confirmed: bool,
}

/// The message that is being streamed, or was streamed last.
#[derive(Debug, Default)]
pub(super) struct Stream {
    message: Option<String>,
    blocks: Vec<Streamed>,
}

impl Stream {
    /// A new message begins.
    pub(super) fn begin(&mut self, message: String) {
        self.message = Some(message);
        self.blocks.clear();
    }

    /// The id of the message.
    pub(super) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Notes a piece of a block.
    pub(super) fn add(&mut self, index: u64, kind: ChunkKind, text: &str) {
        match self.blocks.iter_mut().find(|block| block.index == index && block.kind == kind) {
            Some(block) => block.text.push_str(text),
            None => self.blocks.push(Streamed { index, kind, text: text.to_owned(), confirmed: false }),
        }
    }

    /// Returns what of a whole block was not streamed.
    pub(super) fn rest<'a>(&mut self, message: &str, kind: ChunkKind, whole: &'a str) -> &'a str {
        if self.message.as_deref() != Some(message) {
            return whole;
        }
        let mut blocks = self.blocks.iter_mut().filter(|block| !block.confirmed && block.kind == kind);
        let found = blocks.find_map(|block| Some((whole.strip_prefix(block.text.as_str())?, block)));
        match found {
            Some((rest, block)) => {
                block.confirmed = true;
                rest
            }
            None => whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_streamed_is_left() {
        let mut stream = Stream::default();
        assert_eq!(stream.rest("m1", ChunkKind::Message, "all of it"), "all of it");
        stream.begin("m1".to_owned());
        stream.add(0, ChunkKind::Thought, "hm");
        stream.add(1, ChunkKind::Message, "Hel");
        stream.add(1, ChunkKind::Message, "lo");
        assert_eq!(stream.rest("m1", ChunkKind::Thought, "hm"), "");
        assert_eq!(stream.rest("m1", ChunkKind::Message, "Hello, world"), ", world");
        assert_eq!(
            stream.rest("m1", ChunkKind::Message, "Hello"),
            "Hello",
            "a second block with the same beginning"
        );
        assert_eq!(stream.rest("m2", ChunkKind::Message, "Hello"), "Hello");
        stream.begin("m3".to_owned());
        stream.add(0, ChunkKind::Message, "something else");
        assert_eq!(stream.rest("m3", ChunkKind::Message, "Hello"), "Hello");
    }
}
