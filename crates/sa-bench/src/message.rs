//! The numbered `session/update` message: the stand-in agent writes it, the load generator checks it.
//!
//! Number and time of writing stand at fixed offsets, so that neither side parses JSON per message.

use rustix::time::{ClockId, clock_gettime};

/// Everything before the number.
const HEAD: &[u8] = br#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bench","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""#;
/// Everything after the padding.
const TAIL: &[u8] = br#""}}}}"#;
const NUMBER_DIGITS: usize = 10;
const TIME_DIGITS: usize = 17;
const TIME_AT: usize = HEAD.len() + NUMBER_DIGITS + 1;

/// The number of first bytes of a message that [`Numbered::parse`] needs.
pub const PREFIX_BYTES: usize = TIME_AT + TIME_DIGITS;

/// One message of a given size, numbered and stamped again and again in place.
#[derive(Debug, Clone)]
pub struct Template {
    bytes: Vec<u8>,
}

impl Template {
    /// Creates a message of `size` bytes without its line end, or of the smallest size that holds the fixed parts.
    pub fn new(size: usize) -> Self {
        let fixed = PREFIX_BYTES + 1 + TAIL.len();
        let mut bytes = Vec::with_capacity(size.max(fixed) + 1);
        bytes.extend_from_slice(HEAD);
        bytes.extend_from_slice(&[b'0'; NUMBER_DIGITS]);
        bytes.push(b' ');
        bytes.extend_from_slice(&[b'0'; TIME_DIGITS]);
        bytes.push(b' ');
        bytes.resize(size.max(fixed) - TAIL.len(), b'x');
        bytes.extend_from_slice(TAIL);
        bytes.push(b'\n');
        Self { bytes }
    }

    /// Gives the message its number and the time at which it is written (0: not measured).
    pub fn set(&mut self, number: u64, written_at: u64) {
        write_digits(&mut self.bytes[HEAD.len()..HEAD.len() + NUMBER_DIGITS], number);
        write_digits(&mut self.bytes[TIME_AT..TIME_AT + TIME_DIGITS], written_at);
    }

    /// Returns the message as a line, its `\n` included.
    pub fn line(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the message without its line end.
    pub fn json(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - 1]
    }
}

/// The fields at the fixed offsets of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered {
    /// Counts from 1; 0 marks a message of a floor that numbers nothing.
    pub number: u64,
    /// The time at which the agent wrote it, in nanoseconds of the monotonic clock; 0 when it did not look.
    pub written_at: u64,
}

impl Numbered {
    /// Reads a message's beginning; `None` for any other JSON.
    #[inline]
    pub fn parse(prefix: &[u8]) -> Option<Self> {
        let rest = prefix.strip_prefix(HEAD)?;
        let number = read_digits(rest.get(..NUMBER_DIGITS)?)?;
        // Nothing depends on this being there, so that callers who do not look at it do not pay for it.
        let written_at = prefix.get(TIME_AT..TIME_AT + TIME_DIGITS).and_then(read_digits).unwrap_or(0);
        Some(Self { number, written_at })
    }
}

/// Returns the monotonic clock in nanoseconds; the same clock for every process of the machine.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Writes `value` right-aligned and padded with zeros; digits that do not fit are left out.
pub fn write_digits(place: &mut [u8], mut value: u64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

#[inline]
fn read_digits(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_set_is_read_back_from_valid_json_of_the_asked_size() {
        for size in [200, 4096, 1 << 20] {
            let mut template = Template::new(size);
            template.set(4_294_967_295, 12_345_678_901_234_567);
            assert_eq!(template.json().len(), size);
            let parsed = Numbered::parse(&template.json()[..PREFIX_BYTES]).unwrap();
            assert_eq!(parsed, Numbered { number: 4_294_967_295, written_at: 12_345_678_901_234_567 });
            let value: serde_json::Value = serde_json::from_slice(template.line()).unwrap();
            assert_eq!(value["method"], "session/update");
        }
        assert_eq!(Numbered::parse(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#), None);
    }
}
