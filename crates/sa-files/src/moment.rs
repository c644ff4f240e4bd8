//! Points in time as text: RFC 3339 for JSON, the format of HTTP for headers. Always UTC.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

/// A point in time, as file systems keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    pub seconds: i64,
    pub nanoseconds: u32,
}

impl Moment {
    /// Formats it as in `2026-03-14T20:42:18.25Z`, without zeros at the end of the fraction.
    pub fn rfc3339(self) -> String {
        self.timestamp().to_string()
    }

    /// Formats it as in `Sat, 14 Mar 2026 20:42:18 GMT`. Years before 0 have no such form.
    pub fn http_date(self) -> String {
        DateTimePrinter::new().timestamp_to_rfc9110_string(&self.timestamp()).unwrap_or_default()
    }

    /// Files may have times that no calendar has; those are at its end.
    fn timestamp(self) -> Timestamp {
        let nanoseconds = i32::try_from(self.nanoseconds).unwrap_or_default();
        let end = if self.seconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Timestamp::new(self.seconds, nanoseconds).unwrap_or(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanoseconds: u32) -> Moment {
        Moment { seconds, nanoseconds }
    }

    #[test]
    fn moments_are_written_as_others_read_them() {
        assert_eq!(at(0, 0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400, 0).rfc3339(), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_773_520_938, 250_000_000).rfc3339(), "2026-03-14T20:42:18.25Z");
        assert_eq!(at(-1, 1).rfc3339(), "1969-12-31T23:59:59.000000001Z");
        assert_eq!(at(4_107_542_400, 0).rfc3339(), "2100-03-01T00:00:00Z");
        assert_eq!(at(1_773_520_938, 5).http_date(), "Sat, 14 Mar 2026 20:42:18 GMT");
        assert_eq!(at(784_111_777, 0).http_date(), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(at(i64::MAX, 0).rfc3339(), "9999-12-30T22:00:00.999999999Z");
        assert!(at(i64::MIN, 0).rfc3339().starts_with("-009999-"));
        assert_eq!(at(i64::MIN, 0).http_date(), "");
    }
}
