//! `rules check`: every mistake of a whole catalogue in one run.
//!
//! Reading a page finds what is wrong with it alone; here the pages are held against each other, their prose
//! is rendered with everything known and with nothing known, and their examples are run.

use std::collections::BTreeSet;

use super::catalogue::Catalogue;
use super::examples;
use super::expr::Op;
use super::file::Rule;
use super::problem::Problem;
use super::suggest;
use crate::facts::{CpuSet, Entity, FactDef, Facts, Grade, Kind, Reading, Source, SubjectId, Ty, Value};

/// Every mistake, by page and place.
pub fn check(catalogue: &Catalogue) -> Vec<Problem> {
    let mut problems = catalogue.problems().to_vec();
    for rule in catalogue.rules() {
        explains(catalogue, rule, &mut problems);
        unused_tunables(rule, &mut problems);
        prose(rule, &mut problems);
        examples::run(rule, &mut problems);
    }
    for rule in catalogue.drafts() {
        explains(catalogue, rule, &mut problems);
        if rule.conditions().next().is_some() {
            unused_tunables(rule, &mut problems);
        }
    }
    cycles(catalogue, &mut problems);
    problems.sort_by(|a, b| (&a.page.path, a.span.start, &a.title).cmp(&(&b.page.path, b.span.start, &b.title)));
    problems.dedup();
    problems
}

/// All problems as one text, with a last line that counts them; empty when there is none.
pub fn render(problems: &[Problem], colour: bool) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let mut out: Vec<String> = problems.iter().map(|problem| problem.render(colour)).collect();
    let pages: BTreeSet<&str> = problems.iter().map(|problem| problem.page.path.as_str()).collect();
    let plural = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    out.push(format!("{} in {}\n", plural(problems.len(), "mistake"), plural(pages.len(), "page")));
    out.join("\n\n")
}

fn explains(catalogue: &Catalogue, rule: &Rule, problems: &mut Vec<Problem>) {
    for (id, span) in &rule.explains {
        let problem = |title: String| Problem::new(&rule.page, span.clone(), title).label("here");
        if *id == rule.id {
            problems.push(problem("a rule cannot explain itself".to_owned()));
        } else if !catalogue.has(id) {
            let near = suggest::closest(id, catalogue.ids()).map(|near| format!("did you mean `{near}`?"));
            problems.push(problem(format!("unknown rule `{id}`")).help_if(near));
        }
    }
}

/// Two rules that explain each other leave no cause.
fn cycles(catalogue: &Catalogue, problems: &mut Vec<Problem>) {
    for rule in catalogue.rules() {
        for (next, span) in &rule.explains {
            if *next == rule.id || next < &rule.id {
                continue;
            }
            if let Some(path) = path_to(catalogue, next, &rule.id) {
                let title = format!("a circle of causes: {} -> {}", rule.id, path.join(" -> "));
                let help = "a symptom never explains its cause: drop one of the links";
                problems.push(Problem::new(&rule.page, span.clone(), title).label("part of the circle").help(help));
            }
        }
    }
}

fn path_to(catalogue: &Catalogue, from: &str, goal: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut paths = vec![vec![from.to_owned()]];
    while let Some(path) = paths.pop() {
        let Some(rule) = path.last().and_then(|last| catalogue.rule(last)) else { continue };
        for (next, _) in &rule.explains {
            let mut longer = path.clone();
            longer.push(next.clone());
            if next == goal {
                return Some(longer);
            }
            if seen.insert(next.clone()) {
                paths.push(longer);
            }
        }
    }
    None
}

fn unused_tunables(rule: &Rule, problems: &mut Vec<Problem>) {
    for (at, tunable) in rule.tunables.iter().enumerate() {
        let mut used = false;
        let codes = rule.conditions().map(|condition| &condition.code).chain(rule.prose.codes());
        for code in codes {
            code.root.walk(&mut |node| used |= matches!(node.op, Op::Name(name) if name == at));
        }
        if !used {
            let problem = Problem::new(&rule.page, tunable.span.clone(), format!("`{}` is not used", tunable.name));
            problems.push(problem.label("no condition names it").help("use it in a condition, or drop it"));
        }
    }
}

/// Fills the prose in twice: with nothing known, and with everything it names known.
fn prose(rule: &Rule, problems: &mut Vec<Problem>) {
    let entity = Entity::new(SubjectId(0), rule.each, if rule.each == Kind::Host { "" } else { "0" });
    let mut wanted: Vec<&'static FactDef> = Vec::new();
    for code in rule.prose.codes() {
        wanted.extend(code.root.facts());
    }
    let known = all_known(&wanted, &entity);
    for (facts, when) in [(&Facts::new(), "nothing"), (&known, "everything")] {
        for (part, error) in rule.prose.failures(rule, facts, &entity) {
            let first = part.text.find('\n').unwrap_or(part.text.len());
            let problem =
                Problem::new(&rule.page, part.at..part.at + first, format!("does not render with {when} known"));
            problems.push(problem.label(error).help("this text is a template: see `{{ }}` and `{% %}` in it"));
        }
    }
}

/// A store in which every wanted fact has a value, for the entity, its owner and two of what it owns.
fn all_known(wanted: &[&'static FactDef], entity: &Entity) -> Facts {
    let mut facts = Facts::new();
    facts.register(entity);
    for def in wanted {
        let value = match def.ty {
            Ty::Flag => Value::Flag(true),
            Ty::Text => Value::Text("name".into()),
            Ty::Cpus => Value::Cpus(CpuSet::from_ids([0, 1])),
            Ty::List => Value::List(vec!["name".into()].into()),
            Ty::Num(_) | Ty::Series(_) => Value::Num(2.0),
        };
        let names: Vec<String> = match def.kind {
            Kind::Host => vec![String::new()],
            kind if kind == entity.kind => vec![entity.name.to_string()],
            kind if kind.parent() == Some(entity.kind) => (0..2).map(|n| format!("{}/{n}", entity.name)).collect(),
            _ => vec!["0".to_owned(), "1".to_owned()],
        };
        for name in names {
            let source = Source { artifact: 0, line: 1 };
            let reading = Reading::new(value.clone(), Grade::State, [source]);
            facts.put(def, &Entity::new(entity.subject, def.kind, name), reading);
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::problem::tests_support::PAGE;

    #[test]
    fn a_good_page_has_no_problem_and_a_circle_is_one() {
        let mut catalogue = Catalogue::default();
        catalogue.add("rules/network/sample.md", PAGE.to_owned());
        assert_eq!(render(&check(&catalogue), false), "");
        for (id, next) in [("one", "two"), ("two", "one")] {
            catalogue.add(&format!("rules/x/{id}.md"), PAGE.replace("explains: []", &format!("explains: [{next}]")));
        }
        let titles: Vec<String> = check(&catalogue).into_iter().map(|problem| problem.title).collect();
        assert_eq!(titles, ["a circle of causes: one -> two -> one"]);
    }
}
