//! `coroner rules`: the catalogue for readers and for rule authors.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::{FOUND, RuleArgs, colour, print};
use coroner::rule::{Catalogue, Rule, check, examples, handbook, suggest};

#[derive(clap::Subcommand)]
pub enum Command {
    /// List the rules of the catalogue
    List {
        #[command(flatten)]
        rules: RuleArgs,
    },
    /// Print a rule's page
    Show {
        rule: String,
        #[command(flatten)]
        rules: RuleArgs,
    },
    /// Report every mistake of the catalogue, with file, line and help
    #[command(after_help = "Examples:\n  coroner rules check\n  coroner rules check --rules site-rules/")]
    Check {
        #[command(flatten)]
        rules: RuleArgs,
    },
    /// Run the examples of the rules
    Test {
        /// Only this rule
        rule: Option<String>,
        #[command(flatten)]
        rules: RuleArgs,
    },
    /// Write a new rule that passes the check, as a start
    #[command(after_help = "Example:\n  coroner rules new network/my-rule --dir site-rules/")]
    New {
        /// Area and id: network/my-rule
        name: String,
        #[arg(long, default_value = "rules")]
        dir: PathBuf,
    },
    /// The language of rules, for those who write them
    Handbook,
}

impl RuleArgs {
    /// The built-in catalogue with the given folders and site values. Mistakes in them are errors here.
    pub fn catalogue(&self) -> anyhow::Result<Catalogue> {
        let catalogue = self.unchecked()?;
        if !catalogue.problems().is_empty() {
            bail!("the rules have mistakes\n{}", check::render(catalogue.problems(), false));
        }
        Ok(catalogue)
    }

    fn unchecked(&self) -> anyhow::Result<Catalogue> {
        let mut catalogue = Catalogue::builtin();
        for dir in &self.dirs {
            catalogue = catalogue.with_dir(dir)?;
        }
        if let Some(path) = &self.tunables {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            catalogue = match catalogue.with_tunables(&path.to_string_lossy(), &text) {
                Ok(catalogue) => catalogue,
                Err(problems) => bail!("the site values have mistakes\n{}", check::render(&problems, false)),
            };
        }
        Ok(catalogue)
    }
}

pub fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::List { rules } => {
            let mut out = String::new();
            let mut area = "";
            let catalogue = rules.catalogue()?;
            for rule in catalogue.rules() {
                if rule.area != area {
                    area = &rule.area;
                    writeln!(out, "{area}")?;
                }
                writeln!(
                    out,
                    "  {:<26} {} per {:<13} {}",
                    rule.id,
                    rule.severity.name(),
                    rule.each.name(),
                    first_sentence(rule)
                )?;
            }
            print(&out)
        }
        Command::Show { rule, rules } => {
            let catalogue = rules.catalogue()?;
            print(&find(&catalogue, rule)?.page.text)
        }
        Command::Check { rules } => {
            let catalogue = rules.unchecked()?;
            let problems = check::check(&catalogue);
            if problems.is_empty() {
                return print(&format!("{} rules, no mistakes\n", catalogue.rules().len()));
            }
            print(&check::render(&problems, colour()))?;
            Ok(ExitCode::from(FOUND))
        }
        Command::Test { rule, rules } => {
            let catalogue = rules.catalogue()?;
            let chosen: Vec<&Rule> = match rule {
                Some(id) => vec![find(&catalogue, id)?],
                None => catalogue.rules().iter().collect(),
            };
            let (mut rows, mut problems) = (0, Vec::new());
            for rule in &chosen {
                rows += examples::run(rule, &mut problems);
            }
            if problems.is_empty() {
                return print(&format!("{} rules, {rows} examples, all as expected\n", chosen.len()));
            }
            print(&check::render(&problems, colour()))?;
            Ok(ExitCode::from(FOUND))
        }
        Command::New { name, dir } => new(name, dir),
        Command::Handbook => print(&handbook::handbook()),
    }
}

fn find<'c>(catalogue: &'c Catalogue, id: &str) -> anyhow::Result<&'c Rule> {
    match catalogue.rule(id) {
        Some(rule) => Ok(rule),
        None => match suggest::closest(id, catalogue.ids()) {
            Some(near) => bail!("no rule is called {id}: did you mean {near}?"),
            None => bail!("no rule is called {id}; `coroner rules list` shows all"),
        },
    }
}

fn first_sentence(rule: &Rule) -> String {
    rule.when.first().or_else(|| rule.proof.first()).map(|condition| condition.says.clone()).unwrap_or_default()
}

fn new(name: &str, dir: &std::path::Path) -> anyhow::Result<ExitCode> {
    let fits =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let Some((area, id)) = name.split_once('/').filter(|(area, id)| fits(area) && fits(id)) else {
        bail!("name the rule as area/id in small letters, digits and hyphens: network/my-rule");
    };
    let path = dir.join(area).join(format!("{id}.md"));
    if path.exists() {
        bail!("{} exists already", path.display());
    }
    std::fs::create_dir_all(dir.join(area)).with_context(|| format!("cannot make {}", dir.join(area).display()))?;
    std::fs::write(&path, handbook::TEMPLATE).with_context(|| format!("cannot write {}", path.display()))?;
    print(&format!("wrote {}; edit it, then run `coroner rules check --rules {}`\n", path.display(), dir.display()))?;
    Ok(ExitCode::SUCCESS)
}
