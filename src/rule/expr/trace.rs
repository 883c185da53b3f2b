//! What an evaluation gave and how it came about: value, grade, sources, gaps, and the tree of steps.

use std::sync::Arc;

use super::parse::CmpOp;
use crate::facts::{Entity, FactDef, Grade, Kind, Missing, Reading, Source, Value};
use crate::units::{Unit, human};

/// A fact that was needed and is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    pub def: &'static FactDef,
    pub entity: Entity,
    pub why: Missing,
}

/// How a computed number relates to the true one when part of its inputs is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Exact,
    /// The true value is this or more (a maximum or a count with some entities unknown).
    Lower,
    /// The true value is this or less.
    Upper,
}

impl Bound {
    pub fn flipped(self) -> Bound {
        match self {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        }
    }
}

/// A value that the bundle gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub value: Value,
    /// The worst grade of what it rests on.
    pub grade: Grade,
    /// Lines it rests on, at most [`Reading::MAX_SOURCES`].
    pub sources: Vec<Source>,
    /// Facts it rests on, the decisive one first.
    pub facts: Vec<(&'static FactDef, Entity)>,
    /// The entity that decided a quantifier (the CPU with the maximum).
    pub who: Option<Entity>,
    pub bound: Bound,
    /// Unknown inputs that did not prevent the value.
    pub gaps: Vec<Gap>,
}

/// Facts named beside a value; more say nothing to a reader.
const MAX_FACTS: usize = 8;
/// Gaps kept; a quantifier over 500 CPUs without data is one gap to a reader.
const MAX_GAPS: usize = 32;

impl Known {
    /// A value of the rule itself: no source, nothing to doubt.
    pub fn constant(value: Value) -> Known {
        Known {
            value,
            grade: Grade::State,
            sources: Vec::new(),
            facts: Vec::new(),
            who: None,
            bound: Bound::Exact,
            gaps: Vec::new(),
        }
    }

    /// The number it stands for; a series is its mean.
    pub fn number(&self) -> Option<f64> {
        self.value.number().filter(|value| value.is_finite())
    }

    pub fn flag(&self) -> bool {
        self.value == Value::Flag(true)
    }

    /// Takes over what another input rests on: the worse grade, its lines, facts and gaps.
    pub fn rest_on(&mut self, other: &Known) {
        self.grade = self.grade.min(other.grade);
        self.cite(other);
    }

    /// Takes over lines, facts and gaps, not the grade.
    pub fn cite(&mut self, other: &Known) {
        for source in &other.sources {
            if self.sources.len() < Reading::MAX_SOURCES && !self.sources.contains(source) {
                self.sources.push(*source);
            }
        }
        for fact in &other.facts {
            if self.facts.len() < MAX_FACTS && !self.facts.contains(fact) {
                self.facts.push(fact.clone());
            }
        }
        if self.who.is_none() {
            self.who.clone_from(&other.who);
        }
        add_gaps(&mut self.gaps, &other.gaps);
    }

    pub fn with(&self, value: Value) -> Known {
        Known { value, ..self.clone() }
    }
}

pub fn add_gaps(list: &mut Vec<Gap>, more: &[Gap]) {
    for gap in more {
        if list.len() < MAX_GAPS && !list.contains(gap) {
            list.push(gap.clone());
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Out {
    Known(Known),
    /// Unknown, and which facts would settle it.
    Unknown(Vec<Gap>),
}

impl Out {
    /// True, false or unknown.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Out::Known(known) => match known.value {
                Value::Flag(flag) => Some(flag),
                _ => None,
            },
            Out::Unknown(_) => None,
        }
    }

    pub fn known(&self) -> Option<&Known> {
        match self {
            Out::Known(known) => Some(known),
            Out::Unknown(_) => None,
        }
    }

    pub fn gaps(&self) -> &[Gap] {
        match self {
            Out::Known(known) => &known.gaps,
            Out::Unknown(gaps) => gaps,
        }
    }
}

/// What a step of the evaluation was.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    And,
    Or,
    Not,
    Compare(CmpOp),
    Fact,
    Constant,
    /// Kind, entities looked at, entities of which the value is unknown.
    Quantifier(Kind, usize, usize),
    Other,
}

/// One step, with those below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The text of the expression that this step evaluated.
    pub text: Arc<str>,
    pub step: Step,
    pub unit: Option<Unit>,
    pub out: Out,
    pub kids: Vec<Trace>,
}

impl Trace {
    /// The comparisons (or plain conditions) that decided the outcome, most decisive first.
    pub fn decisive(&self) -> Vec<&Trace> {
        let mut list = Vec::new();
        self.collect(&mut list);
        list
    }

    fn collect<'t>(&'t self, list: &mut Vec<&'t Trace>) {
        let truth = self.out.truth();
        match self.step {
            Step::And | Step::Or => {
                let like: Vec<&Trace> = self.kids.iter().filter(|kid| kid.out.truth() == truth).collect();
                for kid in like {
                    kid.collect(list);
                }
            }
            Step::Not => self.kids.iter().for_each(|kid| kid.collect(list)),
            _ => list.push(self),
        }
    }

    /// The value as a reader would write it.
    pub fn shown(&self) -> String {
        match &self.out {
            Out::Known(known) => {
                let text = show(&known.value, self.unit);
                match known.bound {
                    Bound::Exact => text,
                    Bound::Lower => format!("at least {text}"),
                    Bound::Upper => format!("at most {text}"),
                }
            }
            Out::Unknown(_) => "unknown".to_owned(),
        }
    }
}

/// A value for people: a series as its mean.
pub fn show(value: &Value, unit: Option<Unit>) -> String {
    match value {
        Value::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::Num(value) => number(*value, unit),
        Value::Series(series) => match series.mean() {
            Some(mean) => format!("{} (mean)", number(mean, unit)),
            None => "no samples".to_owned(),
        },
        Value::Text(text) => text.to_string(),
        Value::Cpus(cpus) if cpus.is_empty() => "no CPU".to_owned(),
        Value::Cpus(cpus) => cpus.to_string(),
        Value::List(items) => items.iter().map(|item| &**item).collect::<Vec<_>>().join(", "),
    }
}

pub fn number(value: f64, unit: Option<Unit>) -> String {
    unit.map_or_else(|| human::plain(value), |unit| human::show(value, unit))
}
