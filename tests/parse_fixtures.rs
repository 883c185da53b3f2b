//! Every fixture of `tests/data/parse/KIND/NAME.txt` against its `NAME.facts`.
//!
//! A `.facts` file holds one expectation a line, fields separated by ` | ` (blank lines and `#` comments are skipped):
//!
//!     path | t0/proc/stat                      the name the file is read under (default `paste.txt`)
//!     cpu.node | 3 | 1                         fact, entity (empty for the host), value as `facts show` prints it
//!     proc_stat/softirq | 3 | 123, 456         family/metric, entity, values of all samples in order
//!     absent | nic.driver | eth0               no reading of that fact
//!     none | softirqs/TIMER | 3                no sample of that metric
//!     note | cut                               some note contains this text
//!     error | not supported                    the file holds an error text in place of data
//!     clock | 1796081540.5                     time that the file gives its snapshot
//!
//! Numbers are compared with a relative tolerance of 1e-9. The kind must be the folder's name (`none` for no kind).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use coroner::facts::{Entity, Facts, Kind, SubjectId, Value, schema};
use coroner::parse::run::parse_bytes;

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parse");
    let mut found = Vec::new();
    for kind in fs::read_dir(root).unwrap() {
        for file in fs::read_dir(kind.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ext| ext == "facts") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The text of a value, as the expectation writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Flag(flag) => flag.to_string(),
        Value::Num(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Cpus(set) => set.to_string(),
        Value::List(list) => list.join(", "),
        Value::Series(series) => {
            let points: Vec<String> =
                series.at.iter().zip(&series.values).map(|(at, value)| format!("{at}:{value}")).collect();
            points.join(" ")
        }
    }
}

fn same(have: &str, want: &str) -> bool {
    let parts =
        |text: &str| text.split([' ', ',', ':']).filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (have, want) = (parts(have), parts(want));
    have.len() == want.len()
        && have.iter().zip(&want).all(|(a, b)| {
            a == b
                || match (a.parse::<f64>(), b.parse::<f64>()) {
                    (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1e-9),
                    _ => false,
                }
        })
}

fn entity(kind: Kind, name: &str) -> Entity {
    Entity::new(SubjectId(0), kind, name)
}

fn samples(facts: &Facts, path: &str, name: &str) -> Option<String> {
    let (family, metric) = path.split_once('/')?;
    let family = schema::keys::family::ALL.iter().find(|have| have.name == family)?;
    let list = facts.samples(family, &entity(family.kind, name), metric);
    (!list.is_empty()).then(|| list.iter().map(|sample| sample.value.to_string()).collect::<Vec<_>>().join(", "))
}

fn check(path: &Path) -> Vec<String> {
    let kind = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    let wanted = fs::read_to_string(path).unwrap();
    let lines: Vec<Vec<&str>> = wanted
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split(" | ").map(|field| field.trim_matches('|').trim()).collect())
        .collect();
    let name = lines.iter().find(|line| line[0] == "path").map_or("paste.txt", |line| line[1]);
    let input = ["txt", "json", "bin"].iter().map(|ext| path.with_extension(ext)).find(|path| path.exists()).unwrap();
    let have = parse_bytes(name, &fs::read(input).unwrap());
    let mut wrong = Vec::new();
    let kinds_ok = if kind == "none" { have.kinds.is_empty() } else { have.kinds.contains(&kind.as_str()) };
    if !kinds_ok {
        wrong.push(format!("read as {:?}", have.kinds));
    }
    let mut checked = 0;
    for line in &lines {
        checked += 1;
        match line.as_slice() {
            ["path", _] => checked -= 1,
            ["note", text] => {
                if !have.notes.iter().any(|(_, note)| note.contains(text)) {
                    wrong.push(format!("no note says '{text}': {:?}", have.notes));
                }
            }
            ["error", text] => {
                if !have.error.as_ref().is_some_and(|error| error.contains(text)) {
                    wrong.push(format!("error is {:?}, not '{text}'", have.error));
                }
            }
            ["clock", seconds] => {
                let clock = have.facts.clock(SubjectId(0), 0);
                if !clock.is_some_and(|clock| same(&clock.to_string(), seconds)) {
                    wrong.push(format!("clock is {clock:?}, not {seconds}"));
                }
            }
            ["none", metric, name] => {
                if let Some(got) = samples(&have.facts, metric, name) {
                    wrong.push(format!("{metric} of '{name}' is {got}"));
                }
            }
            ["absent", fact, name] => match schema::find(fact) {
                None => wrong.push(format!("no fact {fact}")),
                Some(def) => {
                    if let Ok(reading) = have.facts.get(def, &entity(def.kind, name)) {
                        wrong.push(format!("{fact} of '{name}' is {}", shown(&reading.value)));
                    }
                }
            },
            [fact, name, value] => {
                let got = match schema::find(fact) {
                    Some(def) => have.facts.get(def, &entity(def.kind, name)).ok().map(|reading| shown(&reading.value)),
                    None => samples(&have.facts, fact, name),
                };
                match got {
                    Some(got) if same(&got, value) => {}
                    got => wrong.push(format!("{fact} of '{name}' is {got:?}, not {value}")),
                }
            }
            other => wrong.push(format!("cannot read expectation {other:?}")),
        }
    }
    if checked == 0 {
        wrong.push("nothing is expected of it".to_owned());
    }
    wrong
}

#[test]
fn fixtures_give_their_facts() {
    let mut failed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let all = fixtures();
    assert!(!all.is_empty());
    for path in &all {
        let wrong = check(path);
        if !wrong.is_empty() {
            failed.insert(path.display().to_string(), wrong);
        }
    }
    let text: Vec<String> =
        failed.iter().map(|(path, wrong)| format!("{path}\n    {}", wrong.join("\n    "))).collect();
    assert!(failed.is_empty(), "{}", text.join("\n"));
}
