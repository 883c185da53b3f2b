//! `coroner explain`: the reasoning of one outcome, as a colleague would go through it.

use super::escape::plain;
use super::evidence::atoms;
use super::expr::{Gap, Out};
use super::file::Rule;
use super::verdict::{ConditionTrace, Outcome, Role, Verdict};
use crate::facts::{Grade, Source};

/// Lines named per condition.
const MAX_LINES: usize = 4;

/// The whole reasoning. `locate` gives path and line of a source.
pub fn explain(rule: &Rule, outcome: &Outcome, locate: &dyn Fn(Source) -> Option<(String, u32)>) -> String {
    let mut out = heading(outcome);
    let roles = [
        (Role::Applies, "Does it apply?"),
        (Role::Needs, "Is there enough data?"),
        (Role::When, "Necessary, all must hold:"),
        (Role::Proof, "Proof, one is enough:"),
        (Role::Supports, "Support, two from different files confirm:"),
        (Role::Against, "Against, one acquits:"),
        (Role::Variant, "Which variant, the first that holds:"),
    ];
    for (role, title) in roles {
        let mut conditions = outcome.conditions(role).peekable();
        if conditions.peek().is_some() {
            out.push_str(&format!("\n{title}\n"));
            conditions.for_each(|condition| self::condition(&mut out, condition, locate));
        }
    }
    let change = change(rule, outcome);
    if !change.is_empty() {
        out.push_str("\nWhat would change the verdict:\n");
        change.iter().for_each(|line| out.push_str(&format!("  - {line}\n")));
    }
    out
}

fn heading(outcome: &Outcome) -> String {
    let entity = match outcome.entity.name.is_empty() && outcome.entity.kind != crate::facts::Kind::Host {
        true => format!("any {} (none is in the bundle)", outcome.entity.kind),
        false => plain(&outcome.entity.to_string()),
    };
    let mut out = format!("{} on {entity}: {}", outcome.rule, outcome.verdict);
    if outcome.verdict.fired() {
        out.push_str(&format!(", {}, confidence {}", outcome.severity.name(), outcome.confidence));
    }
    if let Some(variant) = &outcome.variant {
        out.push_str(&format!(", variant {variant}"));
    }
    out.push('\n');
    for limit in &outcome.limits {
        out.push_str(&format!("  ({limit})\n"));
    }
    out
}

fn condition(out: &mut String, condition: &ConditionTrace, locate: &dyn Fn(Source) -> Option<(String, u32)>) {
    let mark = match condition.truth() {
        Some(true) => "yes",
        Some(false) => "no ",
        None => " ? ",
    };
    out.push_str(&format!("  {mark}  {}\n", condition.says));
    out.push_str(&format!("         {}\n", condition.expression));
    for atom in atoms(&condition.trace) {
        let limit = match atom.op {
            Some(op) => format!(", asked: {op} {}", plain(&atom.threshold_shown)),
            None => String::new(),
        };
        // What is unknown is told below, with the command that would settle it.
        if atom.value.is_some() {
            out.push_str(&format!("         {} is {}{limit}\n", atom.text, atom.shown_with_entity()));
        }
    }
    if let Some(grade) = condition.grade().filter(|grade| *grade != Grade::State) {
        let weak = if grade.solid() { "" } else { ": too weak to rest a verdict on" };
        out.push_str(&format!("         measured by {}{weak}\n", grade.name()));
    }
    let mut lines: Vec<String> = Vec::new();
    for source in condition.sources() {
        if let Some((path, line)) = locate(*source) {
            let line = format!("{}:{line}", plain(&path));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    if !lines.is_empty() {
        let more = lines.len().saturating_sub(MAX_LINES);
        lines.truncate(MAX_LINES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.push_str(&format!("         from {}{more}\n", lines.join(", ")));
    }
    let gaps = match &condition.trace.out {
        Out::Unknown(gaps) => gaps.as_slice(),
        Out::Known(known) => &known.gaps,
    };
    gaps.iter().take(MAX_LINES).for_each(|gap| out.push_str(&format!("         {}\n", describe(gap))));
}

/// `nic.rx_neff of nic eth0: not collected; collect: ethtool -S IFACE (twice)`.
pub fn describe(gap: &Gap) -> String {
    let of = match gap.entity.name.is_empty() {
        true => String::new(),
        false => format!(" of {}", plain(&gap.entity.to_string())),
    };
    let collect = gap.def.collect.first().map(|command| format!("; collect: {command}")).unwrap_or_default();
    format!("{}{of}: {}{collect}", gap.def.path, plain(&gap.why.to_string()))
}

fn change(rule: &Rule, outcome: &Outcome) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    match outcome.verdict {
        Verdict::NotIndicated => {
            for condition in outcome.conditions(Role::When).filter(|c| c.solid() == Some(false)) {
                list.push(format!("it would be considered if this held: {}", condition.says));
            }
        }
        Verdict::Refuted => {
            for condition in outcome.conditions(Role::Against).filter(|c| c.solid() == Some(true)) {
                list.push(format!("it is acquitted by: {}", condition.says));
            }
        }
        Verdict::CannotTell | Verdict::Possible | Verdict::Likely => {
            list.extend(outcome.missing.iter().map(|gap| format!("collect {}", describe(gap))));
            let open = outcome.conditions(Role::Supports).filter(|c| c.solid() != Some(true));
            list.extend(open.map(|condition| format!("it would be firmer if this held: {}", condition.says)));
        }
        Verdict::NotApplicable => {
            if let Some(applies) = &rule.applies {
                list.push(format!("it applies only where {}", applies.code.text));
            }
        }
        Verdict::Confirmed => {
            let against = outcome.conditions(Role::Against).filter(|c| c.truth().is_none());
            list.extend(against.map(|condition| format!("it would be refuted if this held: {}", condition.says)));
        }
    }
    list.dedup();
    list
}
