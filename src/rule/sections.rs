//! The prose of a rule, section by section, compiled once and filled in per outcome.

use std::sync::Arc;

use super::escape;
use super::expr::{Code, Scope, Type};
use super::file::{PROSE_NAMES, Rule};
use super::page::{Part, Parts};
use super::problem::{Page, Placed, Problem};
use super::prose::{self, Prose};
use super::verdict::Outcome;
use crate::facts::{Entity, Facts, Value};

/// Compiled sections; an absent one is `None`.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    title: Option<Prose>,
    story: Option<Prose>,
    rule_out: Option<Prose>,
    fix_now: Option<Prose>,
    fix_for_good: Option<Prose>,
    verify: Option<Prose>,
}

/// Sections filled in. `title` is plain text of one line, the others are Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    pub title: String,
    pub story: String,
    pub rule_out: String,
    pub fix_now: String,
    pub fix_for_good: String,
    pub verify: String,
}

impl Sections {
    /// Compiles the prose of a page; mistakes are noted.
    pub fn read(page: &Arc<Page>, parts: &Parts, scope: &Scope, problems: &mut Vec<Problem>) -> Sections {
        let mut scope = scope.clone();
        scope.names.extend(PROSE_NAMES.iter().map(|name| ((*name).to_owned(), Type::Text)));
        let mut compile = |part: &Part, title: bool| {
            if part.is_empty() {
                return None;
            }
            let placed = Placed::verbatim(&part.text, part.at);
            match prose::compile(&part.text, &scope, title) {
                Ok(prose) => Some(prose),
                Err(mistakes) => {
                    problems.extend(mistakes.into_iter().map(|wrong| Problem::from_mistake(page, wrong, &placed)));
                    None
                }
            }
        };
        Sections {
            title: compile(&parts.title, true),
            story: compile(&parts.story, false),
            rule_out: compile(&parts.rule_out, false),
            fix_now: compile(&parts.fix_now, false),
            fix_for_good: compile(&parts.fix_for_good, false),
            verify: compile(&parts.verify, false),
        }
    }

    fn each(&self) -> [Option<&Prose>; 6] {
        [&self.title, &self.story, &self.rule_out, &self.fix_now, &self.fix_for_good, &self.verify].map(Option::as_ref)
    }

    /// Expressions of all sections.
    pub fn codes(&self) -> Vec<&Code> {
        self.each().into_iter().flatten().flat_map(Prose::codes).collect()
    }

    /// Sections that the template engine refuses, with its reason.
    pub fn failures<'r>(&self, rule: &'r Rule, facts: &Facts, entity: &Entity) -> Vec<(&'r Part, String)> {
        let parts = &rule.parts;
        let parts = [&parts.title, &parts.story, &parts.rule_out, &parts.fix_now, &parts.fix_for_good, &parts.verify];
        let names = names(rule, ["", "", ""]);
        let both = self.each().into_iter().zip(parts);
        both.filter_map(|(prose, part)| Some((part, prose?.render(facts, entity, &names).err()?))).collect()
    }
}

fn names(rule: &Rule, prose: [&str; 3]) -> Vec<Value> {
    let mut names = rule.names();
    names.extend(prose.map(|text| Value::Text(text.into())));
    names
}

impl Rule {
    /// The page filled in for an outcome. Text of the bundle is escaped for its place.
    pub fn fill(&self, outcome: &Outcome, facts: &Facts) -> Filled {
        let variant = outcome.variant.as_deref().unwrap_or_default();
        let names = names(self, [variant, outcome.verdict.name(), outcome.severity.name()]);
        let fill = |prose: &Option<Prose>| match prose {
            Some(prose) => prose.render(facts, &outcome.entity, &names).unwrap_or_else(|error| {
                format!("(This section could not be filled in: {}.)", escape::markdown(&error))
            }),
            None => String::new(),
        };
        let prose = &self.prose;
        Filled {
            title: fill(&prose.title).replace('\n', " ").trim().to_owned(),
            story: fill(&prose.story),
            rule_out: fill(&prose.rule_out),
            fix_now: fill(&prose.fix_now),
            fix_for_good: fill(&prose.fix_for_good),
            verify: fill(&prose.verify),
        }
    }
}
