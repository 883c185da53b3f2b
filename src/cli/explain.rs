//! `coroner explain`: the whole reasoning of one rule on one bundle.

use std::process::ExitCode;

use anyhow::bail;

use super::{BundleArgs, RuleArgs, print};
use coroner::analysis::Analysis;
use coroner::rule::{evaluate, explain, suggest};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  coroner explain bundle.zip rss-collapse\n  coroner explain bundle.zip rss-collapse eth0"
)]
pub struct Options {
    #[command(flatten)]
    bundle: BundleArgs,
    /// Rule id, as in `coroner rules list`
    rule: String,
    /// Only this entity (a NIC, a cgroup, a disk ...)
    entity: Option<String>,
    #[command(flatten)]
    rules: RuleArgs,
}

pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let catalogue = options.rules.catalogue()?;
    let Some(rule) = catalogue.rule(&options.rule) else {
        match suggest::closest(&options.rule, catalogue.ids()) {
            Some(near) => bail!("no rule is called {}: did you mean {near}?", options.rule),
            None => bail!("no rule is called {}; `coroner rules list` shows all", options.rule),
        }
    };
    let analysis = Analysis::read(&options.bundle.input()?, options.bundle.within.as_deref())?;
    let outcomes: Vec<_> = evaluate(&catalogue, analysis.facts())
        .into_iter()
        .filter(|outcome| outcome.rule == options.rule)
        .filter(|outcome| options.entity.as_ref().is_none_or(|name| *outcome.entity.name == **name))
        .collect();
    if outcomes.is_empty() {
        bail!("{} says nothing of {}", options.rule, options.entity.as_deref().unwrap_or("this bundle"));
    }
    let mut text = String::new();
    for outcome in &outcomes {
        if analysis.facts().subjects().len() > 1 {
            text.push_str(&format!("# {}\n", analysis.subject_name(outcome.entity.subject)));
        }
        text.push_str(&explain::explain(rule, outcome, &|source| {
            Some((analysis.loaded.raw.path(source.artifact)?.to_owned(), source.line))
        }));
        text.push('\n');
    }
    print(&text)
}
