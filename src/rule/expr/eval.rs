//! Evaluation on a bundle's facts: three-valued, graded, traced.
//!
//! Unknown is a value. `false and unknown` is false, `true and unknown` is unknown. A truth rests on the best
//! evidence that suffices: one true part of an `or`, every part of an `and`.

use std::sync::Arc;

use super::check::{Code, Node, Op, Type};
use super::parse::{ArithOp, CmpOp};
use super::scope::Slot;
use super::series;
use super::trace::{Bound, Gap, Known, Out, Step, Trace, add_gaps};
use crate::facts::{Entity, FactDef, Facts, Kind, Missing, SubjectId, Value};

/// Steps one condition may take: 500 CPUs against 500 CPUs, and no more.
const FUEL: u32 = 2_000_000;

/// What an expression is evaluated against.
pub struct Ctx<'a> {
    pub(super) facts: &'a Facts,
    names: &'a [Value],
    /// Bound entities, outermost first; the first is the rule's.
    pub(super) stack: Vec<Entity>,
    fuel: u32,
    pub(super) text: Arc<str>,
}

impl<'a> Ctx<'a> {
    /// `names` are the values of the scope's names, in its order.
    pub fn new(facts: &'a Facts, entity: &Entity, names: &'a [Value]) -> Ctx<'a> {
        Ctx { facts, names, stack: vec![entity.clone()], fuel: FUEL, text: "".into() }
    }

    /// With several entities bound, outermost first (loops of prose).
    pub fn within(facts: &'a Facts, stack: &[Entity], names: &'a [Value]) -> Ctx<'a> {
        Ctx { facts, names, stack: stack.to_vec(), fuel: FUEL, text: "".into() }
    }

    pub fn run(&mut self, code: &Code) -> Trace {
        self.fuel = FUEL;
        self.text = code.text.as_str().into();
        self.node(&code.root)
    }

    pub(super) fn node(&mut self, node: &Node) -> Trace {
        if self.fuel == 0 {
            return self.trace(node, Step::Other, Out::Unknown(Vec::new()), Vec::new());
        }
        self.fuel -= 1;
        match &node.op {
            Op::Lit(value) => self.constant(node, value.clone()),
            Op::Name(at) => self.constant(node, self.names.get(*at).cloned().unwrap_or(Value::Text("".into()))),
            Op::Fact { def, slot } => {
                let out = match self.entity(*slot) {
                    Some(entity) => self.fact(def, &entity),
                    None => Out::Unknown(Vec::new()),
                };
                self.trace(node, Step::Fact, out, Vec::new())
            }
            Op::Id(slot) => self.id(node, *slot),
            Op::Not(inner) => {
                let inner = self.node(inner);
                let out = match &inner.out {
                    Out::Known(known) => Out::Known(known.with(Value::Flag(!known.flag()))),
                    unknown => unknown.clone(),
                };
                self.trace(node, Step::Not, out, vec![inner])
            }
            Op::And(parts) => self.junction(node, parts, Step::And, false),
            Op::Or(parts) => self.junction(node, parts, Step::Or, true),
            Op::Neg(inner) => {
                let inner = self.node(inner);
                let out = match &inner.out {
                    Out::Known(known) => {
                        let value = match &known.value {
                            Value::Series(list) => Value::Series(Arc::new(series::map(list, |x| -x))),
                            other => Value::Num(-other.number().unwrap_or(f64::NAN)),
                        };
                        Out::Known(Known { bound: known.bound.flipped(), ..known.with(value) })
                    }
                    unknown => unknown.clone(),
                };
                self.trace(node, Step::Other, out, vec![inner])
            }
            Op::Cmp(op, left, right) => {
                let (left, right) = (self.node(left), self.node(right));
                let out = compare(*op, &left.out, &right.out);
                self.trace(node, Step::Compare(*op), out, vec![left, right])
            }
            Op::In(left, items) => {
                let left = self.node(left);
                let items: Vec<&Value> = items
                    .iter()
                    .filter_map(|item| match &item.op {
                        Op::Lit(value) => Some(value),
                        _ => None,
                    })
                    .collect();
                let out = match &left.out {
                    Out::Known(known) => Out::Known(known.with(Value::Flag(items.contains(&&known.value)))),
                    unknown => unknown.clone(),
                };
                self.trace(node, Step::Compare(CmpOp::Eq), out, vec![left])
            }
            Op::Arith(op, left, right) => {
                let (left, right) = (self.node(left), self.node(right));
                let out = arithmetic(*op, &left.out, &right.out);
                self.trace(node, Step::Other, out, vec![left, right])
            }
            Op::Quant { quant, kind, body, filter } => self.quantifier(node, *quant, *kind, body, filter.as_deref()),
            Op::Call { func, args, level, time } => {
                let kids: Vec<Trace> = args.iter().map(|arg| self.node(arg)).collect();
                let level = level.as_ref().map(|(side, level)| (*side, self.node(level)));
                let time = time.as_ref().map(|time| self.node(time));
                let out = super::call::call(*func, &kids, level.as_ref(), time.as_ref());
                self.trace(node, Step::Other, out, kids)
            }
        }
    }

    pub(super) fn trace(&self, node: &Node, step: Step, out: Out, kids: Vec<Trace>) -> Trace {
        let text = self.text.get(node.span.clone()).unwrap_or_default().into();
        Trace { text, step, unit: node.ty.unit(), out, kids }
    }

    fn constant(&self, node: &Node, value: Value) -> Trace {
        self.trace(node, Step::Constant, Out::Known(Known::constant(value)), Vec::new())
    }

    /// The entity of a slot: bound, its owner, or the host.
    fn entity(&self, slot: Slot) -> Option<Entity> {
        match slot {
            Slot::Bound(at) => self.stack.get(at).cloned(),
            Slot::Parent(at) => {
                let child = self.stack.get(at)?;
                let kind = child.kind.parent()?;
                let owner = self.facts.entities(child.subject, kind).find(|owner| child.within(owner)).cloned();
                let named = || child.name.rsplit_once('/').map(|(name, _)| Entity::new(child.subject, kind, name));
                owner.or_else(named)
            }
            Slot::Host => self.stack.first().map(|entity| Entity::host(entity.subject)),
        }
    }

    fn fact(&self, def: &'static FactDef, entity: &Entity) -> Out {
        match self.facts.get(def, entity) {
            Ok(reading) => Out::Known(Known {
                value: reading.value.clone(),
                grade: reading.grade,
                sources: reading.sources.to_vec(),
                facts: vec![(def, entity.clone())],
                who: None,
                bound: Bound::Exact,
                gaps: Vec::new(),
            }),
            Err(why) => Out::Unknown(vec![Gap { def, entity: entity.clone(), why }]),
        }
    }

    fn id(&self, node: &Node, slot: Slot) -> Trace {
        let value = self.entity(slot).and_then(|entity| match node.ty {
            Type::Num(_) => entity.name.rsplit('/').next()?.parse().ok().map(Value::Num),
            // A nameless entity stands for one that the bundle does not show.
            _ if entity.name.is_empty() && entity.kind != Kind::Host => None,
            _ => Some(Value::Text(entity.name)),
        });
        let out = value.map_or_else(|| Out::Unknown(Vec::new()), |value| Out::Known(Known::constant(value)));
        self.trace(node, Step::Fact, out, Vec::new())
    }

    /// `and` (`decides` false) and `or` (`decides` true): one part with the value `decides` is enough.
    fn junction(&mut self, node: &Node, parts: &[Node], step: Step, decides: bool) -> Trace {
        let kids: Vec<Trace> = parts.iter().map(|part| self.node(part)).collect();
        let out = junction(kids.iter().map(|kid| &kid.out), decides);
        self.trace(node, step, out, kids)
    }

    /// Entities of `kind` as seen from here: those of the innermost owner around, else all of the subject.
    pub(in crate::rule) fn domain(&self, kind: Kind) -> Vec<Entity> {
        if let Some(owner) = self.stack.iter().rev().find(|entity| kind.parent() == Some(entity.kind)) {
            return self.facts.scoped(owner, kind).cloned().collect();
        }
        match self.stack.first().map(|entity| entity.subject) {
            Some(SubjectId::WHOLE) | None => self.facts.all_entities(kind).cloned().collect(),
            Some(subject) => self.facts.entities(subject, kind).cloned().collect(),
        }
    }
}

/// Kleene `and` / `or` over outcomes; the decided value rests on the best part that decides it alone, the
/// other value on all parts.
pub fn junction<'o>(outs: impl Iterator<Item = &'o Out>, decides: bool) -> Out {
    let mut best: Option<Known> = None;
    let mut all: Option<Known> = None;
    let mut gaps = Vec::new();
    let mut unknown = false;
    for out in outs {
        match out {
            Out::Known(known) if known.flag() == decides => {
                if best.as_ref().is_none_or(|best| known.grade > best.grade) {
                    best = Some(known.clone());
                }
            }
            Out::Known(known) => match &mut all {
                Some(all) => all.rest_on(known),
                None => all = Some(known.clone()),
            },
            Out::Unknown(more) => {
                unknown = true;
                add_gaps(&mut gaps, more);
            }
        }
    }
    match (best, all) {
        (Some(best), _) => Out::Known(best),
        (None, Some(all)) if !unknown => Out::Known(all),
        _ => Out::Unknown(gaps),
    }
}

/// Both inputs, or the gaps of those that lack.
fn both<'k>(left: &'k Out, right: &'k Out) -> Result<(&'k Known, &'k Known), Vec<Gap>> {
    match (left, right) {
        (Out::Known(a), Out::Known(b)) => Ok((a, b)),
        _ => {
            let mut gaps = Vec::new();
            for out in [left, right] {
                if let Out::Unknown(more) = out {
                    add_gaps(&mut gaps, more);
                }
            }
            Err(gaps)
        }
    }
}

fn compare(op: CmpOp, left: &Out, right: &Out) -> Out {
    let (a, b) = match both(left, right) {
        Ok(pair) => pair,
        Err(gaps) => return Out::Unknown(gaps),
    };
    let truth = match (a.number(), b.number()) {
        (Some(x), Some(y)) => {
            let holds = |x: f64, y: f64| match op {
                CmpOp::Eq => near(x, y),
                CmpOp::Ne => !near(x, y),
                CmpOp::Lt => x < y && !near(x, y),
                CmpOp::Le => x <= y || near(x, y),
                CmpOp::Gt => x > y && !near(x, y),
                CmpOp::Ge => x >= y || near(x, y),
            };
            bounded(op, holds(x, y), x, y, a.bound, b.bound)
        }
        _ if a.value.number().is_some() || matches!(a.value, Value::Series(_)) => None,
        _ => Some((a.value == b.value) == (op == CmpOp::Eq)),
    };
    let mut known = a.clone();
    known.rest_on(b);
    match truth {
        Some(truth) => Out::Known(Known { value: Value::Flag(truth), bound: Bound::Exact, ..known }),
        None => Out::Unknown(unsettled(&known)),
    }
}

/// Equal within the rounding of decimal input (8.00 % against 0.08).
fn near(x: f64, y: f64) -> bool {
    (x - y).abs() <= 1e-9 * x.abs().max(y.abs())
}

/// A comparison of numbers of which one may be a bound only: decided where the bound decides it.
fn bounded(op: CmpOp, holds: bool, x: f64, y: f64, left: Bound, right: Bound) -> Option<bool> {
    let difference = match (left, right.flipped()) {
        (Bound::Exact, other) | (other, Bound::Exact) => other,
        (a, b) if a == b => a,
        _ => return None,
    };
    let (grows, shrinks) = (matches!(op, CmpOp::Gt | CmpOp::Ge), matches!(op, CmpOp::Lt | CmpOp::Le));
    match difference {
        Bound::Exact => Some(holds),
        Bound::Lower if grows => holds.then_some(true),
        Bound::Lower if shrinks => (!holds).then_some(false),
        Bound::Upper if grows => (!holds).then_some(false),
        Bound::Upper if shrinks => holds.then_some(true),
        Bound::Lower => (x > y).then_some(op == CmpOp::Ne),
        Bound::Upper => (x < y).then_some(op == CmpOp::Ne),
    }
}

/// Gaps of a value that is known and does not settle the question: its own gaps, or that its samples are too few.
pub(super) fn unsettled(known: &Known) -> Vec<Gap> {
    if !known.gaps.is_empty() {
        return known.gaps.clone();
    }
    known.facts.iter().map(|(def, entity)| Gap { def, entity: entity.clone(), why: Missing::TooShort }).collect()
}

fn arithmetic(op: ArithOp, left: &Out, right: &Out) -> Out {
    let (a, b) = match both(left, right) {
        Ok(pair) => pair,
        Err(gaps) => return Out::Unknown(gaps),
    };
    let apply = |x: f64, y: f64| match op {
        ArithOp::Add => x + y,
        ArithOp::Sub => x - y,
        ArithOp::Mul => x * y,
        ArithOp::Div if y == 0.0 => f64::NAN,
        ArithOp::Div => x / y,
    };
    let mut known = a.clone();
    known.rest_on(b);
    let positive = |known: &Known| known.number().is_some_and(|value| value >= 0.0);
    let bound = match (op, a.bound, b.bound) {
        (_, Bound::Exact, Bound::Exact) => Some(Bound::Exact),
        (ArithOp::Add | ArithOp::Sub, bound, Bound::Exact) => Some(bound),
        (ArithOp::Mul | ArithOp::Div, bound, Bound::Exact) if positive(b) => Some(bound),
        (ArithOp::Add, Bound::Exact, bound) => Some(bound),
        (ArithOp::Sub, Bound::Exact, bound) => Some(bound.flipped()),
        (ArithOp::Mul, Bound::Exact, bound) if positive(a) => Some(bound),
        _ => None,
    };
    let Some(bound) = bound else { return Out::Unknown(unsettled(&known)) };
    let value = match (&a.value, &b.value) {
        (Value::Series(x), Value::Series(y)) => Value::Series(Arc::new(series::zip(x, y, apply))),
        (Value::Series(x), other) => {
            let y = other.number().unwrap_or(f64::NAN);
            Value::Series(Arc::new(series::map(x, |x| apply(x, y))))
        }
        (other, Value::Series(y)) => {
            let x = other.number().unwrap_or(f64::NAN);
            Value::Series(Arc::new(series::map(y, |y| apply(x, y))))
        }
        (x, y) => Value::Num(apply(x.number().unwrap_or(f64::NAN), y.number().unwrap_or(f64::NAN))),
    };
    match value.number() {
        Some(number) if number.is_finite() => Out::Known(Known { value, bound, ..known }),
        _ => {
            let why = Missing::NotApplicable("divided by zero".into());
            let gaps = known.facts.iter().map(|(def, entity)| Gap { def, entity: entity.clone(), why: why.clone() });
            Out::Unknown(gaps.collect())
        }
    }
}
