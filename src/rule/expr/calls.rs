//! The static check of calls and of arithmetic: what goes in, and what unit comes out.

use super::Span;
use super::check::{Checker, Level, Measure, Node, Op, Type};
use super::funcs::{self, Func, Quant, Shape, num};
use super::parse::{Arg, ArithOp, Expr, Kind as Tree};
use crate::facts::Kind;
use crate::rule::suggest;
use crate::units::{Dim, Unit};

impl Checker {
    pub(super) fn arithmetic(&mut self, op: ArithOp, left: &Expr, right: &Expr, span: Span) -> Option<Node> {
        let (left, right) = (self.number(left), self.number(right));
        let (left, right) = (left?, right?);
        let (a, b) = (left.ty.measure()?, right.ty.measure()?);
        let measure = match op {
            ArithOp::Add | ArithOp::Sub => {
                self.alike(&left, a, &right, b)?;
                if a.ratio { b } else { a }
            }
            ArithOp::Mul => product(&left, a, &right, b),
            ArithOp::Div => quotient(a, b),
        };
        let series = matches!(left.ty, Type::Series(_)) || matches!(right.ty, Type::Series(_));
        let ty = if series { Type::Series(measure) } else { Type::Num(measure) };
        Some(Node { op: Op::Arith(op, Box::new(left), Box::new(right)), ty, span })
    }

    pub(super) fn call(&mut self, name: &str, name_span: &Span, args: &[Arg], span: Span) -> Option<Node> {
        if let (Some(quant), Some(first)) = (funcs::quant(name), args.first()) {
            let over = match &first.value.kind {
                Tree::Word(word) => Kind::from_name(word),
                _ => None,
            };
            if let Some(kind) = over {
                return self.quantifier(quant, name, kind, args, span);
            }
            if funcs::func(name).is_none() {
                let kinds = Kind::ALL.iter().map(|kind| kind.name());
                let near = match &first.value.kind {
                    Tree::Word(word) => suggest::closest(word, kinds.clone()),
                    _ => None,
                };
                let help = match near {
                    Some(near) => format!("did you mean `{name}({near}, ...)`?"),
                    None => format!("kinds are {}", kinds.collect::<Vec<_>>().join(" ")),
                };
                let title = format!("`{name}` goes over entities of a kind");
                return self.fail(first.value.span.clone(), title, "not a kind", Some(help));
            }
        }
        let Some(entry) = funcs::func(name) else {
            let help = match suggest::closest(name, funcs::names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("functions are {}", funcs::names().collect::<Vec<_>>().join(" ")),
            };
            return self.fail(name_span.clone(), format!("unknown function `{name}`"), "here", Some(help));
        };
        let plain: Vec<&Arg> = args.iter().filter(|arg| arg.name.is_none()).collect();
        let expected = match entry.func {
            Func::Lesser | Func::Greater | Func::Contains | Func::Overlaps | Func::Subset => 2,
            Func::StartsWith | Func::Older => 2,
            _ => 1,
        };
        if plain.len() != expected {
            let title = format!("`{name}` takes {expected} value{}", if expected == 1 { "" } else { "s" });
            let help = Some(format!("write `{}`: {}", entry.usage, entry.doc));
            return self.fail(span, title, format!("{} given", plain.len()), help);
        }
        let nodes: Vec<Option<Node>> = plain.iter().map(|arg| self.node(&arg.value)).collect();
        let nodes: Vec<Node> = nodes.into_iter().collect::<Option<_>>()?;
        let (level, time) = self.named(entry, args, &nodes, &span)?;
        let ty = match entry.shape {
            Shape::Series => self.series(entry.func, &nodes[0])?,
            Shape::Number => self.scalar(entry.func, &nodes[0])?,
            Shape::Pair => self.pair(&nodes)?,
            Shape::Sets => self.sets(entry, &nodes, &span)?,
            Shape::Any => Type::Flag,
        };
        Some(Node { op: Op::Call { func: entry.func, args: nodes, level, time }, ty, span })
    }

    fn quantifier(&mut self, quant: Quant, name: &str, kind: Kind, args: &[Arg], span: Span) -> Option<Node> {
        let (mut body, mut filter) = (None, None);
        self.scope.kinds.push(kind);
        let mut good = true;
        for arg in &args[1..] {
            match &arg.name {
                Some((word, _)) if word == "where" && filter.is_none() => {
                    filter = self.flag(&arg.value).map(Box::new);
                    good &= filter.is_some();
                }
                None if body.is_none() => {
                    let flags = matches!(quant, Quant::Any | Quant::All | Quant::Count | Quant::Share);
                    body = if flags { self.flag(&arg.value) } else { self.number(&arg.value) };
                    good &= body.is_some();
                }
                _ => {
                    let title = format!("too many arguments for `{name}`");
                    let help = Some(format!("write `{name}({kind}, ..., where condition)`"));
                    self.fail::<()>(arg.value.span.clone(), title, "not expected here", help);
                    good = false;
                }
            }
        }
        self.scope.kinds.pop();
        let body = match body {
            Some(body) if good => body,
            None if good => {
                // `count(cpu)` alone counts the entities.
                let help = Some(format!("write `{name}({kind}, {kind}....)`"));
                return self.fail(span, format!("`{name}` needs a value per {kind}"), "nothing to look at", help);
            }
            _ => return None,
        };
        let ty = match (quant, body.ty) {
            (Quant::Any | Quant::All, _) => Type::Flag,
            (Quant::Count, _) => num(Unit::Count),
            (Quant::Share, _) => num(Unit::Share),
            (Quant::Median | Quant::Mean, ty) => Type::Num(ty.measure()?),
            (_, ty) => ty,
        };
        Some(Node { op: Op::Quant { quant, kind, body: Box::new(body), filter }, ty, span })
    }

    /// The named arguments `above= below= for=`, where the function takes them.
    #[allow(clippy::type_complexity)]
    fn named(
        &mut self,
        entry: &funcs::Entry,
        args: &[Arg],
        nodes: &[Node],
        span: &Span,
    ) -> Option<(Option<(Level, Box<Node>)>, Option<Box<Node>>)> {
        let leveled = matches!(entry.func, Func::Duty | Func::Sustained | Func::Run);
        let (mut level, mut time) = (None, None);
        for arg in args {
            let Some((word, word_span)) = &arg.name else { continue };
            let value = self.number(&arg.value)?;
            match word.as_str() {
                "above" | "below" if leveled && level.is_none() => {
                    if let (Some(a), Some(b)) = (nodes[0].ty.measure(), value.ty.measure()) {
                        self.alike(&nodes[0], a, &value, b)?;
                    }
                    let side = if word == "above" { Level::Above } else { Level::Below };
                    level = Some((side, Box::new(value)));
                }
                "for" if entry.func == Func::Sustained && time.is_none() => {
                    if value.ty.measure().map(|measure| measure.dim) != Some(Dim::new(0, 1)) {
                        let label = format!("this is {}", value.ty.describe());
                        return self.fail(value.span, "`for` takes a time", label, Some("write `for=10s`".into()));
                    }
                    time = Some(Box::new(value));
                }
                _ => {
                    let title = format!("`{}` takes no `{word}`", entry.name);
                    return self.fail(word_span.clone(), title, "here", Some(format!("write `{}`", entry.usage)));
                }
            }
        }
        let incomplete = (leveled && level.is_none()) || (entry.func == Func::Sustained && time.is_none());
        if incomplete {
            let title = format!("`{}` is not complete", entry.name);
            return self.fail(span.clone(), title, "here", Some(format!("write `{}`", entry.usage)));
        }
        Some((level, time))
    }

    fn series(&mut self, func: Func, node: &Node) -> Option<Type> {
        let Type::Series(measure) = node.ty else {
            let title = format!("a series is expected, this is {}", node.ty.describe());
            let help = "series facts have samples over the window; `coroner facts list` marks them".to_owned();
            return self.fail(node.span.clone(), title, "one value, not a series", Some(help));
        };
        Some(match func {
            Func::Sustained => Type::Flag,
            Func::Duty => num(Unit::Share),
            Func::Run => num(Unit::Seconds),
            Func::Cv => Type::Num(Measure { dim: Dim::NONE, unit: Some(Unit::Count), ratio: true }),
            Func::Rate => Type::Num(quotient(measure, Measure { dim: Dim::new(0, 1), unit: None, ratio: false })),
            _ => Type::Num(measure),
        })
    }

    fn scalar(&mut self, func: Func, node: &Node) -> Option<Type> {
        let Some(measure) = node.ty.measure() else {
            let title = format!("a number is expected, this is {}", node.ty.describe());
            return self.fail(node.span.clone(), title, "not a number", None);
        };
        if func == Func::Sqrt && measure.dim != Dim::NONE {
            return self.fail(node.span.clone(), "`sqrt` takes a plain number", "this has a unit", None);
        }
        Some(Type::Num(measure))
    }

    fn pair(&mut self, nodes: &[Node]) -> Option<Type> {
        let [left, right] = nodes else { return None };
        let (Some(a), Some(b)) = (left.ty.measure(), right.ty.measure()) else {
            let span = left.span.start..right.span.end;
            return self.fail(span, "two numbers are expected", "not numbers", None);
        };
        self.alike(left, a, right, b)?;
        Some(Type::Num(a))
    }

    fn sets(&mut self, entry: &funcs::Entry, nodes: &[Node], span: &Span) -> Option<Type> {
        let types: Vec<Type> = nodes.iter().map(|node| node.ty).collect();
        let fits = match (entry.func, types.as_slice()) {
            (Func::Size, [Type::Cpus | Type::List]) => return Some(num(Unit::Count)),
            (Func::Contains, [Type::Cpus, Type::Num(measure)]) => measure.dim == Dim::NONE,
            (Func::Contains, [Type::Text | Type::List, Type::Text]) => true,
            (Func::Overlaps | Func::Subset, [Type::Cpus, Type::Cpus]) => true,
            (Func::StartsWith | Func::Older, [Type::Text, Type::Text]) => true,
            _ => false,
        };
        if fits {
            return Some(Type::Flag);
        }
        let label = types.iter().map(|ty| ty.describe()).collect::<Vec<_>>().join(" and ");
        let help = Some(format!("write `{}`: {}", entry.usage, entry.doc));
        self.fail(span.clone(), format!("`{}` does not take these", entry.name), label, help)
    }
}

/// Unit of a product. A plain factor leaves the other's unit (`10 * cpu.soft`, `0.25 * nic.channels_max`);
/// a share of a count is a count (`25% * nic.channels_max`).
fn product(left: &Node, a: Measure, right: &Node, b: Measure) -> Measure {
    let dim = a.dim.times(b.dim);
    let mixed =
        matches!((a.unit, b.unit), (Some(Unit::Share), Some(Unit::Count)) | (Some(Unit::Count), Some(Unit::Share)));
    let factor = |node: &Node, measure: Measure| {
        matches!(node.op, Op::Lit(_) | Op::Name(_)) && measure.unit == Some(Unit::Count)
    };
    let unit = match (a.dim == Dim::NONE, b.dim == Dim::NONE) {
        (true, true) if factor(left, a) => b.unit,
        (true, true) if factor(right, b) => a.unit,
        (true, true) if mixed => Some(Unit::Count),
        (true, true) => a.unit,
        (true, false) => b.unit,
        (false, true) => a.unit,
        _ => dim.unit(),
    };
    Measure { dim, unit, ratio: (a.ratio || b.ratio) && dim == Dim::NONE }
}

fn quotient(a: Measure, b: Measure) -> Measure {
    let dim = a.dim.per(b.dim);
    if dim == Dim::NONE {
        return Measure { dim, unit: Some(Unit::Count), ratio: true };
    }
    let unit = if b.dim == Dim::NONE { a.unit } else { dim.unit() };
    Measure { dim, unit, ratio: false }
}
