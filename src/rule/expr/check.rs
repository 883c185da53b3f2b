//! The static check: names resolved, types and units settled, before any bundle is seen.
//!
//! What passes here can be evaluated on any bundle without a type error. All mistakes of an expression are
//! reported, not the first alone.

use super::funcs::{self, Func, Quant, num};
use super::parse::{ArithOp, CmpOp, Expr, Kind as Tree, parse};
use super::scope::{Scope, Slot};
use super::{Mistake, Span};
use crate::facts::{FactDef, Kind, Ty, Value, schema};
use crate::rule::suggest;
use crate::units::{Dim, Unit, human};

/// Dimension of a number, and the unit it prints in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    pub dim: Dim,
    pub unit: Option<Unit>,
    /// A quotient of like quantities: comparable with a share and with a plain number alike.
    pub ratio: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    Flag,
    Num(Measure),
    Series(Measure),
    Text,
    Cpus,
    List,
}

impl Type {
    pub fn of(ty: Ty) -> Type {
        let measure = |unit: Unit| Measure { dim: unit.dim(), unit: Some(unit), ratio: false };
        match ty {
            Ty::Flag => Type::Flag,
            Ty::Text => Type::Text,
            Ty::Cpus => Type::Cpus,
            Ty::List => Type::List,
            Ty::Num(unit) => Type::Num(measure(unit)),
            Ty::Series(unit) => Type::Series(measure(unit)),
        }
    }

    pub fn measure(self) -> Option<Measure> {
        match self {
            Type::Num(measure) | Type::Series(measure) => Some(measure),
            _ => None,
        }
    }

    pub fn unit(self) -> Option<Unit> {
        self.measure().and_then(|measure| measure.unit)
    }

    /// As a reader would say it.
    pub fn describe(self) -> String {
        let unit = |measure: Measure| match measure.unit {
            _ if measure.ratio => "a ratio".to_owned(),
            Some(Unit::Share) => "a share (%)".to_owned(),
            Some(Unit::Count) => "a plain number".to_owned(),
            Some(Unit::PerSec) => "a rate (/s)".to_owned(),
            Some(Unit::BytesPerSec) => "bytes per second".to_owned(),
            Some(unit) => unit.name().to_owned(),
            None => "a quantity of an odd unit".to_owned(),
        };
        match self {
            Type::Flag => "a condition".to_owned(),
            Type::Text => "text".to_owned(),
            Type::Cpus => "a set of CPUs".to_owned(),
            Type::List => "a list".to_owned(),
            Type::Num(measure) => unit(measure),
            Type::Series(measure) => format!("a series of {}", unit(measure).trim_start_matches("a ")),
        }
    }
}

/// A checked expression.
#[derive(Clone, Debug)]
pub struct Code {
    pub root: Node,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Op {
    Lit(Value),
    /// A tunable or another named value.
    Name(usize),
    Fact {
        def: &'static FactDef,
        slot: Slot,
    },
    /// Name (or number) of the entity itself.
    Id(Slot),
    Not(Box<Node>),
    Neg(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Cmp(CmpOp, Box<Node>, Box<Node>),
    In(Box<Node>, Vec<Node>),
    Arith(ArithOp, Box<Node>, Box<Node>),
    Quant {
        quant: Quant,
        kind: Kind,
        body: Box<Node>,
        filter: Option<Box<Node>>,
    },
    Call {
        func: Func,
        args: Vec<Node>,
        level: Option<(Level, Box<Node>)>,
        time: Option<Box<Node>>,
    },
}

/// Side of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Above,
    Below,
}

impl Node {
    /// Calls `see` for this node and all below it.
    pub fn walk<'n>(&'n self, see: &mut dyn FnMut(&'n Node)) {
        see(self);
        match &self.op {
            Op::Lit(_) | Op::Name(_) | Op::Fact { .. } | Op::Id(_) => {}
            Op::Not(inner) | Op::Neg(inner) => inner.walk(see),
            Op::And(parts) | Op::Or(parts) => parts.iter().for_each(|part| part.walk(see)),
            Op::Cmp(_, a, b) | Op::Arith(_, a, b) => {
                a.walk(see);
                b.walk(see);
            }
            Op::In(inner, items) => {
                inner.walk(see);
                items.iter().for_each(|item| item.walk(see));
            }
            Op::Quant { body, filter, .. } => {
                body.walk(see);
                if let Some(filter) = filter {
                    filter.walk(see);
                }
            }
            Op::Call { args, level, time, .. } => {
                args.iter().for_each(|arg| arg.walk(see));
                if let Some((_, level)) = level {
                    level.walk(see);
                }
                if let Some(time) = time {
                    time.walk(see);
                }
            }
        }
    }

    /// Facts it reads, each once, in order of appearance.
    pub fn facts(&self) -> Vec<&'static FactDef> {
        let mut list: Vec<&'static FactDef> = Vec::new();
        self.walk(&mut |node| {
            if let Op::Fact { def, .. } = node.op
                && !list.contains(&def)
            {
                list.push(def);
            }
        });
        list
    }

    pub fn reads_facts(&self) -> bool {
        let mut reads = false;
        self.walk(&mut |node| reads |= matches!(node.op, Op::Fact { .. } | Op::Id(_) | Op::Quant { .. }));
        reads
    }
}

/// Parses and checks `text`. `want` is the type the place asks for; `None` takes any.
pub fn compile(text: &str, scope: &Scope, want: Option<Type>) -> Result<Code, Vec<Mistake>> {
    let tree = parse(text).map_err(|mistake| vec![mistake])?;
    let mut checker = Checker { scope: scope.clone(), mistakes: Vec::new() };
    let root = checker.node(&tree);
    if let Some(root) = &root
        && want == Some(Type::Flag)
        && root.ty != Type::Flag
    {
        let title = format!("a condition is expected, this is {}", root.ty.describe());
        checker.fail::<()>(
            root.span.clone(),
            title,
            "not a condition",
            Some("compare it with something: `x > 10`".into()),
        );
    }
    match root {
        Some(root) if checker.mistakes.is_empty() => Ok(Code { root, text: text.to_owned() }),
        _ => Err(checker.mistakes),
    }
}

pub(super) struct Checker {
    pub(super) scope: Scope,
    pub(super) mistakes: Vec<Mistake>,
}

impl Checker {
    /// Notes a mistake; `None` for the caller to return.
    pub(super) fn fail<T>(
        &mut self,
        span: Span,
        title: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) -> Option<T> {
        self.mistakes.push(Mistake { span, title: title.into(), label: label.into(), help });
        None
    }

    pub(super) fn node(&mut self, tree: &Expr) -> Option<Node> {
        let span = tree.span.clone();
        let make = |op: Op, ty: Type| Some(Node { op, ty, span: span.clone() });
        match &tree.kind {
            Tree::Num(quantity) => make(Op::Lit(Value::Num(quantity.value)), num(quantity.unit)),
            Tree::Text(text) => make(Op::Lit(Value::Text(text.as_str().into())), Type::Text),
            Tree::Flag(flag) => make(Op::Lit(Value::Flag(*flag)), Type::Flag),
            Tree::Path(kind, name) => self.path(kind, name, span),
            Tree::Word(word) => match self.scope.name(word) {
                Some((at, ty)) => make(Op::Name(at), ty),
                None => self.unknown_word(word, span),
            },
            Tree::Not(inner) => {
                let inner = self.flag(inner)?;
                make(Op::Not(Box::new(inner)), Type::Flag)
            }
            Tree::Neg(inner) => {
                let inner = self.number(inner)?;
                let ty = inner.ty;
                make(Op::Neg(Box::new(inner)), ty)
            }
            Tree::And(parts) => {
                let parts = self.flags(parts)?;
                make(Op::And(parts), Type::Flag)
            }
            Tree::Or(parts) => {
                let parts = self.flags(parts)?;
                make(Op::Or(parts), Type::Flag)
            }
            Tree::Cmp(op, left, right) => self.comparison(*op, left, right, span),
            Tree::In(left, items) => {
                let left = self.node(left)?;
                let mut list = Vec::new();
                for item in items {
                    let item = self.node(item)?;
                    if !matches!(item.op, Op::Lit(_)) || item.ty != left.ty {
                        let title = format!("the list must hold constants like {}", left.ty.describe());
                        return self.fail(item.span, title, format!("this is {}", item.ty.describe()), None);
                    }
                    list.push(item);
                }
                if list.is_empty() {
                    return self.fail(span, "always false: the list is empty", "nothing is in it", None);
                }
                make(Op::In(Box::new(left), list), Type::Flag)
            }
            Tree::Arith(op, left, right) => self.arithmetic(*op, left, right, span),
            Tree::Call { name, name_span, args } => self.call(name, name_span, args, span),
        }
    }

    fn path(&mut self, kind: &str, name: &str, span: Span) -> Option<Node> {
        let Some((found, slot)) = self.scope.slot(kind) else {
            return match Kind::from_name(kind) {
                Some(_) => {
                    let title = format!("which {kind}? `{kind}.{name}` speaks of one, and none is chosen here");
                    let rule = self.scope.kinds[0].name();
                    let help = format!(
                        "this rule is about each {rule}: write `max({kind}, {kind}.{name})` or `any({kind}, ...)`, or `each: {kind}`"
                    );
                    self.fail(span, title, format!("no {kind} in scope"), Some(help))
                }
                None => self.unknown_fact(kind, name, span),
            };
        };
        let path = format!("{}.{name}", found.name());
        if let Some(def) = schema::find(&path) {
            return Some(Node { op: Op::Fact { def, slot }, ty: Type::of(def.ty), span });
        }
        let numbered = matches!(found, Kind::Cpu | Kind::Irq | Kind::Node);
        match name {
            "name" => Some(Node { op: Op::Id(slot), ty: Type::Text, span }),
            "id" if numbered => Some(Node { op: Op::Id(slot), ty: num(Unit::Count), span }),
            "index" if found == Kind::Queue => Some(Node { op: Op::Id(slot), ty: num(Unit::Count), span }),
            "id" => Some(Node { op: Op::Id(slot), ty: Type::Text, span }),
            _ => self.unknown_fact(found.name(), name, span),
        }
    }

    fn unknown_fact(&mut self, kind: &str, name: &str, span: Span) -> Option<Node> {
        let path = format!("{kind}.{name}");
        let near = suggest::closest(&path, schema::all().map(|def| def.path));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`coroner facts list` prints the dictionary".to_owned(),
        };
        self.fail(span, format!("unknown fact `{path}`"), "not in the dictionary", Some(help))
    }

    fn unknown_word(&mut self, word: &str, span: Span) -> Option<Node> {
        let names: Vec<String> = self.scope.names.iter().map(|(name, _)| name.clone()).collect();
        let mut candidates: Vec<&str> = funcs::names().collect();
        candidates.extend(names.iter().map(String::as_str));
        let help = if Kind::from_name(word).is_some() {
            format!("name a fact of it, as in `{word}.name`, or use it in a function: `any({word}, ...)`")
        } else if let Some(near) = suggest::closest(word, candidates) {
            format!("did you mean `{near}`?")
        } else {
            "facts are written `kind.name`, text in quotes, tunables are declared under `tunables:`".to_owned()
        };
        self.fail(span, format!("unknown name `{word}`"), "neither a tunable nor a fact", Some(help))
    }

    pub(super) fn flag(&mut self, tree: &Expr) -> Option<Node> {
        let node = self.node(tree)?;
        if node.ty == Type::Flag {
            return Some(node);
        }
        let title = format!("a condition is expected, this is {}", node.ty.describe());
        self.fail(node.span, title, "not a condition", Some("compare it with something: `x > 10`".into()))
    }

    fn flags(&mut self, parts: &[Expr]) -> Option<Vec<Node>> {
        let nodes: Vec<Option<Node>> = parts.iter().map(|part| self.flag(part)).collect();
        nodes.into_iter().collect()
    }

    pub(super) fn number(&mut self, tree: &Expr) -> Option<Node> {
        let node = self.node(tree)?;
        if node.ty.measure().is_some() {
            return Some(node);
        }
        let title = format!("a number is expected, this is {}", node.ty.describe());
        self.fail(node.span, title, "not a number", None)
    }

    fn comparison(&mut self, op: CmpOp, left: &Expr, right: &Expr, span: Span) -> Option<Node> {
        let (left, right) = (self.node(left), self.node(right));
        let (left, right) = (left?, right?);
        match (left.ty.measure(), right.ty.measure()) {
            (Some(a), Some(b)) => {
                self.alike(&left, a, &right, b)?;
                self.constant(op, &left, &right, span.clone())?;
            }
            (None, None) if left.ty == right.ty => {
                if !matches!(op, CmpOp::Eq | CmpOp::Ne) {
                    let title = format!("{} has no order", left.ty.describe());
                    return self.fail(span, title, "only `=` and `!=` work here", None);
                }
            }
            _ => {
                let label = format!("{} against {}", left.ty.describe(), right.ty.describe());
                return self.fail(span, "these cannot be compared", label, None);
            }
        }
        Some(Node { op: Op::Cmp(op, Box::new(left), Box::new(right)), ty: Type::Flag, span })
    }

    /// Both sides measure the same; a share is not compared with a plain number (`cpu.soft > 70`).
    pub(super) fn alike(&mut self, left: &Node, a: Measure, right: &Node, b: Measure) -> Option<()> {
        let label = format!("{} against {}", left.ty.describe(), right.ty.describe());
        let span = left.span.start.min(right.span.start)..left.span.end.max(right.span.end);
        if a.dim != b.dim {
            return self.fail(span, "the units do not match", label, unit_help(left, right));
        }
        let mixed =
            matches!((a.unit, b.unit), (Some(Unit::Share), Some(Unit::Count)) | (Some(Unit::Count), Some(Unit::Share)));
        let zero = |node: &Node| matches!(node.op, Op::Lit(Value::Num(value)) if value == 0.0);
        if mixed && !a.ratio && !b.ratio && !zero(left) && !zero(right) {
            let plain = [left, right].into_iter().find_map(|node| match node.op {
                Op::Lit(Value::Num(value)) if node.ty.unit() == Some(Unit::Count) => Some(value),
                _ => None,
            });
            let help = plain.map(|value| format!("a share is written with its unit: `{}%`", human::plain(value)));
            return self.fail(span, "the units do not match", label, help);
        }
        Some(())
    }

    /// Refuses comparisons that no bundle can decide: constants on both sides, or a quantity below zero.
    fn constant(&mut self, op: CmpOp, left: &Node, right: &Node, span: Span) -> Option<()> {
        let (a, b) = (left.reads_facts(), right.reads_facts());
        if !a && !b {
            return self.fail(span, "this never depends on a bundle", "constants on both sides", None);
        }
        let value = |node: &Node| match &node.op {
            Op::Lit(Value::Num(value)) => Some(*value),
            Op::Neg(inner) => match inner.op {
                Op::Lit(Value::Num(value)) => Some(-value),
                _ => None,
            },
            _ => None,
        };
        let natural = |node: &Node| match node.op {
            Op::Fact { def, .. } => def.unit() != Some(Unit::Celsius),
            _ => false,
        };
        let (fact, limit, op) = match (value(left), value(right)) {
            (None, Some(limit)) => (left, limit, op),
            (Some(limit), None) => (right, limit, op.flipped()),
            _ => return Some(()),
        };
        if !natural(fact) {
            return Some(());
        }
        let always = match op {
            CmpOp::Ge if limit <= 0.0 => Some(true),
            CmpOp::Gt | CmpOp::Ne if limit < 0.0 => Some(true),
            CmpOp::Lt if limit <= 0.0 => Some(false),
            CmpOp::Le | CmpOp::Eq if limit < 0.0 => Some(false),
            _ => None,
        };
        match always {
            Some(always) => self.fail(span, format!("always {always}"), "no such quantity is below zero", None),
            None => Some(()),
        }
    }
}

/// Help when the author most likely forgot or mistook a unit.
fn unit_help(left: &Node, right: &Node) -> Option<String> {
    let literal = |node: &Node| matches!(node.op, Op::Lit(Value::Num(_)));
    let (fact, value) = match (literal(left), literal(right)) {
        (false, true) => (left, right),
        (true, false) => (right, left),
        _ => return None,
    };
    let Op::Lit(Value::Num(number)) = value.op else { return None };
    let suffix = match fact.ty.unit()? {
        Unit::Share => "%",
        Unit::Count => "",
        Unit::PerSec => "/s",
        Unit::Bytes => "MiB",
        Unit::BytesPerSec => "MiB/s",
        Unit::Seconds => "ms",
        Unit::Celsius => "C",
        Unit::Hertz => "MHz",
    };
    Some(format!("write the quantity in its unit, as in `{}{suffix}`", human::plain(number)))
}
