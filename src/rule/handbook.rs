//! The handbook for rule authors and the page that `coroner rules new` starts from. The tables are those that
//! the check itself goes by, so that the handbook cannot lag behind.

use super::expr::funcs::{FUNCS, QUANTS};
use super::file::PROSE_NAMES;
use super::page::HEADINGS;
use super::prose::FILTERS;
use crate::facts::Kind;
use crate::units::literal::SUFFIXES;

/// Keys of the front matter and what they mean, in the order of a page.
pub const KEYS: &[(&str, &str)] = &[
    ("severity", "P1 (outage), P2 (users notice), P3 (costs, or will bite), P4 (for information)"),
    ("severity_if", "`P2: condition` lines; the first that holds replaces the severity"),
    ("each", "kind of entity the rule looks at, one by one; `host` when absent"),
    (
        "applies",
        "one condition; where it is false the rule is not applicable, where it is unknown the rule is evaluated",
    ),
    ("needs", "prerequisites on the data; one that is false makes the verdict *cannot tell*"),
    ("when", "necessary conditions: every one must hold, one that is false ends it (*not indicated*)"),
    ("proof", "direct evidence with one meaning only: one that holds confirms"),
    ("supports", "corroborating conditions: one makes it *likely*, two from different files *confirmed*"),
    ("against", "refuting conditions: one that holds acquits (*refuted*)"),
    ("lower", "each condition that holds lowers the severity by one"),
    ("cap_likely", "a condition that holds keeps the verdict at *likely*"),
    ("cap_possible", "a condition that holds keeps the verdict at *possible*"),
    ("variants", "names and conditions in order; the first that holds is the variant of the finding"),
    ("alone", "`likely` when the necessary conditions alone mean one thing only; a second file then confirms"),
    ("state", "`true` for rules that hold on an idle host too: configuration, or shares of a small group"),
    ("explains", "rules whose findings are symptoms of this one"),
    ("charts", "`heat FACT`, `bars FACT`, `lines FACT FACT`, `matrix FACT`"),
    ("tunables", "numbers that a site may set, with their unit: `soft_floor: 70%`"),
];

/// The handbook, Markdown.
pub fn handbook() -> String {
    let mut out = String::from(INTRO);
    out.push_str("\n## Front matter\n\n| key | meaning |\n|---|---|\n");
    KEYS.iter().for_each(|(key, doc)| out.push_str(&format!("| `{key}` | {doc} |\n")));
    out.push_str("\n## Sections\n\nAfter the title (`# ...`, one line) comes what happened, in plain words, then:\n\n");
    for (heading, required) in HEADINGS {
        out.push_str(&format!("- `## {heading}`{}\n", if *required { "" } else { " (optional)" }));
    }
    out.push_str(
        "\n## Functions over entities\n\n`f(kind, expression, where condition)`; `where` is optional. Kinds: ",
    );
    let kinds: Vec<String> = Kind::ALL.iter().map(|kind| format!("`{kind}`")).collect();
    out.push_str(&format!("{}.\n\n| function | value |\n|---|---|\n", kinds.join(", ")));
    QUANTS.iter().for_each(|(name, _, doc)| out.push_str(&format!("| `{name}` | {doc} |\n")));
    out.push_str("\n## Functions of values\n\n| function | value |\n|---|---|\n");
    FUNCS.iter().for_each(|entry| out.push_str(&format!("| `{}` | {} |\n", entry.usage, entry.doc)));
    let units: Vec<String> = SUFFIXES.iter().map(|(name, ..)| format!("`{name}`")).collect();
    out.push_str(&format!("\n## Units\n\n{}; with `/s` behind them per second.\n", units.join(" ")));
    let filters: Vec<String> = FILTERS.iter().map(|(name, _)| format!("`|{name}`")).collect();
    let names: Vec<String> = PROSE_NAMES.iter().map(|name| format!("`{name}`")).collect();
    out.push_str(&PROSE.replace("FILTERS", &filters.join(", ")).replace("NAMES", &names.join(", ")));
    out.push_str(EXAMPLES);
    out
}

const INTRO: &str = "\
# Writing rules

A rule is one Markdown page: `rules/<area>/<rule-id>.md`. `coroner rules new AREA/ID` starts one, `coroner rules check` finds its mistakes,
`coroner rules test` runs its examples, `coroner explain BUNDLE RULE` shows how it came to its verdict. `coroner facts list` names every fact.

Each condition is a sentence and an expression: `one CPU drowns in softirq: host.soft_hot >= 70%`. The sentence stands in the report beside
the reading, its threshold and the line of the bundle. Expressions know `and or not`, `= != < <= > >=`, `+ - * /`, `in [\"a\", \"b\"]`, text in quotes
and quantities with units. A fact that the bundle does not hold is unknown, and so is what hangs on it, unless the rest decides: `false and unknown`
is false, `true or unknown` is true. A series where one number is asked for is its mean over the window.

`nic.driver` speaks of the entity of the rule (or of a function around it), `host.*` of its host, `nic.*` in a rule on queues of the queue's NIC,
`this.*` always of the rule's own entity. `cpu.id`, `queue.index`, `nic.name` are the entity's number and name.

What is measured over an interval counts in full. A mean since boot or a single reading of something that moves keeps the verdict at *possible*
when it speaks for the rule, and does not acquit when it speaks against.
";

const PROSE: &str = "
## Values in the text

`{{ expression }}` prints a value with its unit; FILTERS change how. `{% if condition %} ... {% elif %} ... {% else %} ... {% endif %}`: unknown
is false. `{% for q in entities(\"queue\") %}{{ q.rx_share }}{% endfor %}` goes over at most 32. NAMES are the finding's own. Text of a
bundle is escaped in sentences and quoted in commands: write no quotes around it. An unknown value is the word *unknown* in a sentence and a
placeholder in capitals in a command.
";

const EXAMPLES: &str = "
## Examples

A table with facts as columns and a `verdict` column (a case per row), or with `fact` as first cell and a case per column. At least one case each
that fires, stays quiet and cannot tell. Cells: quantities, `true` or `false`, text, CPUs as `0-3`, series as `[90, 95]%` or `90% for 30s` (a sample
a second), `?` or nothing for unknown, `-` for an entity that is not there, `n/a` for what the host does not have. `40%@boot` and `40%@once` are weak
readings. Columns may name entities: `cpu[0].soft`, `cpu[1-7].soft`, `cgroup[batch.slice].cpu_used`; `variant` and `severity` are checked where given.
";

/// A page to start from; it passes the check.
pub const TEMPLATE: &str = "\
---
severity: P3
each: disk
when:
  requests wait long: disk.await >= await_floor
supports:
  tasks wait for it: host.psi_io_some >= 10%
against:
  it is all but idle: disk.iops < 1/s
explains: []
charts: [lines disk.await]
tunables: { await_floor: 50ms }
---
# {{ disk.name }} takes {{ disk.await }} per request

Say in plain words what happened and why it hurts.

## Rule out

- What else looks like this, and how to tell.

## Fix now

```
a command with {{ disk.name }}
```

Risk: say it. Undo: say how.

## Fix for good

The setting that survives a reboot or a deploy.

## Verify

`iostat -xz 1 10`: the reading to expect.

## References

- [I/O statistics fields](https://docs.kernel.org/admin-guide/iostats.html)

## Examples

| example | disk.await | disk.iops | host.psi_io_some | verdict |
|---|---|---|---|---|
| slow, and felt | 80ms | 200/s | 30% | likely |
| fast | 2ms | 200/s | 0% | not-indicated |
| no iostat | ? | ? | 30% | cannot-tell |
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::check::{check, render};
    use crate::rule::{Catalogue, file};

    #[test]
    fn the_handbook_names_every_key_and_the_template_is_clean() {
        let keys: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, file::KEYS);
        let mut catalogue = Catalogue::default();
        catalogue.add("rules/storage/new.md", TEMPLATE.to_owned());
        assert_eq!(render(&check(&catalogue), false), "");
        assert!(handbook().contains("| `sustained(series, above=x, for=10s)` |"));
    }
}
