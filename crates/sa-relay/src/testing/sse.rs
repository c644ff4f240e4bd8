//! A reader of event streams, written from the standard's text: bytes in any pieces, events out.

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field.
    pub name: String,
    /// The `data` fields, joined by line feeds.
    pub data: String,
    /// The last id of the stream, set by this event or before it.
    pub id: String,
}

/// The state of a client between pieces. A new connection starts with a new parser and the old id.
#[derive(Debug, Default)]
pub struct Parser {
    line: Vec<u8>,
    after_return: bool,
    name: String,
    data: Vec<String>,
    id: String,
    /// The id of the last event that was complete.
    pub last_id: String,
}

impl Parser {
    /// Takes the next bytes and returns the events that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
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

    fn line(&mut self, line: &str) -> Option<SseEvent> {
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

    fn dispatch(&mut self) -> Option<SseEvent> {
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        self.last_id.clone_from(&self.id);
        (!data.is_empty()).then(|| SseEvent { name, data: data.join("\n"), id: self.id.clone() })
    }
}

/// Parses a whole stream, which must end where an event ends.
pub fn parse(bytes: &[u8]) -> Vec<SseEvent> {
    let mut parser = Parser::default();
    let events = parser.feed(bytes);
    assert!(
        parser.line.is_empty() && parser.data.is_empty() && parser.name.is_empty(),
        "an unfinished event"
    );
    events
}
