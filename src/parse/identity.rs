//! Small answers about the host: `uname`, `/proc/version`, `hostname`, `hostnamectl`, `nproc`, os-release,
//! `getconf PAGESIZE`, `systemd-detect-virt`.

use super::table::pair;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{host, memory};

pub static UNAME: Parser =
    Parser { kind: "uname", names: &["*uname*"], sniff: uname_sniff, parse: uname_parse, binary: false };
pub static VERSION: Parser = Parser {
    kind: "proc-version",
    names: &["*proc version*"],
    sniff: version_sniff,
    parse: version_parse,
    binary: false,
};
pub static HOSTNAME: Parser = Parser {
    kind: "hostname",
    names: &["hostname*", "*commands * hostname*", "*etc hostname", "*kernel hostname", "*general hostname"],
    sniff: word_sniff,
    parse: hostname_parse,
    binary: false,
};
pub static HOSTNAMECTL: Parser = Parser {
    kind: "hostnamectl",
    names: &["*hostnamectl*"],
    sniff: hostnamectl_sniff,
    parse: hostnamectl_parse,
    binary: false,
};
pub static NPROC: Parser = Parser {
    kind: "nproc",
    names: &["nproc*", "*commands * nproc*"],
    sniff: number_sniff,
    parse: nproc_parse,
    binary: false,
};
pub static OS_RELEASE: Parser = Parser {
    kind: "os-release",
    names: &[
        "*os-release*",
        "*redhat-release*",
        "*system-release*",
        "*centos-release*",
        "*lsb release*",
        "*lsb-release*",
    ],
    sniff: release_sniff,
    parse: release_parse,
    binary: false,
};
pub static PAGESIZE: Parser = Parser {
    kind: "getconf-PAGESIZE",
    names: &["*getconf*PAGE*SIZE*", "*getconf*pagesize*"],
    sniff: number_sniff,
    parse: pagesize_parse,
    binary: false,
};
pub static DETECT_VIRT: Parser = Parser {
    kind: "systemd-detect-virt",
    names: &["*detect-virt*"],
    sniff: word_sniff,
    parse: virt_parse,
    binary: false,
};

/// The only line that holds anything.
fn only<'a>(doc: &Doc<'a>) -> Option<(u32, &'a str)> {
    let mut lines = doc.lines().map(|(line, text)| (line, text.trim())).filter(|(_, text)| !text.is_empty());
    let first = lines.next()?;
    lines.next().is_none().then_some(first)
}

/// A kernel release: `6.1.0-57-amd64`, `2.6.32-379.el6.x86_64`.
fn is_release(word: &str) -> bool {
    let mut parts = word.split(['.', '-', '+']);
    let number = |part: Option<&str>| {
        part.is_some_and(|p| !p.is_empty() && p.len() < 4 && p.bytes().all(|b| b.is_ascii_digit()))
    };
    number(parts.next()) && number(parts.next()) && word.len() < 100 && word.matches('.').count() >= 2
}

fn is_arch(word: &str) -> bool {
    const ARCHES: &[&str] = &[
        "x86_64",
        "aarch64",
        "i386",
        "i486",
        "i586",
        "i686",
        "armv6l",
        "armv7l",
        "ppc64",
        "ppc64le",
        "ppc",
        "s390x",
        "s390",
        "riscv64",
        "loongarch64",
        "mips64",
        "sparc64",
    ];
    ARCHES.contains(&word)
}

fn uname_sniff(doc: &Doc) -> Looks {
    let Some(line) = doc.head().find(|line| uname_words(line).is_some()) else {
        return match only(doc) {
            Some((_, text)) if is_release(text) || is_arch(text) => Looks::Maybe,
            _ => Looks::No,
        };
    };
    let few = doc.text.lines().filter(|line| !line.trim().is_empty()).take(4).count() < 4;
    if few && (line.starts_with("Linux ") || line.contains(" #")) { Looks::Yes } else { Looks::No }
}

/// Words of a `uname -a` line, which is told from a sysstat banner by having neither `(host)` nor `(N CPU)`.
fn uname_words(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().take(40).collect();
    let banner = line.contains(" CPU)") || words.iter().any(|word| word.starts_with('_') && word.ends_with('_'));
    let release = words.iter().take(3).any(|word| is_release(word));
    let rest = words.iter().any(|word| is_arch(word) || word.starts_with('#'));
    (release && rest && !banner && !line.starts_with("Linux version ")).then_some(words)
}

fn uname_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        if let Some(words) = uname_words(text) {
            if let Some(at) = words.iter().position(|word| is_release(word)) {
                if let Some(release) = words.get(at) {
                    out.text(&host::KERNEL, "", release, line);
                }
                if at == 2
                    && let Some(name) = words.get(1)
                {
                    out.text(&host::HOSTNAME, "", name, line);
                }
            }
            if let Some(arch) = words.iter().rev().find(|word| is_arch(word)) {
                out.text(&host::ARCH, "", arch, line);
            }
            return;
        }
    }
    if let Some((line, text)) = only(doc) {
        if is_release(text) {
            out.text(&host::KERNEL, "", text, line);
        } else if is_arch(text) {
            out.text(&host::ARCH, "", text, line);
        }
    }
}

fn version_sniff(doc: &Doc) -> Looks {
    let found = doc
        .head()
        .next()
        .and_then(|line| line.strip_prefix("Linux version "))
        .is_some_and(|rest| rest.split_whitespace().next().is_some_and(is_release));
    if found && doc.text.lines().filter(|line| !line.trim().is_empty()).take(3).count() < 3 {
        Looks::Yes
    } else {
        Looks::No
    }
}

fn version_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        if let Some(release) = text.strip_prefix("Linux version ").and_then(|rest| rest.split_whitespace().next()) {
            return out.text(&host::KERNEL, "", release, line);
        }
    }
}

/// One bare word: only a fitting name says what it is.
fn word_sniff(doc: &Doc) -> Looks {
    let word =
        |text: &str| text.len() < 254 && !text.contains(char::is_whitespace) && text.chars().any(char::is_alphanumeric);
    if only(doc).is_some_and(|(_, text)| word(text)) { Looks::Maybe } else { Looks::No }
}

fn hostname_parse(doc: &Doc, out: &mut Out) {
    let name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'));
    if let Some((line, text)) = only(doc).filter(|(_, text)| name(text)) {
        out.text(&host::HOSTNAME, "", text, line);
    }
}

fn hostnamectl_sniff(doc: &Doc) -> Looks {
    // `kubectl describe node` has machine and boot id too, of another host.
    let has = |want: &str| doc.head().any(|line| pair(line).is_some_and(|(key, _)| key == want));
    let known = has("Static hostname") && (has("Machine ID") || has("Boot ID") || has("Kernel"));
    if known { Looks::Yes } else { Looks::No }
}

fn hostnamectl_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        let Some((key, value)) = pair(text) else { continue };
        match key {
            "Static hostname" => out.text(&host::HOSTNAME, "", value, line),
            "Operating System" => out.text(&host::OS, "", value, line),
            "Kernel" => out.text(&host::KERNEL, "", value.trim_start_matches("Linux "), line),
            "Architecture" => {
                out.text(&host::ARCH, "", &value.replace("x86-64", "x86_64").replace("arm64", "aarch64"), line)
            }
            "Virtualization" => out.text(&host::VIRT, "", value, line),
            _ => {}
        }
    }
}

fn number_sniff(doc: &Doc) -> Looks {
    let digits = |text: &str| text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
    if only(doc).is_some_and(|(_, text)| digits(text)) { Looks::Maybe } else { Looks::No }
}

fn nproc_parse(doc: &Doc, out: &mut Out) {
    if let Some((line, text)) = only(doc)
        && let Ok(cpus) = text.parse::<u32>()
        && cpus > 0
    {
        out.num(&host::CPUS_ONLINE, "", f64::from(cpus), line);
    }
}

fn pagesize_parse(doc: &Doc, out: &mut Out) {
    if let Some((line, text)) = only(doc)
        && let Ok(bytes) = text.parse::<u32>()
        && bytes >= 4096
        && bytes.is_power_of_two()
    {
        out.num(&memory::PAGE_SIZE, "", f64::from(bytes), line);
    }
}

fn virt_parse(doc: &Doc, out: &mut Out) {
    if let Some((line, text)) = only(doc) {
        out.text(&host::VIRT, "", text, line);
    }
}

fn release_sniff(doc: &Doc) -> Looks {
    let has = |keys: &[&str]| doc.head().any(|line| line.split_once('=').is_some_and(|(key, _)| keys.contains(&key)));
    if has(&["ID", "DISTRIB_ID"]) && has(&["NAME", "PRETTY_NAME", "VERSION_ID", "DISTRIB_RELEASE"]) {
        return Looks::Yes;
    }
    match only(doc) {
        Some((_, text)) if text.contains(" release ") || text.contains("Debian") || text.contains("Ubuntu") => {
            Looks::Maybe
        }
        _ if doc.head().any(|line| line.starts_with("Distributor ID:")) => Looks::Yes,
        _ => Looks::No,
    }
}

fn release_parse(doc: &Doc, out: &mut Out) {
    let value = |keys: &[&str]| {
        doc.lines().find_map(|(line, text)| {
            let (key, value) = text.split_once('=').or_else(|| text.split_once(':'))?;
            keys.contains(&key.trim()).then(|| (line, value.trim().trim_matches(['"', '\'']).to_owned()))
        })
    };
    if let Some((line, text)) = value(&["PRETTY_NAME", "DISTRIB_DESCRIPTION", "Description"]) {
        return out.text(&host::OS, "", &text, line);
    }
    if let Some((line, name)) = value(&["NAME", "DISTRIB_ID", "ID"]) {
        let version = value(&["VERSION_ID", "DISTRIB_RELEASE"]).map(|(_, text)| text).unwrap_or_default();
        return out.text(&host::OS, "", &format!("{name} {version}"), line);
    }
    if let Some((line, text)) = only(doc) {
        out.text(&host::OS, "", text, line);
    }
}
