//! Masks what identifies people and machines, over the whole model and before any renderer, so that no format
//! can leak what another hides. The same thing gets the same token everywhere in a report, also inside quoted
//! lines. Masks too much rather than too little: a four-part version number that reads as an address is masked.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::model::Model;
use super::walk;

/// Names that say nothing about who or where.
const COMMON_HOSTS: [&str; 4] = ["localhost", "localhost.localdomain", "(none)", "unknown"];
const COMMON_USERS: [&str; 6] = ["root", "nobody", "daemon", "user", "shared", "linuxbrew"];

/// A compiled-in pattern; a test compiles each.
fn pattern(text: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the pattern is a constant and tested")]
    Regex::new(text).expect("constant pattern")
}

static HOME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(/home/|/Users/|/export/home/|/var/home/)([^/\s:;,'\x22<>|]+)"));
static USER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(\b(?:user|username|logname|sudo_user|acct|ruser|for user|login|uname)\s?[=:]\s?\x22?|\b(?:session opened|session closed|password|publickey) for (?:invalid user |user )?)([A-Za-z_][A-Za-z0-9_.-]*)",
    )
});
static AT_HOST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b([A-Za-z_][A-Za-z0-9_.+-]*)@([A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])"));
static AWS_HOST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\bip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[A-Za-z0-9.-]*[A-Za-z0-9])?"));
static MAC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:[0-9A-Fa-f]{2}:){5}(?:(?:[0-9A-Fa-f]{2}:){2})?[0-9A-Fa-f]{2}\b|\b(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}\b|\b[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\b",
    )
});
static IPV4: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"));
static IPV6: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(?:\d{1,3}(?:\.\d{1,3}){3})?"));

/// Masks `model` in place. `names` are further words to mask, such as a customer's name.
pub fn redact(model: &mut Model, names: &[String]) {
    let mut mask = Mask::default();
    mask.learn(model, names);
    walk::strings(model, &mut |_, text| {
        let masked = mask.text(text);
        if masked != *text {
            *text = masked;
        }
    });
}

/// For each word in lower case its kind and what it stands for: the short name of a host means the full one.
type Words = BTreeMap<String, (&'static str, String)>;

#[derive(Default)]
struct Mask {
    tokens: BTreeMap<(&'static str, String), String>,
    counts: BTreeMap<&'static str, usize>,
    /// Words replaced wherever they stand alone.
    words: Option<(Regex, Words)>,
}

impl Mask {
    fn token(&mut self, kind: &'static str, of: &str) -> String {
        let key = (kind, of.to_lowercase());
        if let Some(token) = self.tokens.get(&key) {
            return token.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let token = format!("{kind}-{count}");
        self.tokens.insert(key, token.clone());
        token
    }

    /// Collects host, pod and user names from where they are known to stand, before anything is replaced.
    fn learn(&mut self, model: &mut Model, names: &[String]) {
        let mut words = Words::new();
        let mut users = BTreeSet::new();
        for subject in &model.bundle.subjects {
            host_words(&subject.host, &mut words);
            if let Some(pod) = &subject.pod {
                words.insert(pod.to_lowercase(), ("POD", pod.to_lowercase()));
            }
        }
        for subject in model.findings.iter().map(|finding| &finding.subject) {
            host_words(&subject.host, &mut words);
        }
        walk::strings(model, &mut |_, text| {
            for found in HOME.captures_iter(text) {
                users.insert(found[2].to_lowercase());
            }
            for found in USER.captures_iter(text) {
                users.insert(found[2].to_lowercase());
            }
            for found in AT_HOST.captures_iter(text) {
                if !found[2].ends_with(".service") && !found[2].ends_with(".slice") {
                    users.insert(found[1].to_lowercase());
                    host_words(&found[2], &mut words);
                }
            }
        });
        for user in users.into_iter().filter(|user| !COMMON_USERS.contains(&user.as_str()) && user.chars().count() > 1)
        {
            words.entry(user.clone()).or_insert(("USER", user));
        }
        for name in names.iter().map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()) {
            words.insert(name.clone(), ("NAME", name));
        }
        words.retain(|word, _| !word.is_empty());
        let mut longest: Vec<&String> = words.keys().collect();
        longest.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        if !longest.is_empty() {
            let any: Vec<String> = longest.iter().map(|word| regex::escape(word)).collect();
            // A name in a very large model could exceed the pattern limit; then the longest thousand are used.
            let regex = Regex::new(&format!("(?i){}", any.join("|")))
                .or_else(|_| Regex::new(&format!("(?i){}", any[..any.len().min(1000)].join("|"))));
            self.words = regex.ok().map(|regex| (regex, words));
        }
    }

    fn text(&mut self, text: &str) -> String {
        let text = self.each(text, &AWS_HOST, "HOST", |_| true);
        let text = self.each(&text, &MAC, "MAC", |found| !is_no_address(found));
        let text = self.each(&text, &IPV6, "IP6", is_ipv6);
        let text = self.each(&text, &IPV4, "IP4", is_ipv4);
        self.known_words(&text)
    }

    fn each(&mut self, text: &str, pattern: &Regex, kind: &'static str, wanted: fn(&str) -> bool) -> String {
        let replaced = pattern.replace_all(text, |found: &Captures<'_>| {
            let all = &found[0];
            let start = found.get(0).map_or(0, |whole| whole.start());
            let before = text[..start].chars().next_back();
            let inside = kind == "IP6" && before.is_some_and(|c| c.is_alphanumeric() || c == '_');
            if wanted(all) && !inside { self.token(kind, all) } else { all.to_owned() }
        });
        replaced.into_owned()
    }

    fn known_words(&mut self, text: &str) -> String {
        let Some((regex, words)) = self.words.take() else { return text.to_owned() };
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(found) = regex.find_at(text, at) {
            let alone = !text[..found.start()].chars().next_back().is_some_and(word)
                && !text[found.end()..].chars().next().is_some_and(word);
            out.push_str(&text[at..found.start()]);
            if alone && !found.is_empty() {
                let word = found.as_str().to_lowercase();
                let (kind, of) = words.get(&word).cloned().unwrap_or(("NAME", word));
                out.push_str(&self.token(kind, &of));
                at = found.end();
            } else {
                let next = text[found.start()..].chars().next().map_or(1, char::len_utf8);
                out.push_str(&text[found.start()..found.start() + next]);
                at = found.start() + next;
            }
            if at >= text.len() {
                break;
            }
        }
        out.push_str(text.get(at..).unwrap_or(""));
        self.words = Some((regex, words));
        out
    }
}

/// The full name and its first label.
fn host_words(host: &str, words: &mut Words) {
    let host = host.trim().to_lowercase();
    if host.is_empty() || COMMON_HOSTS.contains(&host.as_str()) || host.parse::<Ipv4Addr>().is_ok() {
        return;
    }
    if let Some((short, _)) = host.split_once('.')
        && !short.is_empty()
        && short.chars().any(char::is_alphabetic)
    {
        words.entry(short.to_owned()).or_insert(("HOST", host.clone()));
    }
    words.entry(host.clone()).or_insert(("HOST", host));
}

fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok_and(|ip| !ip.is_loopback() && !ip.is_unspecified() && ip.octets()[0] != 255)
}

fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok_and(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

fn is_no_address(mac: &str) -> bool {
    mac.chars().all(|c| matches!(c, '0' | ':' | '-' | '.'))
        || mac.chars().all(|c| matches!(c, 'f' | 'F' | ':' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(texts: &[&str], words: &[(&str, &'static str)]) -> Vec<String> {
        let mut mask = Mask::default();
        let mut map = Words::new();
        for (word, kind) in words {
            if *kind == "HOST" {
                host_words(word, &mut map);
            } else {
                map.insert((*word).to_owned(), (*kind, (*word).to_owned()));
            }
        }
        if !map.is_empty() {
            let any: Vec<String> = map.keys().rev().map(|word| regex::escape(word)).collect();
            mask.words = Some((pattern(&format!("(?i){}", any.join("|"))), map));
        }
        texts.iter().map(|text| mask.text(text)).collect()
    }

    #[test]
    fn addresses_become_tokens() {
        let out = masked(
            &[
                "10.1.2.3 -> 10.1.2.4, again 10.1.2.3; lo 127.0.0.1 mask 255.255.255.0",
                "fe80::1ff:fe23:4567:890a on aa:bb:cc:dd:ee:ff at 12:34:56, bus 0000:3b:00.0, ::1",
                "2001:db8::7/64 std::fmt ip-10-0-0-7.ec2.internal",
            ],
            &[],
        );
        assert_eq!(
            out,
            [
                "IP4-1 -> IP4-2, again IP4-1; lo 127.0.0.1 mask 255.255.255.0",
                "IP6-1 on MAC-1 at 12:34:56, bus 0000:3b:00.0, ::1",
                "IP6-2/64 std::fmt HOST-1",
            ]
        );
    }

    #[test]
    fn names_are_masked_as_words() {
        let out = masked(
            &["WEB-7 and web-7.example.org: web-70 stays, /home/alice, malice stays, Acme"],
            &[("web-7.example.org", "HOST"), ("alice", "USER"), ("acme", "NAME")],
        );
        assert_eq!(out, ["HOST-1 and HOST-1: web-70 stays, /home/USER-1, malice stays, NAME-1"]);
    }
}
