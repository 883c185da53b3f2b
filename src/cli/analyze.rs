//! `coroner analyze`: bundles in, reports out, a summary on the terminal.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;

use super::{FOUND, RuleArgs, colour, input, print, width};
use coroner::analysis::{Analysis, stem};
use coroner::rank::rank;
use coroner::report::model::{Model, Verdict};
use coroner::report::{build, html, json, markdown, redact, terminal};
use coroner::rule::evaluate;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  coroner analyze bundle.zip\n  coroner analyze lab.tar.gz --within lab/before -o out/\n  tar c proc cmd | coroner analyze -\n  coroner analyze a.zip --fail-on likely && deploy\n\nExit codes: 0 analysed, 1 only with --fail-on, 2 could not analyse."
)]
pub struct Options {
    /// Bundles: archives, folders or files; several loose files make one bundle with --together; `-` is standard input
    #[arg(required = true, value_name = "BUNDLE")]
    bundles: Vec<PathBuf>,
    /// Treat all given paths as one bundle (pods of one workload, loose pastes)
    #[arg(long)]
    together: bool,
    /// Take only this folder of the bundle, as in `host1/before`
    #[arg(long, value_name = "FOLDER")]
    within: Option<String>,
    /// Write reports here instead of beside the bundle
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Which reports to write
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Format::Html, Format::Md, Format::Json])]
    format: Vec<Format>,
    #[command(flatten)]
    rules: RuleArgs,
    /// Exit 1 when a cause is found at this verdict or above
    #[arg(long, value_enum, value_name = "VERDICT")]
    fail_on: Option<FailOn>,
    /// Mask host names, addresses, users and paths in all reports
    #[arg(long)]
    redact: bool,
    /// No summary on the terminal
    #[arg(short, long)]
    quiet: bool,
    /// Print the JSON report instead of the summary, and write no files
    #[arg(long, conflicts_with_all = ["quiet", "out"])]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Html,
    Md,
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    Possible,
    Likely,
    Confirmed,
}

impl FailOn {
    fn verdict(self) -> Verdict {
        match self {
            FailOn::Possible => Verdict::Possible,
            FailOn::Likely => Verdict::Likely,
            FailOn::Confirmed => Verdict::Confirmed,
        }
    }
}

pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let groups: Vec<Vec<PathBuf>> = if options.together {
        vec![options.bundles.clone()]
    } else {
        options.bundles.iter().map(|path| vec![path.clone()]).collect()
    };
    let mut found = false;
    let mut failed = None;
    for group in &groups {
        match one(options, group) {
            Ok(reached) => found |= reached,
            Err(error) if groups.len() > 1 => {
                eprintln!("coroner: {error:#}");
                failed = Some(super::FAILED);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(ExitCode::from(failed.unwrap_or(if found { FOUND } else { 0 })))
}

/// Analyses one bundle; true when `--fail-on` is reached.
fn one(options: &Options, paths: &[PathBuf]) -> anyhow::Result<bool> {
    let input = input(paths)?;
    let catalogue = options.rules.catalogue()?;
    let mut analysis = Analysis::read(&input, options.within.as_deref())?;
    let ranked = rank(&catalogue, evaluate(&catalogue, analysis.facts()));
    let mut model = build::model(&mut analysis, &catalogue, &ranked, &input);
    drop(analysis);
    if options.redact {
        redact::redact(&mut model, &[]);
    }
    if options.json {
        print(&json::render(&model))?;
    } else {
        let base = base_name(options, paths);
        let written = write(&model, &base, &options.format)?;
        if !options.quiet {
            let mut text = terminal::render(&model, width(), colour());
            for path in written {
                text.push_str(&format!("  {}\n", path.display()));
            }
            print(&text)?;
        }
    }
    let floor = options.fail_on.map(FailOn::verdict);
    Ok(floor.is_some_and(|floor| {
        model.findings.iter().any(|finding| finding.explained_by.is_none() && finding.verdict >= floor)
    }))
}

/// Path of the reports without their suffix: beside the bundle, or in the folder asked for.
fn base_name(options: &Options, paths: &[PathBuf]) -> PathBuf {
    let first = paths.first().map(PathBuf::as_path).unwrap_or(Path::new("-"));
    let absolute = first.canonicalize().unwrap_or_else(|_| first.to_owned());
    let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut name = if name.is_empty() || name == "-" { "stdin".to_owned() } else { stem(&name).to_owned() };
    if let Some(within) = &options.within {
        let last = within.trim_matches('/').rsplit('/').next().unwrap_or_default();
        name = format!("{name}.{last}");
    }
    let folder = match &options.out {
        Some(folder) => folder.clone(),
        None if first.as_os_str() == "-" => PathBuf::from("."),
        None => first.parent().map(Path::to_owned).unwrap_or_default(),
    };
    folder.join(name)
}

fn write(model: &Model, base: &Path, formats: &[Format]) -> anyhow::Result<Vec<PathBuf>> {
    if let Some(folder) = base.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut written = Vec::new();
    for (format, suffix) in [(Format::Html, "html"), (Format::Md, "md"), (Format::Json, "json")] {
        if !formats.contains(&format) {
            continue;
        }
        let text = match format {
            Format::Html => html::render(model),
            Format::Md => markdown::render(model),
            Format::Json => json::render(model),
        };
        let path = base.with_file_name(format!(
            "{}.report.{suffix}",
            base.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        ));
        std::fs::write(&path, text)
            .with_context(|| format!("cannot write {}; name another folder with -o", path.display()))?;
        written.push(path);
    }
    Ok(written)
}
