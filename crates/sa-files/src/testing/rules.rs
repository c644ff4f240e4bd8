//! Ignore rules that others wrote: reading and matching them ends within bounded steps.

use crate::rules::testing::matches_within;

/// Steps of one comparison. Far above those of an honest rule, far below those of one that takes exponential time.
const STEPS: u32 = 100_000;

/// Panics if a rule takes more steps than it may, or matches in one run and not in the next. The first line is the path, all
/// others are rules.
pub fn rules_end_in_bounded_steps(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let path = lines.next().unwrap_or_default();
    for rule in lines {
        let Some((first, left)) = matches_within(rule, path, STEPS) else { continue };
        assert_eq!(matches_within(rule, path, STEPS), Some((first, left)));
        // Each token of a rule is compared with each byte of a path at most a few times.
        let (rule_bytes, path_bytes) = (rule.len() as u64 + 2, path.len() as u64 + 2);
        let taken = u64::from(STEPS - left);
        let most = 8 * rule_bytes * path_bytes;
        assert!(taken <= most.min(u64::from(STEPS)), "{taken} steps, expected at most {most}");
    }
}
