//! Examples of a page, run: each builds a small store of facts and must get its verdict.
//!
//! Columns are facts: `nic.channels_now`, `cpu[0].soft`, `cpu[1-7].soft`, `cgroup[batch.slice].cpu_used`; then
//! `verdict` and, where it matters, `variant` and `severity`. Cells are quantities (`70%`), `true` or `false`,
//! text, CPU sets (`0-3`), lists (`a, b`), series of one sample a second (`[90, 95, 97]%`, `90% for 30s`), `?` or
//! nothing for unknown, `-` for an entity that is not there, `n/a` for what does not exist on the host. A value
//! may say how good it is: `40%@boot`, `40%@once`, `40%@two`, `40%@series`, `40%@state`. Each fact is read from
//! the file that its first collecting command makes.

use std::sync::Arc;

use super::evaluate::outcome;
use super::expr::funcs::num;
use super::file::Rule;
use super::problem::Problem;
use super::suggest;
use super::table::{self, Cell, Example};
use super::verdict::{Outcome, Role, Severity, Verdict};
use crate::facts::{
    CpuSet, Entity, FactDef, Facts, Grade, Kind, Missing, Reading, Series, Source, SubjectId, Ty, Value, schema,
};
use crate::units::literal;

/// Tells whether a verdict is of the class that every table of examples must show.
type Class = fn(Verdict) -> bool;

/// Runs the examples of a rule; what fails is a problem. Returns how many there are.
pub fn run(rule: &Rule, problems: &mut Vec<Problem>) -> usize {
    let examples = table::read(&rule.page, &rule.parts.examples, problems);
    let mut seen: Vec<Verdict> = Vec::new();
    for example in &examples {
        let before = problems.len();
        let built = build(rule, example, problems);
        let Some((verdict, expected)) = built.expect.clone() else {
            if problems.len() == before {
                let problem = Problem::new(&rule.page, example.name.span.clone(), "an example without a verdict");
                problems.push(problem.label("this one").help("add a `verdict` column"));
            }
            continue;
        };
        seen.push(verdict);
        if problems.len() > before {
            continue;
        }
        let got = outcome(rule, &entity(rule.each, None), &built.facts);
        judge(rule, &built, &got, verdict, &expected, problems);
    }
    let heading = rule.parts.examples.at..rule.parts.examples.at + 1;
    let classes: [(&str, Class); 3] = [
        ("fires", Verdict::fired),
        ("stays quiet", |v| matches!(v, Verdict::NotIndicated | Verdict::Refuted | Verdict::NotApplicable)),
        ("cannot tell", |v| v == Verdict::CannotTell),
    ];
    for (name, of) in classes {
        if !examples.is_empty() && !seen.iter().any(|verdict| of(*verdict)) {
            let problem = Problem::new(&rule.page, heading.clone(), format!("no example in which the rule {name}"));
            problems.push(problem.label("in this table").help("add a case for it"));
        }
    }
    examples.len()
}

/// Compares what came out with what the row says.
fn judge(rule: &Rule, built: &Built, got: &Outcome, verdict: Verdict, cell: &Cell, problems: &mut Vec<Problem>) {
    let mut fail = |cell: &Cell, want: &str, have: &str| {
        let title = format!("the example expects {want}, the rule says {have}");
        problems.push(Problem::new(&rule.page, cell.span.clone(), title).label("expected here").help(reasons(got)));
    };
    if got.verdict != verdict {
        fail(cell, verdict.name(), got.verdict.name());
    }
    if let Some(cell) = &built.variant
        && got.variant.as_deref().unwrap_or("") != cell.text
    {
        fail(cell, &format!("variant `{}`", cell.text), &format!("`{}`", got.variant.as_deref().unwrap_or("none")));
    }
    if let Some(cell) = &built.severity
        && got.verdict.fired()
        && got.severity.name() != cell.text
    {
        fail(cell, &cell.text, got.severity.name());
    }
}

/// How each condition came out, in one line.
fn reasons(outcome: &Outcome) -> String {
    let mut list: Vec<String> = outcome
        .evidence
        .iter()
        // Support and acquittal are told where they count, necessary conditions always.
        .filter(|condition| {
            let necessary = !matches!(condition.role, Role::Supports | Role::Against | Role::Variant);
            necessary || condition.truth() == Some(true)
        })
        .map(|condition| {
            let truth = match condition.truth() {
                Some(truth) => truth.to_string(),
                None => "unknown".to_owned(),
            };
            let weak = if condition.weak() { " on weak evidence" } else { "" };
            format!("{} `{}` is {truth}{weak}", condition.role.name(), condition.says)
        })
        .collect();
    list.extend(outcome.limits.iter().cloned());
    list.join("; ")
}

/// A store made of one example.
struct Built {
    facts: Facts,
    expect: Option<(Verdict, Cell)>,
    variant: Option<Cell>,
    severity: Option<Cell>,
}

fn build(rule: &Rule, example: &Example, problems: &mut Vec<Problem>) -> Built {
    let mut built = Built { facts: Facts::new(), expect: None, variant: None, severity: None };
    built.facts.register(&Entity::host(SubjectId(0)));
    built.facts.register(&entity(rule.each, None));
    for (column, cell) in &example.cells {
        let mut fail = |cell: &Cell, title: String, help: Option<String>| {
            problems.push(Problem::new(&rule.page, cell.span.clone(), title).label("here").help_if(help));
        };
        match column.text.as_str() {
            "verdict" => match Verdict::from_name(&cell.text) {
                Some(verdict) => built.expect = Some((verdict, cell.clone())),
                None => {
                    let names: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.name()).collect();
                    let near = suggest::closest(&cell.text, names.iter().copied());
                    let help = near.map_or_else(
                        || format!("verdicts are {}", names.join(", ")),
                        |near| format!("did you mean `{near}`?"),
                    );
                    fail(cell, format!("unknown verdict `{}`", cell.text), Some(help));
                }
            },
            "variant" if cell.text.is_empty() => {}
            "variant" => built.variant = Some(cell.clone()),
            "severity" if Severity::ALL.iter().any(|severity| severity.name() == cell.text) => {
                built.severity = Some(cell.clone());
            }
            "severity" => {}
            path => match target(path) {
                Ok((def, entities)) => {
                    if let Err(help) = place(&mut built.facts, def, &entities, &cell.text) {
                        fail(cell, format!("not a value of `{}`", def.path), Some(help));
                    }
                }
                Err(help) => fail(column, format!("unknown fact `{path}`"), Some(help)),
            },
        }
    }
    built
}

/// Fact and entities of a column.
fn target(path: &str) -> Result<(&'static FactDef, Vec<Entity>), String> {
    let (head, name) = match path.rfind("].") {
        Some(at) => (&path[..at], &path[at + 2..]),
        None => path.split_once('.').unwrap_or((path, "")),
    };
    let (kind, names) = match head.split_once('[') {
        Some((kind, names)) => (kind, Some(names)),
        None => (head, None),
    };
    let full = format!("{kind}.{name}");
    let Some(def) = schema::find(&full) else {
        return Err(match suggest::closest(&full, schema::all().map(|def| def.path)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "columns are facts, as `nic.driver` or `cpu[0].soft`, and `verdict`, `variant`, `severity`".to_owned()
            }
        });
    };
    let entities = match names {
        None => vec![entity(def.kind, None)],
        Some(names) => match CpuSet::parse_list(names).filter(|set| !set.is_empty()) {
            Some(numbers) => numbers.iter().take(1024).map(|id| entity(def.kind, Some(&id.to_string()))).collect(),
            None => vec![entity(def.kind, Some(names))],
        },
    };
    Ok((def, entities))
}

/// The entity an example means: a usual name where none is given.
fn entity(kind: Kind, name: Option<&str>) -> Entity {
    let subject = if kind == Kind::Workload { SubjectId::WHOLE } else { SubjectId(0) };
    let usual = match kind {
        Kind::Host => "",
        Kind::Cpu | Kind::Node => "0",
        Kind::Irq => "30",
        Kind::Nic => "eth0",
        Kind::Queue => "0",
        Kind::Disk => "sda",
        Kind::Mount => "/data",
        Kind::Cgroup => "app.slice",
        Kind::Process => "1000",
        Kind::Thread => "1001",
        Kind::Pod | Kind::Go => "app-1",
        Kind::BrokerQueue => "orders",
        Kind::Consumer => "c1",
        Kind::Channel => "10.0.0.7:5533 -> 10.0.0.1:5672 (1)",
        Kind::Connection => "10.0.0.7:5533 -> 10.0.0.1:5672",
        Kind::Workload => "app",
    };
    let name = name.unwrap_or(usual);
    match kind.parent() {
        Some(parent) => Entity::new(subject, kind, format!("{}/{name}", entity(parent, None).name)),
        None => Entity::new(subject, kind, name),
    }
}

/// Puts the value of a cell for every entity of its column.
fn place(facts: &mut Facts, def: &'static FactDef, entities: &[Entity], cell: &str) -> Result<(), String> {
    let (text, grade) = match cell.rsplit_once('@') {
        Some((text, grade)) => (text.trim(), Some(named_grade(grade)?)),
        None => (cell, None),
    };
    if text == "-" {
        return Ok(());
    }
    for entity in entities {
        facts.register(entity);
        if text == "n/a" {
            facts.put_missing(def, entity, Missing::NotApplicable("not on this host".into()));
            continue;
        }
        if text.is_empty() || text == "?" {
            continue;
        }
        let artifact = file(def);
        let value = value(def.ty, text, artifact)?;
        let usual = match value {
            Value::Series(_) => Grade::Series,
            Value::Num(_) => Grade::Two,
            _ => Grade::State,
        };
        facts.put(def, entity, Reading::new(value, grade.unwrap_or(usual), [Source { artifact, line: 1 }]));
    }
    Ok(())
}

fn named_grade(name: &str) -> Result<Grade, String> {
    match name.trim() {
        "boot" => Ok(Grade::SinceBoot),
        "once" => Ok(Grade::Once),
        "two" => Ok(Grade::Two),
        "series" => Ok(Grade::Series),
        "state" => Ok(Grade::State),
        _ => Err("grades are @boot @once @two @series @state".to_owned()),
    }
}

/// A number for the file that the first collecting command makes.
fn file(def: &FactDef) -> u32 {
    let mut files: Vec<&str> = schema::all().filter_map(|def| def.collect.first().copied()).collect();
    files.sort_unstable();
    files.dedup();
    let at = def.collect.first().and_then(|command| files.binary_search(command).ok());
    at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
}

fn value(ty: Ty, text: &str, artifact: u32) -> Result<Value, String> {
    match ty {
        Ty::Flag => match text {
            "true" | "yes" => Ok(Value::Flag(true)),
            "false" | "no" => Ok(Value::Flag(false)),
            _ => Err("write `true` or `false`".to_owned()),
        },
        Ty::Text => Ok(Value::Text(text.into())),
        Ty::Cpus if text == "none" => Ok(Value::Cpus(CpuSet::default())),
        Ty::Cpus => {
            CpuSet::parse_list(text).map(Value::Cpus).ok_or_else(|| "write CPUs as `0-3,8`, or `none`".to_owned())
        }
        Ty::List => Ok(Value::List(text.split(',').map(|item| item.trim().into()).collect())),
        Ty::Num(unit) => number(text, unit).map(Value::Num),
        Ty::Series(unit) => {
            if let Some((level, time)) = text.split_once(" for ") {
                let seconds = number(time, crate::units::Unit::Seconds)?;
                return Ok(series(vec![number(level, unit)?; seconds.clamp(0.0, 3600.0) as usize], artifact));
            }
            let Some(inner) = text.strip_prefix('[') else { return number(text, unit).map(Value::Num) };
            let (items, suffix) = inner.split_once(']').ok_or("a series ends with `]`")?;
            let numbers: Result<Vec<f64>, String> =
                items.split(',').map(|item| number(&format!("{}{suffix}", item.trim()), unit)).collect();
            Ok(series(numbers?, artifact))
        }
    }
}

fn series(values: Vec<f64>, artifact: u32) -> Value {
    let lines = (1..).take(values.len()).collect();
    let at = (0..values.len()).map(|at| at as f64).collect();
    Value::Series(Arc::new(Series { at, values, artifact, lines, start: None }))
}

fn number(text: &str, unit: crate::units::Unit) -> Result<f64, String> {
    match literal::parse(text) {
        Some(quantity)
            if quantity.unit == unit || (quantity.value == 0.0 && quantity.unit == crate::units::Unit::Count) =>
        {
            Ok(quantity.value)
        }
        Some(_) => Err(format!("this fact is {}", num(unit).describe())),
        None => Err("write a number with its unit, `?` for unknown, `-` for absent".to_owned()),
    }
}
