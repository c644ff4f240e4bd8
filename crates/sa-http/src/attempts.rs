//! A limit on wrong tokens, for tokens that are short enough to be guessed.
//!
//! A long token needs no limit: 12 random hexadecimal digits last for centuries at 20,000 guesses a second. A limit would
//! only let strangers lock clients out. A short token is another matter, so its owner accepts that risk.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Tokens of fewer characters can be guessed over a network.
pub const SHORT_TOKEN: usize = 12;
/// Wrong tokens that may come in a row.
const BURST: u32 = 20;
/// Time after which one more may come.
const RECOVERY: Duration = Duration::from_secs(6);

/// The wrong tokens that may still come.
#[derive(Debug)]
pub(crate) enum Attempts {
    Unlimited,
    Limited(Mutex<Allowance>),
}

#[derive(Debug)]
pub(crate) struct Allowance {
    left: u32,
    since: Instant,
}

/// Too many wrong tokens came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exceeded;

impl Attempts {
    pub(crate) fn for_token(token: &str) -> Self {
        if token.len() >= SHORT_TOKEN {
            return Self::Unlimited;
        }
        Self::Limited(Mutex::new(Allowance { left: BURST, since: Instant::now() }))
    }

    /// Compares a token, unless too many wrong ones came before: then no answer reveals whether this one is right.
    pub(crate) fn compare(&self, is_right: impl FnOnce() -> bool) -> Result<bool, Exceeded> {
        match self {
            Self::Unlimited => Ok(is_right()),
            Self::Limited(allowance) => allowance.lock().compare(Instant::now(), is_right),
        }
    }
}

impl Allowance {
    fn compare(&mut self, now: Instant, is_right: impl FnOnce() -> bool) -> Result<bool, Exceeded> {
        while self.left < BURST && now.duration_since(self.since) >= RECOVERY {
            self.left += 1;
            self.since += RECOVERY;
        }
        if self.left == BURST {
            self.since = now;
        }
        if self.left == 0 {
            return Err(Exceeded);
        }
        let is_right = is_right();
        self.left -= u32::from(!is_right);
        Ok(is_right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_tokens_run_out_and_come_back_one_by_one() {
        let start = Instant::now();
        let mut allowance = Allowance { left: BURST, since: start };
        for _ in 0..BURST {
            assert_eq!(allowance.compare(start, || true), Ok(true), "a right one costs nothing");
            assert_eq!(allowance.compare(start, || false), Ok(false));
        }
        assert_eq!(allowance.compare(start, || panic!("it was compared")), Err(Exceeded));
        let later = start + RECOVERY;
        assert_eq!(allowance.compare(later, || false), Ok(false));
        assert_eq!(allowance.compare(later, || true), Err(Exceeded));
        assert_eq!(allowance.compare(later + 1000 * RECOVERY, || true), Ok(true));
        assert_eq!(allowance.left, BURST, "no more than in the beginning");
    }

    #[test]
    fn a_long_token_has_no_limit() {
        let attempts = Attempts::for_token("0123456789ab");
        assert!((0..1000).all(|_| attempts.compare(|| false) == Ok(false)));
        let attempts = Attempts::for_token("0123456789a");
        assert!(!(0..1000).all(|_| attempts.compare(|| false) == Ok(false)));
    }
}
