//! `coroner facts`: the dictionary, and what a bundle says.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

use super::{BundleArgs, print};
use coroner::analysis::Analysis;
use coroner::facts::{Reading, Source, dictionary, schema};
use coroner::report::show;

#[derive(clap::Subcommand)]
pub enum Command {
    /// List every fact that rules can read
    List {
        /// Only paths that contain this text
        filter: Option<String>,
        /// As the Markdown page of the documentation
        #[arg(long, hide = true)]
        markdown: bool,
    },
    /// Show what a bundle says, with file and line
    #[command(
        after_help = "Examples:\n  coroner facts show bundle.zip\n  coroner facts show bundle.zip nic.\n  coroner facts show bundle.zip cpu.soft --raw"
    )]
    Show {
        #[command(flatten)]
        bundle: BundleArgs,
        /// Only fact paths that start with this text
        path: Option<String>,
        /// Raw counters and gauges too
        #[arg(long)]
        raw: bool,
    },
}

pub fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::List { markdown: true, .. } => print(&dictionary::page()),
        Command::List { filter, .. } => {
            let mut out = String::new();
            for fact in
                schema::all().filter(|fact| filter.as_ref().is_none_or(|text| fact.path.contains(text.as_str())))
            {
                writeln!(out, "{:<34} {:<18} {}", fact.path, dictionary::type_name(fact.ty), fact.doc)?;
            }
            print(&out)
        }
        Command::Show { bundle, path, raw } => {
            let analysis = Analysis::read(&bundle.input()?, bundle.within.as_deref())?;
            print(&shown(&analysis, path.as_deref().unwrap_or_default(), *raw)?)
        }
    }
}

fn shown(analysis: &Analysis, prefix: &str, raw: bool) -> anyhow::Result<String> {
    let mut out = String::new();
    let place = |source: &Source| match analysis.loaded.raw.path(source.artifact) {
        Some(path) => format!("{}:{}", clean(path), source.line),
        None => String::new(),
    };
    let mut subject = None;
    let mut rows: BTreeMap<_, Vec<(&str, &[Reading])>> = BTreeMap::new();
    for (path, entity, readings) in analysis.facts().iter().filter(|(path, _, _)| path.starts_with(prefix)) {
        rows.entry(entity).or_default().push((path, readings));
    }
    for (entity, facts) in &rows {
        if subject != Some(entity.subject) {
            subject = Some(entity.subject);
            writeln!(out, "# {}", clean(&analysis.subject_name(entity.subject)))?;
        }
        writeln!(out, "{}", clean(&entity.to_string()))?;
        for (path, readings) in facts {
            let Some(best) = readings.first() else { continue };
            let unit = schema::find(path).and_then(|fact| fact.unit());
            let from: Vec<String> = best.sources.iter().take(3).map(&place).collect();
            let value = clean(&show::value(&best.value, unit));
            let more = if readings.len() > 1 { format!(" (+{})", readings.len() - 1) } else { String::new() };
            writeln!(out, "  {path:<32} {value:<24} {:<14} {}{more}", best.grade.name(), from.join(" "))?;
        }
    }
    if raw {
        writeln!(out, "\n# Raw samples")?;
        for (family, entity, metric, samples) in analysis.facts().iter_samples() {
            if !prefix.is_empty() && !family.starts_with(prefix) && !metric.starts_with(prefix) {
                continue;
            }
            let values: Vec<String> = samples.iter().take(4).map(|sample| sample.value.to_string()).collect();
            let from = samples.first().map(|sample| place(&sample.source)).unwrap_or_default();
            writeln!(out, "{family} {} {} = {}  {from}", clean(&entity.to_string()), clean(metric), values.join(" "))?;
        }
    }
    if prefix.is_empty() {
        writeln!(out, "\n# Files")?;
        for file in analysis.inventory() {
            let kind = file.kind.as_deref().unwrap_or("not recognised");
            writeln!(out, "{:<28} {:>7} values  {}", kind, file.facts, clean(&file.path))?;
        }
        let notes: Vec<_> = analysis.notes().collect();
        if !notes.is_empty() {
            writeln!(out, "\n# Notes")?;
        }
        for note in notes {
            let line = note.line.map(|line| format!(":{line}")).unwrap_or_default();
            writeln!(out, "{}{line}: {}", clean(&note.path), clean(&note.text))?;
        }
    }
    Ok(out)
}

/// Text of the bundle, safe for a terminal.
fn clean(text: &str) -> String {
    coroner::report::escape::visible(text, false).into_owned()
}
