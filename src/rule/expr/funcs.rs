//! The functions of the language, as a table: from it come the check, the help texts and the handbook.

use super::check::Type;
use crate::units::Unit;

/// Functions over entities of a kind: `any(cpu, cpu.soft > 50%, where cpu.node = 0)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quant {
    Any,
    All,
    Count,
    Share,
    Max,
    Min,
    Sum,
    Mean,
    Median,
}

pub const QUANTS: &[(&str, Quant, &str)] = &[
    ("any", Quant::Any, "true when the condition holds for at least one"),
    ("all", Quant::All, "true when the condition holds for every one"),
    ("count", Quant::Count, "number of those for which the condition holds"),
    ("share", Quant::Share, "share of those for which the condition holds"),
    ("max", Quant::Max, "largest value; of series, the largest at each moment"),
    ("min", Quant::Min, "smallest value; of series, the smallest at each moment"),
    ("sum", Quant::Sum, "sum; of series, at each moment"),
    ("mean", Quant::Mean, "mean of the values"),
    ("median", Quant::Median, "median of the values"),
];

/// Functions of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Func {
    Mean,
    P50,
    P95,
    P99,
    Max,
    Min,
    First,
    Last,
    Delta,
    Rate,
    Cv,
    Duty,
    Sustained,
    Run,
    Abs,
    Floor,
    Ceil,
    Round,
    Sqrt,
    Lesser,
    Greater,
    Size,
    Contains,
    Overlaps,
    Subset,
    StartsWith,
    Older,
    Known,
}

/// Shape of the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A series; with `above=` or `below=`, and `for=`, where the text of the table names them.
    Series,
    /// One number.
    Number,
    /// Two numbers of one dimension.
    Pair,
    /// Text, list or CPU set, one or two of them; checked one by one.
    Sets,
    /// Any value.
    Any,
}

pub struct Entry {
    pub name: &'static str,
    pub func: Func,
    pub shape: Shape,
    pub usage: &'static str,
    pub doc: &'static str,
}

const fn entry(name: &'static str, func: Func, shape: Shape, usage: &'static str, doc: &'static str) -> Entry {
    Entry { name, func, shape, usage, doc }
}

pub const FUNCS: &[Entry] = &[
    entry("mean", Func::Mean, Shape::Series, "mean(series)", "mean over the window"),
    entry("p50", Func::P50, Shape::Series, "p50(series)", "median of the samples"),
    entry("p95", Func::P95, Shape::Series, "p95(series)", "95th percentile of the samples (nearest rank)"),
    entry("p99", Func::P99, Shape::Series, "p99(series)", "99th percentile of the samples (nearest rank)"),
    entry("max", Func::Max, Shape::Series, "max(series)", "largest sample"),
    entry("min", Func::Min, Shape::Series, "min(series)", "smallest sample"),
    entry("first", Func::First, Shape::Series, "first(series)", "first sample"),
    entry("last", Func::Last, Shape::Series, "last(series)", "last sample"),
    entry("delta", Func::Delta, Shape::Series, "delta(series)", "last minus first sample"),
    entry("rate", Func::Rate, Shape::Series, "rate(series)", "delta per second"),
    entry("cv", Func::Cv, Shape::Series, "cv(series)", "standard deviation divided by the mean"),
    entry("duty", Func::Duty, Shape::Series, "duty(series, above=x)", "share of samples above (below=: below) x"),
    entry(
        "sustained",
        Func::Sustained,
        Shape::Series,
        "sustained(series, above=x, for=10s)",
        "true when samples stay above (below=: below) x for so long",
    ),
    entry("run", Func::Run, Shape::Series, "run(series, above=x)", "longest time above (below=: below) x"),
    entry("abs", Func::Abs, Shape::Number, "abs(x)", "value without its sign"),
    entry("floor", Func::Floor, Shape::Number, "floor(x)", "next lower whole number"),
    entry("ceil", Func::Ceil, Shape::Number, "ceil(x)", "next higher whole number"),
    entry("round", Func::Round, Shape::Number, "round(x)", "nearest whole number"),
    entry("sqrt", Func::Sqrt, Shape::Number, "sqrt(x)", "square root of a plain number"),
    entry("lesser", Func::Lesser, Shape::Pair, "lesser(a, b)", "the smaller of two values"),
    entry("greater", Func::Greater, Shape::Pair, "greater(a, b)", "the larger of two values"),
    entry("size", Func::Size, Shape::Sets, "size(cpus)", "number of CPUs in a set, of items in a list"),
    entry("contains", Func::Contains, Shape::Sets, "contains(a, b)", "text holds text, list holds item, set holds CPU"),
    entry("overlaps", Func::Overlaps, Shape::Sets, "overlaps(a, b)", "two CPU sets share a CPU"),
    entry("subset", Func::Subset, Shape::Sets, "subset(a, b)", "every CPU of a is in b"),
    entry("starts_with", Func::StartsWith, Shape::Sets, "starts_with(text, \"x\")", "text begins so"),
    entry(
        "older",
        Func::Older,
        Shape::Sets,
        "older(host.kernel, \"5.4\")",
        "version before that one, number by number",
    ),
    entry("known", Func::Known, Shape::Any, "known(x)", "true when the bundle says it; never unknown itself"),
];

pub fn quant(name: &str) -> Option<Quant> {
    QUANTS.iter().find(|(have, _, _)| *have == name).map(|(_, quant, _)| *quant)
}

pub fn func(name: &str) -> Option<&'static Entry> {
    FUNCS.iter().find(|entry| entry.name == name)
}

/// Every callable name, for did-you-mean.
pub fn names() -> impl Iterator<Item = &'static str> {
    QUANTS.iter().map(|(name, _, _)| *name).chain(FUNCS.iter().map(|entry| entry.name))
}

/// A measure with the unit `unit`.
pub const fn num(unit: Unit) -> Type {
    Type::Num(super::check::Measure { dim: unit.dim(), unit: Some(unit), ratio: false })
}
