//! No parser panics, hangs or makes facts of nothing, whatever it is given: empty text, cut files, lost lines, files of
//! other kinds, random bytes. Randomness has a fixed seed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coroner::bundle::layout::place;
use coroner::facts::Facts;
use coroner::facts::SubjectId;
use coroner::parse::run::parse_bytes;
use coroner::parse::{Doc, Looks, Out, PARSERS};

/// A fixture, and the path its expectations say it is read under.
struct Fixture {
    name: String,
    path: String,
    bytes: Vec<u8>,
}

fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parse");
    let mut found: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .flat_map(|kind| fs::read_dir(kind.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext != "facts"))
        .collect();
    found.sort();
    let read = |file: PathBuf| {
        let facts = fs::read_to_string(file.with_extension("facts")).unwrap_or_default();
        let path = facts.lines().find_map(|line| line.strip_prefix("path | ")).unwrap_or("paste.txt").trim().to_owned();
        Fixture { name: file.display().to_string(), path, bytes: fs::read(file).unwrap() }
    };
    found.into_iter().map(read).collect()
}

/// Longest time for one small file. Debug builds on a busy machine need some; a hang needs more.
const LONGEST: Duration = Duration::from_secs(5);

/// Runs one parser, whatever it thinks of the text, and returns how many items came out.
fn run(index: usize, path: &str, text: &str) -> usize {
    let start = Instant::now();
    let place = place(path);
    let parser = PARSERS[index];
    let doc = Doc { path, place: &place, command: "", text, first_line: 1, bytes: text.as_bytes() };
    let _ = (parser.sniff)(&doc);
    let mut out = Out::new(0, place.snap);
    (parser.parse)(&doc, &mut out);
    let len = out.len();
    let mut facts = Facts::new();
    out.settle(SubjectId(0), &mut facts);
    facts.settle();
    assert!(start.elapsed() < LONGEST, "{} took {:?} on {path}", parser.kind, start.elapsed());
    len
}

#[test]
fn nothing_gives_nothing() {
    for text in ["", "\n", "   \n\n", "no such thing\n", "\u{0}\u{1}\n", ":::::\n=\n,\n", "-\n", "0\n", "all\n"] {
        let have = parse_bytes("paste.txt", text.as_bytes());
        assert!(have.facts.iter().next().is_none(), "{:?} make facts of {text:?}", have.kinds);
        assert!(have.facts.iter_samples().next().is_none(), "{:?} make samples of {text:?}", have.kinds);
        for parser in PARSERS {
            let place = place("paste.txt");
            let doc =
                Doc { path: "paste.txt", place: &place, command: "", text, first_line: 1, bytes: text.as_bytes() };
            assert_ne!((parser.sniff)(&doc), Looks::Yes, "{} is sure of {text:?}", parser.kind);
        }
    }
}

#[test]
fn every_parser_survives_every_fixture() {
    for fixture in fixtures() {
        let text = String::from_utf8_lossy(&fixture.bytes);
        for index in 0..PARSERS.len() {
            run(index, &fixture.path, &text);
        }
    }
}

#[test]
fn cut_files_and_lost_lines() {
    for fixture in fixtures() {
        let bytes = &fixture.bytes;
        for part in 0..32 {
            let at = bytes.len() * part / 32;
            parse_bytes(&fixture.path, &bytes[..at]);
            parse_bytes(&fixture.path, &bytes[at..]);
        }
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for lost in 0..lines.len().min(200) {
            let rest: String = lines.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, line)| *line).collect();
            parse_bytes(&fixture.path, rest.as_bytes());
        }
        assert!(!fixture.name.is_empty());
    }
}

/// xorshift64*: fixed seed, no dependency.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(value).unwrap() % limit.max(1)
    }
}

/// Pieces that break careless readers.
const NASTY: &[&str] = &[
    "99999999999999999999",
    "-1",
    "0-4294967295",
    "4294967296",
    "NaN",
    "inf",
    "1e308",
    "\u{0}",
    "\u{FEFF}",
    "ß",
    "日",
    ":",
    "=",
    ",",
    "{",
    "[",
    "\"",
    "\t",
    "\r",
    "\n\n",
    "max",
    "n/a",
    "...",
    "ffffffff",
    "(",
    ")",
    "%",
    "/",
    "//",
];

#[test]
fn mutations() {
    let all = fixtures();
    let mut random = Random(0x00C0_FFEE_D00D_F00D);
    let start = Instant::now();
    let mut runs = 0;
    while runs < 20_000 && start.elapsed() < Duration::from_secs(25) {
        let fixture = &all[random.below(all.len())];
        let mut bytes = fixture.bytes.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len() + 1);
            match random.below(5) {
                0 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                1 if at < bytes.len() => {
                    bytes.remove(at);
                }
                2 => {
                    let nasty = NASTY[random.below(NASTY.len())].as_bytes();
                    bytes.splice(at..at, nasty.iter().copied());
                }
                3 => {
                    let other = &all[random.below(all.len())].bytes;
                    let from = random.below(other.len() + 1);
                    let to = (from + random.below(80)).min(other.len());
                    bytes.splice(at..at, other[from..to].iter().copied());
                }
                _ => bytes.truncate(at),
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        parse_bytes(&fixture.path, &bytes);
        run(random.below(PARSERS.len()), &fixture.path, &text);
        runs += 1;
    }
    assert!(runs > 1000, "only {runs} mutations");
}

#[test]
fn long_lines_and_many_lines() {
    let long = format!("cpu{}\n", " 1".repeat(500_000));
    let wide = format!("{}\n 1: {}\n", "CPU0 ".repeat(100_000), "7 ".repeat(100_000));
    let many = "0: 1 2 3\n".repeat(20_000);
    for text in [&long, &wide, &many] {
        for index in 0..PARSERS.len() {
            run(index, "paste.txt", text);
        }
        parse_bytes("paste.txt", text.as_bytes());
    }
}
