//! Points in time as text: RFC 3339 for JSON, the format of HTTP for headers. Always UTC.

use std::fmt::Write;

const DAY: i64 = 86_400;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// A point in time, as file systems keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: i64,
    /// And nanoseconds.
    pub nanoseconds: u32,
}

impl Moment {
    /// As in `2026-03-14T20:42:18.25Z`, without zeros at the end of the fraction.
    pub fn rfc3339(self) -> String {
        let (year, month, day) = civil(self.seconds.div_euclid(DAY));
        let (hour, minute, second) = self.clock();
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanoseconds > 0 {
            let fraction = format!("{:09}", self.nanoseconds);
            // Writing to a string cannot fail.
            let _ = write!(text, ".{}", fraction.trim_end_matches('0'));
        }
        text.push('Z');
        text
    }

    /// As in `Sat, 14 Mar 2026 20:42:18 GMT`.
    pub fn http_date(self) -> String {
        let days = self.seconds.div_euclid(DAY);
        let (year, month, day) = civil(days);
        let (hour, minute, second) = self.clock();
        let name = |names: &[&'static str], index: i64| {
            usize::try_from(index).ok().and_then(|index| names.get(index).copied()).unwrap_or_default()
        };
        let weekday = name(&WEEKDAYS, days.rem_euclid(7));
        let month = name(&MONTHS, month - 1);
        format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
    }

    fn clock(self) -> (i64, i64, i64) {
        let second = self.seconds.rem_euclid(DAY);
        (second / 3600, second / 60 % 60, second % 60)
    }
}

/// Year, month and day of a day that is counted from 1970. Years begin in March here, so that a leap day is the last
/// of its year; 400 years are a whole cycle of the calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    const CYCLE: i64 = 146_097;
    // The first of March of the year 0.
    let days = days + 719_468;
    let cycle = days.div_euclid(CYCLE);
    let day_of_cycle = days.rem_euclid(CYCLE);
    let year_of_cycle =
        (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    (year, month, day)
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
    }
}
