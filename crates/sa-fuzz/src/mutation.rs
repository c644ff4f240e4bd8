//! New inputs from old ones.

/// Inputs longer than this are not made.
const LONGEST: usize = 1024;
/// Bytes that mean something to parsers.
const TELLING: &[u8] = b"\0\x01\x7f\x80\xff\n\r /.\"\\{}[]:,019-+eE";

/// A stream of numbers that its start determines (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(start: u64) -> Self {
        Self(start | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// Returns a number below a bound; 0 when that is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    fn byte(&mut self) -> u8 {
        if self.below(2) == 0 { self.next() as u8 } else { TELLING[self.below(TELLING.len())] }
    }
}

/// Returns an input that differs from `input` in one place or in several; `other` is one to take pieces from.
pub(crate) fn mutate(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 << random.below(5) {
        change(&mut bytes, other, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len());
    let length = 1 + random.below(16.min(bytes.len().saturating_sub(at)).max(1));
    match random.below(8) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.byte();
            }
        }
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = byte.wrapping_add(random.below(9) as u8).wrapping_sub(4);
            }
        }
        3 => {
            let new: Vec<u8> = (0..length).map(|_| random.byte()).collect();
            bytes.splice(at..at, new);
        }
        4 => drop(bytes.drain(at..(at + length).min(bytes.len()))),
        5 => {
            let piece = bytes[at..(at + length).min(bytes.len())].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        6 => {
            let from = random.below(other.len());
            let piece = &other[from..(from + 1 + random.below(64)).min(other.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
        _ => {
            let from = random.below(other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_input_can_be_changed_and_stays_short() {
        let mut random = Random::new(7);
        let mut input = Vec::new();
        let mut longest = 0;
        for _ in 0..20_000 {
            input = mutate(&input, b"another input", &mut random);
            longest = longest.max(input.len());
        }
        assert!(longest > 16 && longest <= LONGEST, "{longest}");
    }
}
