//! Points in time as the daemon writes them.

use anyhow::{Context, Result, ensure};

/// Returns the milliseconds since 1970 of a time such as `2026-03-14T20:42:18.250Z`, which is the only form there is.
pub fn millis(time: &serde_json::Value) -> Result<u64> {
    let text = time.as_str().context("a time is text")?;
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    ensure!(shape == "0000-00-00T00:00:00.000Z", "{text} is no RFC 3339 time in UTC with milliseconds");
    let numbers: Vec<u64> =
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    let [year, month, day, hour, minute, second, millisecond] = numbers[..] else {
        anyhow::bail!("{text} has parts that are missing")
    };
    // Days before this one, with years that begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469;
    Ok((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond)
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn times_are_read() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2000-02-29T00:00:00.001Z", 951_782_400_001),
            ("2026-03-14T20:42:18.250Z", 1_773_520_938_250),
        ] {
            assert_eq!(millis(&text.into()).ok(), Some(expected), "{text}");
        }
        assert!(millis(&"2026-03-14T20:42:18Z".into()).is_err());
    }
}
