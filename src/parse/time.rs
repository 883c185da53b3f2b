//! Times that tools print: `23:03:15`, `03:16:17 PM`, `23時03分15秒`, epoch seconds, ISO date and time.
//! A [`Clock`] turns those of one file into rising seconds, over midnight too.

/// Seconds of the day, or of the epoch, that a token says.
pub fn of_day(token: &str, next: Option<&str>) -> Option<(f64, bool)> {
    let token = token.trim_end_matches([':', ',']);
    if token.len() >= 9 && token.len() <= 11 && token.bytes().all(|b| b.is_ascii_digit()) {
        return Some((token.parse().ok()?, false));
    }
    let plain: String =
        token.chars().map(|c| if matches!(c, '時' | '分' | '时') { ':' } else { c }).filter(|c| *c != '秒').collect();
    let time = plain.rsplit_once('T').map_or(plain.as_str(), |(_, time)| time);
    let mut parts = time.split(':');
    let hour: u32 = parts.next()?.parse().ok()?;
    let minute: u32 = parts.next()?.parse().ok()?;
    let second: f64 = match parts.next() {
        Some(text) => text.trim_end_matches('Z').replace(',', ".").parse().ok()?,
        None => return None,
    };
    if parts.next().is_some() || hour > 24 || minute > 59 || !(0.0..61.0).contains(&second) {
        return None;
    }
    let (hour, twelve) = match next {
        Some("PM" | "pm" | "p.m.") => (if hour == 12 { 12 } else { hour + 12 }, true),
        Some("AM" | "am" | "a.m.") => (if hour == 12 { 0 } else { hour }, true),
        _ => (hour, false),
    };
    Some((f64::from(hour) * 3600.0 + f64::from(minute) * 60.0 + second, twelve))
}

/// Makes the times of one file rise: a step back by more than half a day is midnight.
#[derive(Debug, Default)]
pub struct Clock {
    base: f64,
    last: Option<f64>,
}

impl Clock {
    /// Seconds for a time of the day (or epoch) seen after the ones before.
    pub fn seconds(&mut self, time: f64) -> f64 {
        if let Some(last) = self.last
            && time < last - HALF_DAY
            && time < DAY
        {
            self.base += DAY;
        }
        self.last = Some(time);
        self.base + time
    }
}

const DAY: f64 = 86_400.0;
const HALF_DAY: f64 = 43_200.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_every_locale() {
        assert_eq!(of_day("23:03:15", None), Some((82_995.0, false)));
        assert_eq!(of_day("12:00:01", Some("AM")), Some((1.0, true)));
        assert_eq!(of_day("03:16:17", Some("PM")), Some((54_977.0, true)));
        assert_eq!(of_day("23時03分15秒", None), Some((82_995.0, false)));
        assert_eq!(of_day("1591016000", None), Some((1_591_016_000.0, false)));
        for no in ["CPU", "all", "12", "1:2", "99:99:99", "Average:"] {
            assert_eq!(of_day(no, None), None, "{no}");
        }
        let mut clock = Clock::default();
        assert_eq!(clock.seconds(86_399.0), 86_399.0);
        assert_eq!(clock.seconds(1.0), 86_401.0);
    }
}
