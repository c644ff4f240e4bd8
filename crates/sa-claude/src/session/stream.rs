//! What of a message was streamed already, so that of the whole message only the rest is told.

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thought,
}

#[derive(Debug)]
struct Streamed {
    index: u64,
    kind: Kind,
    text: String,
    /// Whether the whole block has come, too.
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
    pub(super) fn add(&mut self, index: u64, kind: Kind, text: &str) {
        match self.blocks.iter_mut().find(|block| block.index == index && block.kind == kind) {
            Some(block) => block.text.push_str(text),
            None => self.blocks.push(Streamed { index, kind, text: text.to_owned(), confirmed: false }),
        }
    }

    /// What of a whole block was not streamed.
    pub(super) fn rest<'a>(&mut self, message: &str, kind: Kind, whole: &'a str) -> &'a str {
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
        assert_eq!(stream.rest("m1", Kind::Text, "all of it"), "all of it");
        stream.begin("m1".to_owned());
        stream.add(0, Kind::Thought, "hm");
        stream.add(1, Kind::Text, "Hel");
        stream.add(1, Kind::Text, "lo");
        assert_eq!(stream.rest("m1", Kind::Thought, "hm"), "");
        assert_eq!(stream.rest("m1", Kind::Text, "Hello, world"), ", world");
        assert_eq!(stream.rest("m1", Kind::Text, "Hello"), "Hello", "a second block with the same beginning");
        assert_eq!(stream.rest("m2", Kind::Text, "Hello"), "Hello");
        stream.begin("m3".to_owned());
        stream.add(0, Kind::Text, "something else");
        assert_eq!(stream.rest("m3", Kind::Text, "Hello"), "Hello");
    }
}
