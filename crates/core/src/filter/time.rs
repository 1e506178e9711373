//! Times in ISO 8601.

/// Days from 0001-01-01 to 2000-01-01 in the proleptic Gregorian calendar.
const DAYS_TO_2000: i64 = 730_119;
const SECONDS_OF_DAY: i64 = 86_400;
const MICROS: i64 = 1_000_000;

/// A time in ISO 8601, as microseconds since 2000-01-01 in UTC, like a timestamptz of PostgreSQL. A date, or a date and a time with
/// minutes, seconds or a fraction of them (digits after the sixth are cut off), separated by `T` or a space, and a zone: `Z`, `+02`,
/// `+0200` or `+02:00`; without one it is UTC. Years are 0001 to 9999. None for any other text.
pub fn micros(text: &str) -> Option<i64> {
    let mut rest = Digits(text.trim_ascii().as_bytes());
    let (year, month, day) = (rest.number(4)?, rest.after(b'-')?.number(2)?, rest.after(b'-')?.number(2)?);
    let days = days_before(year, month, day)?;
    if rest.0.is_empty() {
        return Some(days * SECONDS_OF_DAY * MICROS);
    }
    if !rest.skip(b'T') && !rest.skip(b't') && !rest.skip(b' ') {
        return None;
    }
    let (hour, minute) = (rest.number(2)?, rest.after(b':')?.number(2)?);
    let second = if rest.skip(b':') { rest.number(2)? } else { 0 };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = if rest.skip(b'.') || rest.skip(b',') { rest.fraction()? } else { 0 };
    let seconds = hour * 3_600 + minute * 60 + second - rest.zone()?;
    rest.0.is_empty().then_some((days * SECONDS_OF_DAY + seconds) * MICROS + fraction)
}

/// Whether a text begins with a date that has its year last, such as `31.05.2024` or `5/31/2024`: by bytes such dates are not in
/// the order of time.
pub fn has_year_last(text: &str) -> bool {
    let date = text.trim_ascii().split([' ', 'T', ',']).next().unwrap_or_default();
    let is_of = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    ['.', '/', '-'].into_iter().any(|separator| match date.split(separator).collect::<Vec<_>>().as_slice() {
        [first, second, year] => is_of(first, 1..=2) && is_of(second, 1..=2) && is_of(year, 4..=4),
        _ => false,
    })
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 2000-01-01 to a date. None if the calendar does not have it.
fn days_before(year: i64, month: i64, day: i64) -> Option<i64> {
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let place = usize::try_from(month.checked_sub(1)?).ok()?;
    if year < 1 || !(1..=*lengths.get(place)?).contains(&day) {
        return None;
    }
    let before = year - 1;
    let of_years = before * 365 + before / 4 - before / 100 + before / 400;
    let of_months: i64 = lengths.iter().take(place).sum();
    Some(of_years + of_months + day - 1 - DAYS_TO_2000)
}

/// The rest that is to be read.
struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    fn skip(&mut self, byte: u8) -> bool {
        match self.0.strip_prefix(&[byte]) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn after(&mut self, byte: u8) -> Option<&mut Self> {
        self.skip(byte).then_some(self)
    }

    fn digit(&mut self) -> Option<i64> {
        let (first, rest) = self.0.split_first()?;
        let digit = first.is_ascii_digit().then(|| i64::from(first - b'0'))?;
        self.0 = rest;
        Some(digit)
    }

    /// A number of so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        (0..digits).try_fold(0, |number, _| Some(number * 10 + self.digit()?))
    }

    /// Microseconds.
    fn fraction(&mut self) -> Option<i64> {
        let (mut found, mut unit) = (self.digit()? * MICROS / 10, MICROS / 10);
        while let Some(digit) = self.digit() {
            unit /= 10;
            found += digit * unit;
        }
        Some(found)
    }

    /// The offset of a zone in seconds, 0 if there is none.
    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.skip(b'Z') || self.skip(b'z') {
            return Some(0);
        }
        let sign = if self.skip(b'+') {
            1
        } else if self.skip(b'-') {
            -1
        } else {
            return None;
        };
        let hours = self.number(2)?;
        let minutes = if self.skip(b':') || !self.0.is_empty() { self.number(2)? } else { 0 };
        (hours <= 15 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_with_its_year_last_is_known_by_its_form() {
        for text in
            ["31.05.2024", "5/31/2024", " 1.1.2024 ", "01-02-2024", "31.05.2024 12:00", "31.05.2024T12:00"]
        {
            assert!(has_year_last(text), "{text}");
        }
        for text in [
            "",
            "2024-05-31",
            "2024",
            "31.05.24",
            "1.2.3",
            "1.2.2024.1",
            "1/2-2024",
            "a.b.2024",
            "31.05.20245",
            "v1.2.2024",
        ] {
            assert!(!has_year_last(text), "{text}");
        }
    }

    #[test]
    fn reads_iso_8601() {
        for (text, seconds) in [
            ("2000-01-01", 0.0),
            ("2000-01-01T00:00Z", 0.0),
            ("2000-01-01 00:00:01", 1.0),
            ("1999-12-31T23:59:59.5", -0.5),
            ("2000-01-01t02:00:00+02", 0.0),
            ("2000-01-01T00:00:00-0530", 19_800.0),
            ("2000-01-01T00:00:00,25+00:00", 0.25),
            ("2000-01-01T00:00:00.1234567Z", 0.123456),
            ("2024-02-29", 762_480_000.0),
            ("1970-01-01", -946_684_800.0),
            (" 2000-01-02 ", 86_400.0),
        ] {
            assert_eq!(micros(text), Some((seconds * 1e6_f64).round() as i64), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "2000",
            "2000-01",
            "20000101",
            "2000-1-1",
            "2000-13-01",
            "2000-02-30",
            "2023-02-29",
            "0000-01-01",
            "2000-01-01T",
            "2000-01-01T24:00",
            "2000-01-01T12",
            "2000-01-01T12:60",
            "2000-01-01T12:00:60",
            "2000-01-01T12:00:00.",
            "2000-01-01T12:00+",
            "2000-01-01T12:00+2",
            "2000-01-01T12:00+16:00",
            "2000-01-01x",
            "yesterday",
            "２０００-01-01",
            "2000-01-01T12:00 CET",
        ] {
            assert_eq!(micros(text), None, "{text}");
        }
    }
}
