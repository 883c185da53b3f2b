//! `uptime`, `w`, and the first line of top: time since boot and load averages.

use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::host;

pub static PARSER: Parser = Parser { kind: "uptime", names: &["uptime*", "w"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let lines: Vec<&str> = doc.head().take(6).collect();
    let own = |line: &str| up(line).is_some() && !line.starts_with("top - ");
    let at = lines.iter().position(|line| own(line));
    match at {
        Some(at) => {
            // `w` prints users below; a long file is something else that begins with an uptime line.
            let next = lines.get(at + 1).copied().unwrap_or_default();
            let users = next.starts_with("USER") || next.starts_with("BENUTZER");
            if users || lines.len() == at + 1 || up(next).is_some() { Looks::Yes } else { Looks::Maybe }
        }
        None => Looks::No,
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    for (number, line) in doc.lines() {
        if up(line).is_some() {
            write(line, number, out);
            break;
        }
    }
}

/// The part after `up`.
fn up(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let Some((before, rest)) = line.split_once("up ") else {
        // The head of the line is cut.
        let days = line.starts_with(|c: char| c.is_ascii_digit()) && line.contains("load average: ");
        return (days || line.starts_with("load average: ")).then_some(line);
    };
    let clock = before.trim().strip_prefix("top -").unwrap_or(before).trim();
    // `from all lookup` and `/sys/fs/cgroup rw` hold the word too.
    let timed = clock.contains(':') && clock.starts_with(|c: char| c.is_ascii_digit());
    let alone = before.is_empty() || before.ends_with(' ');
    (before.len() < 40 && alone && (timed || clock.is_empty())).then_some(rest)
}

/// Writes uptime and load of a line. Cut or odd parts are left out.
pub fn write(line: &str, number: u32, out: &mut Out) {
    if let Some(seconds) = up(line).and_then(since) {
        out.num(&host::UPTIME, "", seconds, number);
    }
    let Some((_, load)) = line.split_once("load average") else { return };
    let load = load.trim_start_matches(['s', ':', ' ']);
    for (def, value) in [&host::LOAD1, &host::LOAD5, &host::LOAD15].into_iter().zip(loads(load)) {
        out.num(def, "", value, number);
    }
}

/// `0.40, 0.72, 0.86`, `0,40, 0,72, 0,86` (the comma is also the separator), `0.40 0.72 0.86`.
fn loads(text: &str) -> Vec<f64> {
    text.split_whitespace()
        .map_while(|word| {
            let word = word.trim_end_matches(',');
            word.replacen(',', ".", 1).parse::<f64>().ok().filter(|value| *value >= 0.0)
        })
        .take(3)
        .collect()
}

/// `25 min`, `1:34`, `2 days, 19:32`, `1 day, 3 min`, `45 sec`, and systemd's `2 weeks, 3 days, 4 hours`.
fn since(text: &str) -> Option<f64> {
    let text = text.split("load average").next().unwrap_or_default();
    let mut seconds = None;
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if let Some((hours, minutes)) = word.split_once(':') {
            let value = hours.parse::<f64>().ok()? * 3600.0 + minutes.parse::<f64>().ok()? * 60.0;
            return Some(seconds.unwrap_or(0.0) + value);
        }
        let Ok(count) = word.parse::<f64>() else { break };
        let unit = match words.peek().copied().unwrap_or_default() {
            unit if unit.starts_with("week") => 604_800.0,
            unit if unit.starts_with("day") => 86_400.0,
            unit if unit.starts_with("hour") || unit.starts_with("hrs") => 3600.0,
            unit if unit.starts_with("min") => 60.0,
            unit if unit.starts_with("sec") => 1.0,
            _ => break,
        };
        words.next();
        seconds = Some(seconds.unwrap_or(0.0) + count * unit);
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_say_how_long() {
        for (line, seconds) in [
            (" 10:00:00 up 25 min,  1 user,  load average: 0.1, 0.2, 0.3", Some(1500.0)),
            ("10:00 up 1:34, 2 users, load averages: 1 2 3", Some(5640.0)),
            (" 10:00:00 up 2 days, 19:32,  1 user", Some(243_120.0)),
            (" 10:00:00 up 1 day, 3 min,  2 users", Some(86_580.0)),
            ("top - 10:00:00 up 107 days,  1:27,  2 users", Some(9_250_020.0)),
            (" 10:00:00 up 1 day,  2 users", Some(86_400.0)),
        ] {
            assert_eq!(up(line).and_then(since), seconds, "{line}");
        }
        assert_eq!(loads("0,40, 0,72, 0,86"), [0.4, 0.72, 0.86]);
        assert_eq!(up("eth0 is up and running"), None);
    }
}
