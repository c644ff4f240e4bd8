//! Seeded random numbers, the same for the same seed on every machine.

use std::time::Duration;

/// A sequence of random numbers.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns an independent sequence, for one actor.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`; 0 if that is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn millis(&mut self, low: u64, high: u64) -> Duration {
        Duration::from_millis(self.between(low, high))
    }

    /// Returns one of the items, if there is any.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(usize::try_from(self.below(items.len() as u64)).unwrap_or_default())
    }

    /// Returns one of the items by its weight, if there is any.
    pub(crate) fn weighted<T: Copy>(&mut self, items: &[(u64, T)]) -> Option<T> {
        let mut left = self.below(items.iter().map(|(weight, _)| weight).sum());
        items.iter().find_map(|(weight, item)| match left.checked_sub(*weight) {
            Some(rest) => {
                left = rest;
                None
            }
            None => Some(*item),
        })
    }

    /// Puts the items into a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)).unwrap_or_default();
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_seed_gives_the_same_numbers_and_weights_count() {
        let rolls = |seed| {
            let mut dice = Dice::new(seed);
            (0..50).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(rolls(7), rolls(7));
        assert_ne!(rolls(7), rolls(8));
        let mut dice = Dice::new(1);
        let picked: Vec<char> =
            (0..1000).filter_map(|_| dice.weighted(&[(1, 'a'), (0, 'b'), (9, 'c')])).collect();
        let count = |wanted| picked.iter().filter(|one| **one == wanted).count();
        assert_eq!((picked.len(), count('b')), (1000, 0));
        assert!((50..200).contains(&count('a')), "{}", count('a'));
    }
}
