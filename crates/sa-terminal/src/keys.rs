//! Bytes from a keyboard as keys, also when a sequence arrives in pieces.

/// A key, or a text that was pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Control and a letter, in lower case.
    Control(char),
    /// Alt and a character.
    Alt(char),
    Enter,
    /// Alt and Enter, or a line feed.
    NewLine,
    Tab,
    Backspace,
    Delete,
    /// Escape alone.
    Escape,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Control or Alt and cursor left.
    WordLeft,
    /// Control or Alt and cursor right.
    WordRight,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Pasted text.
    Paste(String),
}

const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
/// The longest text that is taken from one paste.
const LONGEST_PASTE: usize = 1 << 20;

/// Reads keys out of bytes.
#[derive(Debug, Default)]
pub struct KeyDecoder {
    bytes: Vec<u8>,
}

impl KeyDecoder {
    /// Reads the keys that are complete. The rest waits for more bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.bytes.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, length)) = decode(&self.bytes) {
            self.bytes.drain(..length);
            keys.extend(key);
        }
        keys
    }

    /// Returns true if a sequence has begun. A lone escape character is the key, if nothing follows it soon.
    pub fn is_waiting(&self) -> bool {
        self.bytes == [0x1b]
    }

    /// Reads what waits as it is, after nothing followed.
    pub fn flush(&mut self) -> Vec<Key> {
        if std::mem::take(&mut self.bytes) == [0x1b] { vec![Key::Escape] } else { Vec::new() }
    }
}

/// Reads the first key and its length; none while it is incomplete. A sequence without meaning has no key.
fn decode(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    let (&first, rest) = bytes.split_first()?;
    match first {
        0x1b => decode_escape(bytes, rest),
        b'\r' => Some((Some(Key::Enter), 1)),
        b'\n' => Some((Some(Key::NewLine), 1)),
        b'\t' => Some((Some(Key::Tab), 1)),
        0x7f | 0x08 => Some((Some(Key::Backspace), 1)),
        0 => Some((None, 1)),
        1..=26 => Some((Some(Key::Control(char::from(b'a' + first - 1))), 1)),
        0x1c..=0x1f => Some((None, 1)),
        _ => decode_char(bytes).map(|(c, length)| (c.map(Key::Char), length)),
    }
}

/// Reads a character; bytes that are none are skipped.
fn decode_char(bytes: &[u8]) -> Option<(Option<char>, usize)> {
    let length = match bytes.first()? {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return Some((None, 1)),
    };
    let encoded = bytes.get(..length)?;
    match std::str::from_utf8(encoded) {
        Ok(text) => Some((text.chars().next().filter(|c| !c.is_control()), length)),
        Err(_) => Some((None, 1)),
    }
}

fn decode_escape(bytes: &[u8], rest: &[u8]) -> Option<(Option<Key>, usize)> {
    match rest.first()? {
        b'[' if bytes.starts_with(PASTE_BEGIN) => {
            let body = bytes.get(PASTE_BEGIN.len()..)?;
            let end = body.windows(PASTE_END.len()).position(|window| window == PASTE_END);
            let Some(end) = end else {
                // A terminal that never ends a paste must not fill the memory.
                return (body.len() > LONGEST_PASTE).then_some((None, bytes.len()));
            };
            let text = String::from_utf8_lossy(body.get(..end)?).replace("\r\n", "\n").replace('\r', "\n");
            Some((Some(Key::Paste(text)), PASTE_BEGIN.len() + end + PASTE_END.len()))
        }
        b'[' => {
            let parameters = rest.get(1..)?;
            let end = parameters.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let (text, last) = (parameters.get(..end)?, *parameters.get(end)?);
            Some((control_sequence(text, last), end + 3))
        }
        // Application mode writes the same letters after another mark.
        b'O' => Some((control_sequence(b"", *rest.get(1)?), 3)),
        b'\r' | b'\n' => Some((Some(Key::NewLine), 2)),
        0x7f => Some((Some(Key::Control('w')), 2)),
        0x1b => Some((Some(Key::Escape), 1)),
        _ => decode_char(rest).map(|(c, length)| (c.map(Key::Alt), length + 1)),
    }
}

fn control_sequence(parameters: &[u8], last: u8) -> Option<Key> {
    // `1;5C` is Control and cursor right, `1;3C` Alt.
    let is_modified = parameters.ends_with(b";5") || parameters.ends_with(b";3");
    match (last, parameters) {
        (b'A', _) => Some(Key::Up),
        (b'B', _) => Some(Key::Down),
        (b'C', _) if is_modified => Some(Key::WordRight),
        (b'D', _) if is_modified => Some(Key::WordLeft),
        (b'C', _) => Some(Key::Right),
        (b'D', _) => Some(Key::Left),
        (b'H', _) | (b'~', b"1" | b"7") => Some(Key::Home),
        (b'F', _) | (b'~', b"4" | b"8") => Some(Key::End),
        (b'~', b"3") => Some(Key::Delete),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_however_they_are_cut() {
        let typed = "aü日\r\n\t\x7f\x03\x1b[A\x1b[1;5D\x1b[3~\x1bOH\x1bf\x1b\r\x1b[200~two\r\nlines\x1b[201~\x1b[99x.";
        let expected = [
            Key::Char('a'),
            Key::Char('ü'),
            Key::Char('日'),
            Key::Enter,
            Key::NewLine,
            Key::Tab,
            Key::Backspace,
            Key::Control('c'),
            Key::Up,
            Key::WordLeft,
            Key::Delete,
            Key::Home,
            Key::Alt('f'),
            Key::NewLine,
            Key::Paste("two\nlines".to_owned()),
            Key::Char('.'),
        ];
        assert_eq!(KeyDecoder::default().push(typed.as_bytes()), expected);
        let mut decoder = KeyDecoder::default();
        let one_by_one: Vec<Key> = typed.bytes().flat_map(|byte| decoder.push(&[byte])).collect();
        assert_eq!(one_by_one, expected);
    }

    #[test]
    fn escape_alone_is_a_key_when_nothing_follows() {
        let mut decoder = KeyDecoder::default();
        assert!(decoder.push(b"\x1b").is_empty() && decoder.is_waiting());
        assert_eq!(decoder.flush(), [Key::Escape]);
        assert!(!decoder.is_waiting() && decoder.flush().is_empty());
    }

    #[test]
    fn bytes_that_are_no_text_are_skipped() {
        assert_eq!(KeyDecoder::default().push(b"\xff\xc3(\x80x"), [Key::Char('('), Key::Char('x')]);
    }
}
