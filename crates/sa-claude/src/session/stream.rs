//! What of a message was streamed already, so that of the whole message only the rest is told.

use sa_acp::Voice;

#[derive(Debug)]
struct Streamed {
    index: u64,
    voice: Voice,
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
    pub(super) fn add(&mut self, index: u64, voice: Voice, text: &str) {
        match self.blocks.iter_mut().find(|block| block.index == index && block.voice == voice) {
            Some(block) => block.text.push_str(text),
            None => self.blocks.push(Streamed { index, voice, text: text.to_owned(), confirmed: false }),
        }
    }

    /// Returns what of a whole block was not streamed.
    pub(super) fn rest<'a>(&mut self, message: &str, voice: Voice, whole: &'a str) -> &'a str {
        if self.message.as_deref() != Some(message) {
            return whole;
        }
        let mut blocks = self.blocks.iter_mut().filter(|block| !block.confirmed && block.voice == voice);
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
        assert_eq!(stream.rest("m1", Voice::Said, "all of it"), "all of it");
        stream.begin("m1".to_owned());
        stream.add(0, Voice::Thought, "hm");
        stream.add(1, Voice::Said, "Hel");
        stream.add(1, Voice::Said, "lo");
        assert_eq!(stream.rest("m1", Voice::Thought, "hm"), "");
        assert_eq!(stream.rest("m1", Voice::Said, "Hello, world"), ", world");
        assert_eq!(
            stream.rest("m1", Voice::Said, "Hello"),
            "Hello",
            "a second block with the same beginning"
        );
        assert_eq!(stream.rest("m2", Voice::Said, "Hello"), "Hello");
        stream.begin("m3".to_owned());
        stream.add(0, Voice::Said, "something else");
        assert_eq!(stream.rest("m3", Voice::Said, "Hello"), "Hello");
    }
}
