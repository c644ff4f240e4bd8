//! A reader of event streams, written from the standard's text: bytes in any pieces, events out.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) data: String,
    /// The last id that the stream gave, with this event or before it.
    pub(crate) id: String,
}

/// What a client keeps between pieces; a new connection starts with a new parser and the old id.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    after_return: bool,
    name: String,
    data: Vec<String>,
    id: String,
    /// The id of the last event that was complete.
    pub(crate) last_id: String,
}

impl Parser {
    /// Takes the next bytes; the events that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => {
                    let line =
                        String::from_utf8(std::mem::take(&mut self.line)).expect("an event stream is UTF-8");
                    events.extend(self.line(&line));
                }
                byte => self.line.push(byte),
            }
        }
        events
    }

    fn line(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.to_owned(),
            "data" => self.data.push(value.to_owned()),
            "id" if !value.contains('\0') => self.id = value.to_owned(),
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        self.last_id.clone_from(&self.id);
        (!data.is_empty()).then(|| Event { name, data: data.join("\n"), id: self.id.clone() })
    }
}

/// The events of a whole stream, which must end where an event ends.
pub(crate) fn parse(bytes: &[u8]) -> Vec<Event> {
    let mut parser = Parser::default();
    let events = parser.feed(bytes);
    assert!(
        parser.line.is_empty() && parser.data.is_empty() && parser.name.is_empty(),
        "an unfinished event"
    );
    events
}
