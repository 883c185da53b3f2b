//! The command line: what the user typed, made into calls of the library. No analysis happens here.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use coroner::bundle::{Input, read_stdin};

mod analyze;
mod explain;
mod facts;
mod rules;

/// Exit code of `analyze --fail-on` when a finding reaches the named verdict.
const FOUND: u8 = 1;
/// Exit code when nothing could be analysed, or the command line was wrong.
const FAILED: u8 = 2;

#[derive(Parser)]
#[command(
    name = "coroner",
    version,
    about = "Reads a support bundle and says what went wrong, with the lines that prove it.",
    after_help = "Examples:\n  coroner analyze bundle.zip                 report beside the bundle, summary here\n  coroner analyze sosreport.tar.xz -o out/   the same into a folder\n  coroner explain bundle.zip rss-collapse    why it fired, or did not\n  coroner facts show bundle.zip              what was understood, with file:line\n  coroner collector > collect.sh             the script that makes a bundle",
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find the cause: writes reports and prints a summary
    Analyze(analyze::Options),
    /// Why a rule fired, did not fire, or cannot tell
    Explain(explain::Options),
    /// The fact dictionary, and what a bundle says
    #[command(subcommand)]
    Facts(facts::Command),
    /// The rule catalogue: list, show, check, test
    #[command(subcommand)]
    Rules(rules::Command),
    /// Print the collector script
    Collector,
    /// Print shell completions
    #[command(hide = true)]
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// Where a bundle is and which rules judge it; shared by the commands that read bundles.
#[derive(Args, Clone)]
pub struct BundleArgs {
    /// Bundle: archive, folder, or single file; `-` reads standard input
    #[arg(required = true, value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Take only this folder of the bundle, as in `host1/before`
    #[arg(long, value_name = "FOLDER")]
    within: Option<String>,
}

impl BundleArgs {
    fn input(&self) -> anyhow::Result<Input> {
        input(std::slice::from_ref(&self.bundle))
    }
}

/// Rules beyond the built-in catalogue, and site thresholds.
#[derive(Args, Clone, Default)]
pub struct RuleArgs {
    /// Folder of more rules; a rule of the same name replaces the built-in one
    #[arg(long = "rules", value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// File with site values for the rules' tunables
    #[arg(long, value_name = "FILE")]
    tunables: Option<PathBuf>,
}

fn input(paths: &[PathBuf]) -> anyhow::Result<Input> {
    if let [only] = paths
        && only.as_os_str() == "-"
    {
        return Ok(read_stdin()?);
    }
    Ok(Input::Paths(paths.to_vec()))
}

/// Runs the command line and gives the exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let wrong = error.use_stderr();
            drop(error.print());
            return ExitCode::from(if wrong { FAILED } else { 0 });
        }
    };
    match run(cli.command) {
        Ok(code) => code,
        Err(error) => {
            if is_broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            eprintln!("coroner: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Analyze(options) => analyze::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Facts(command) => facts::run(&command),
        Command::Rules(command) => rules::run(&command),
        Command::Collector => print(include_str!("../collector/collect.sh")),
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut command_tree(), "coroner", &mut out);
            print(&String::from_utf8_lossy(&out))
        }
        Command::Man => {
            let mut out = Vec::new();
            clap_mangen::Man::new(command_tree()).render(&mut out)?;
            print(&String::from_utf8_lossy(&out))
        }
    }
}

fn command_tree() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Writes to standard output; a closed pipe ends quietly.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// Whether colours are wanted, by the conventions of NO_COLOR and CLICOLOR_FORCE.
fn colour() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("NO_COLOR") {
        return false;
    }
    if set("CLICOLOR_FORCE") {
        return true;
    }
    std::io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Width of the terminal, between 60 and 120 columns.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.or_else(|| terminal_size().map(usize::from)).unwrap_or(100).clamp(60, 120)
}

fn terminal_size() -> Option<u16> {
    terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| width)
}
