//! The prose of a rule page: Markdown with values filled in.
//!
//! `{{ expression }}`, `{% if condition %}` and `{% for q in entities("queue") %}` hold expressions of the rule
//! language, checked like conditions. They are evaluated first and escaped for the place they stand in; the
//! template engine sees ready texts only, so that nothing of a bundle is ever interpreted. An unknown value is
//! the word *unknown* in a sentence, a placeholder in capitals in a command, and false in an `if`.

use std::collections::BTreeMap;
use std::ops::Range;

use minijinja::{Environment, UndefinedBehavior, Value as Template};

use super::escape;
use super::expr::trace::{self, Trace};
use super::expr::{Code, Ctx, Gap, Mistake, Op, Out, Scope};
use crate::facts::{CpuSet, Entity, Facts, Kind, Value};
use crate::units::{Unit, human};

/// Steps of the template engine per section.
const FUEL: u64 = 100_000;
/// Entities a loop shows.
pub const MAX_LOOP: usize = 32;

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A title: plain text.
    Plain,
    Markdown,
    /// A code block or span: a word of a command.
    Command,
}

/// How a value is written, by filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With its unit, as people read it.
    Human,
    /// `|num`: the bare number in its base unit, whole numbers exact.
    Number,
    /// `|pct`: a ratio in percent.
    Percent,
    /// `|mask`: a CPU set as the kernel's hexadecimal mask.
    Mask,
    /// `|cmd`: a word of a command.
    Command,
    /// In an `if`.
    Truth,
}

pub const FILTERS: &[(&str, Form)] =
    &[("num", Form::Number), ("pct", Form::Percent), ("mask", Form::Mask), ("cmd", Form::Command)];

/// An expression of the prose.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) code: Code,
    pub(super) form: Form,
    pub(super) place: Place,
}

/// A loop, or the whole section.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) over: Option<Kind>,
    pub(super) slots: Vec<Slot>,
    pub(super) loops: Vec<Block>,
}

/// A section, ready to be filled in.
#[derive(Clone, Debug)]
pub struct Prose {
    pub(super) template: String,
    pub(super) root: Block,
}

impl Prose {
    /// Expressions in it, loops included.
    pub fn codes(&self) -> Vec<&Code> {
        fn collect<'b>(block: &'b Block, list: &mut Vec<&'b Code>) {
            list.extend(block.slots.iter().map(|slot| &slot.code));
            block.loops.iter().for_each(|inner| collect(inner, list));
        }
        let mut list = Vec::new();
        collect(&self.root, &mut list);
        list
    }

    /// Fills it in. The error is the template engine's; the check renders every page, so a catalogue that
    /// passed has none.
    pub fn render(&self, facts: &Facts, entity: &Entity, names: &[Value]) -> Result<String, String> {
        let mut env = Environment::new();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_fuel(Some(FUEL));
        let mut stack = vec![entity.clone()];
        let root = data(&self.root, facts, &mut stack, names);
        let context = Template::from(BTreeMap::from([("b0".to_owned(), root)]));
        env.render_str(&self.template, context).map_err(|error| {
            let line = error.line().map(|line| format!(" (line {line})")).unwrap_or_default();
            format!("{}{line}", error.detail().unwrap_or("the template cannot be rendered"))
        })
    }
}

/// Evaluates a block: its slots as ready texts, its loops as lists of blocks.
fn data(block: &Block, facts: &Facts, stack: &mut Vec<Entity>, names: &[Value]) -> Template {
    let slots: Vec<Template> = block
        .slots
        .iter()
        .map(|slot| {
            let trace = Ctx::within(facts, stack, names).run(&slot.code);
            match slot.form {
                Form::Truth => Template::from(trace.out.truth() == Some(true)),
                _ => Template::from(written(&trace, slot)),
            }
        })
        .collect();
    let loops: Vec<Template> = block
        .loops
        .iter()
        .map(|inner| {
            let kind = inner.over.unwrap_or(Kind::Host);
            let entities = Ctx::within(facts, stack, names).domain(kind);
            let rows: Vec<Template> = entities
                .into_iter()
                .take(MAX_LOOP)
                .map(|entity| {
                    stack.push(entity);
                    let row = data(inner, facts, stack, names);
                    stack.pop();
                    row
                })
                .collect();
            Template::from(rows)
        })
        .collect();
    let parts = [("x".to_owned(), Template::from(slots)), ("l".to_owned(), Template::from(loops))];
    Template::from(BTreeMap::from(parts))
}

/// The text of a value in its place.
fn written(trace: &Trace, slot: &Slot) -> String {
    let (form, place, ty) = (slot.form, slot.place, slot.code.root.ty);
    let missing = |gaps: &[Gap]| missing(gaps, place, form, matches!(slot.code.root.op, Op::Fact { .. }));
    let known = match &trace.out {
        Out::Known(known) => known,
        Out::Unknown(gaps) => return missing(gaps),
    };
    let number = |value: f64| match (form, ty.unit()) {
        (Form::Number, _) => exact(value),
        (Form::Percent, _) => human::show(value, Unit::Share),
        // A count in a command is a number for a program, not for a reader.
        (_, Some(Unit::Count)) if place == Place::Command => exact(value),
        (_, unit) => trace::number(value, unit),
    };
    let command = place == Place::Command || form == Form::Command;
    let text = |text: &str| match (command, place) {
        (true, Place::Markdown) => format!("`{}`", escape::shell(text)),
        (true, _) => escape::shell(text),
        (false, Place::Markdown) => escape::markdown(text),
        (false, _) => escape::plain(text),
    };
    match &known.value {
        Value::Num(value) => number(*value),
        Value::Series(series) => series.mean().map_or_else(|| missing(&[]), number),
        Value::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::Text(value) => text(value),
        Value::Cpus(cpus) if form == Form::Mask => mask(cpus),
        Value::Cpus(cpus) if cpus.is_empty() && !command => "no CPU".to_owned(),
        Value::Cpus(cpus) => cpus.to_string(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().take(MAX_LOOP).map(|item| text(item)).collect();
            items.join(if command { " " } else { ", " })
        }
    }
}

/// The word for an unknown value; in a command a placeholder: the fact's name, or N for what is computed.
fn missing(gaps: &[Gap], place: Place, form: Form, fact: bool) -> String {
    if place != Place::Command && form != Form::Command {
        return "unknown".to_owned();
    }
    let name = gaps.first().and_then(|gap| gap.def.path.split('.').nth(1)).filter(|_| fact);
    name.unwrap_or("n").to_uppercase()
}

fn exact(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { human::plain(value) }
}

/// The kernel's form of a mask: hexadecimal, in groups of 32 CPUs.
fn mask(cpus: &CpuSet) -> String {
    let words = cpus.iter().last().map_or(1, |last| last as usize / 32 + 1);
    let mut mask = vec![0u32; words];
    for cpu in cpus.iter() {
        mask[words - 1 - cpu as usize / 32] |= 1 << (cpu % 32);
    }
    let mut groups = mask.iter();
    let first = groups.next().map(|word| format!("{word:x}")).unwrap_or_default();
    groups.fold(first, |text, word| format!("{text},{word:08x}"))
}

/// Reads a section. `scope` has the tunables and [`super::file::PROSE_NAMES`]; spans in the error are of `text`.
pub fn compile(text: &str, scope: &Scope, title: bool) -> Result<Prose, Vec<Mistake>> {
    super::prose_scan::scan(text, scope, title)
}

/// A mistake of the prose, spans in the section's text.
pub(super) fn mistake(span: Range<usize>, title: impl Into<String>, help: &str) -> Mistake {
    Mistake::new(span, title, "here").help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::schema::keys::{cpu, nic, queue};
    use crate::facts::{Grade, Reading, SubjectId};
    use crate::rule::expr::Type;

    fn render(text: &str) -> String {
        let mut facts = Facts::new();
        let eth = Entity::new(SubjectId(0), Kind::Nic, "eth0; reboot");
        let mut put = |def, entity: &Entity, value| facts.put(def, entity, Reading::new(value, Grade::State, []));
        put(&nic::DRIVER, &eth, Value::Text("a|b*`".into()));
        put(&nic::CHANNELS_MAX, &eth, Value::Num(150_000.0));
        put(&nic::RX_TOP1, &eth, Value::Num(0.674));
        put(&nic::IRQ_CPUS, &eth, Value::Cpus(CpuSet::from_ids([0, 1, 33])));
        for (at, share) in [(0, 0.9), (1, 0.1)] {
            let entity = Entity::new(SubjectId(0), Kind::Queue, format!("eth0; reboot/{at}"));
            put(&queue::RX_SHARE, &entity, Value::Num(share));
        }
        put(&cpu::NET_RX, &Entity::new(SubjectId(0), Kind::Cpu, "0"), Value::Num(5.0));
        let mut scope = Scope::new(Kind::Nic);
        scope.names.push(("variant".to_owned(), Type::Text));
        let prose = compile(text, &scope, false).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"));
        prose.render(&facts, &eth, &[Value::Text("queue-count".into())]).unwrap()
    }

    #[test]
    fn values_are_written_for_their_place() {
        assert_eq!(render("{{ nic.rx_top1 }} of {{ nic.channels_max }}"), "67.4 % of 150 k");
        assert_eq!(render("{{ nic.driver }}"), "a\\|b\\*\\`");
        assert_eq!(
            render("```\nethtool -L {{ nic.name }} combined {{ nic.channels_max - 1 }}\n```"),
            "```\nethtool -L 'eth0; reboot' combined 149999\n```"
        );
        assert_eq!(render("`-l {{ nic.driver }}`"), "`-l 'a|b*\u{fffd}'`");
        assert_eq!(render("{{ nic.irq_cpus }} {{ nic.irq_cpus|mask }}"), "0-1,33 2,00000003");
        assert_eq!(render("{{ nic.rx_top1|num }}"), "0.67");
        assert_eq!(render("{{ lesser(nic.channels_max, 8) }}"), "8");
    }

    #[test]
    fn unknown_is_said_and_is_no_condition() {
        assert_eq!(render("{{ nic.numa_node }}"), "unknown");
        assert_eq!(render("`ethtool -L x {{ nic.channels_now }}`"), "`ethtool -L x CHANNELS_NOW`");
        assert_eq!(render("{% if nic.channels_now < 3 %}few{% else %}not few{% endif %}"), "not few");
        assert_eq!(render("{% if known(nic.channels_now) %}a{% else %}b{% endif %}"), "b");
        assert_eq!(render("{% if variant = \"queue-count\" and nic.channels_max > 3 %}a{% endif %}"), "a");
    }

    #[test]
    fn loops_go_over_the_entities_in_scope() {
        let text = "{% for q in entities(\"queue\") %}{{ q.index }}: {{ q.rx_share }}{% if not loop.last %}, {% endif %}{% endfor %}";
        assert_eq!(render(text), "0: 90 %, 1: 10 %");
        let text = "{% for q in entities(\"queue\") %}{% if q.rx_share > 50% %}{{ q.index }}{% endif %}{% endfor %}";
        assert_eq!(render(text), "0");
    }

    #[test]
    fn mistakes_have_a_place() {
        let scope = Scope::new(Kind::Nic);
        let wrong = |text: &str| compile(text, &scope, false).unwrap_err().remove(0);
        assert_eq!(wrong("a {{ nic.drivr }}").span, 5..14);
        assert_eq!(wrong("{{ nic.driver|upper }}").title, "unknown filter `upper`");
        assert!(wrong("{% include \"x\" %}").title.contains("include"));
        assert!(wrong("`echo \"{{ nic.driver }}\"`").title.contains("quotes"));
        assert!(wrong("{{ nic.driver").title.contains("not closed"));
        assert!(wrong("{% if nic.driver %}x{% endif %}").title.contains("condition"));
        assert!(wrong("{% if nic.rx_pps > 3/s %}x").title.contains("endif"));
    }
}
