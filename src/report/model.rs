//! The report as data: what every renderer reads and what `report.json` holds (schema `coroner.report/1`).
//!
//! Built once by `report::build`; renderers compute nothing. All numbers are in base units (bytes, seconds,
//! shares 0..=1); `shown` is the same value for people.

use serde::Serialize;

use super::prose;

pub const SCHEMA: &str = "coroner.report/1";

#[derive(Clone, Debug, Serialize)]
pub struct Model {
    pub schema: &'static str,
    pub tool: Tool,
    pub bundle: Bundle,
    /// Two sentences: what happened, how sure.
    pub summary: String,
    pub coverage: Coverage,
    /// Causes first, by severity and confidence; a symptom follows later with `explained_by` set.
    pub findings: Vec<Finding>,
    pub cannot_tell: Vec<CannotTell>,
    pub ruled_out: Vec<RuledOut>,
    pub not_indicated: Vec<String>,
    pub inventory: Vec<Inventory>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    pub name: &'static str,
    pub version: &'static str,
    pub catalogue_sha256: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Bundle {
    pub name: String,
    pub sha256: String,
    /// `coroner`, `sosreport`, `root` (a /proc and /sys tree), `pastes`, `single` ...
    pub kind: String,
    pub subjects: Vec<Subject>,
    pub window: Option<Window>,
    /// False when an archive was cut or entries were lost.
    pub complete: bool,
    pub notes: Vec<Note>,
}

/// A host, a pod, or one state of a host.
#[derive(Clone, Debug, Serialize)]
pub struct Subject {
    pub host: String,
    pub pod: Option<String>,
    /// Header rows: label (Kernel, CPUs, Memory, NICs ...), value, and the line it came from.
    pub header: Vec<HeaderRow>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HeaderRow {
    pub label: String,
    pub value: String,
    pub source: Option<Quote>,
}

/// Unix seconds where the bundle has a wall clock; `seconds` is always the length.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Window {
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Note {
    /// `lost`, `refused`, `odd`, `contradiction`, `info`.
    pub kind: String,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub text: String,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    pub rules: usize,
    pub fired: usize,
    pub cannot_tell: usize,
    pub ruled_out: usize,
    pub not_indicated: usize,
    pub not_applicable: usize,
}

#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Possible,
    Likely,
    Confirmed,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Possible => "possible",
            Verdict::Likely => "likely",
            Verdict::Confirmed => "confirmed",
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct SubjectName {
    pub host: String,
    pub pod: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct EntityName {
    pub kind: String,
    pub name: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub rule: String,
    pub variant: Option<String>,
    pub verdict: Verdict,
    /// `P1` (outage) to `P4` (info).
    pub severity: String,
    pub confidence: f64,
    pub subject: SubjectName,
    pub entity: EntityName,
    /// The rule's title, filled in.
    pub title: String,
    pub window: Option<Window>,
    /// Rule id of the cause that explains this symptom.
    pub explained_by: Option<String>,
    /// Rule ids of symptoms found here that this finding explains.
    pub explains: Vec<String>,
    /// What happened, Markdown.
    pub story: String,
    pub evidence: Vec<Evidence>,
    pub charts: Vec<Chart>,
    /// Markdown of the rule's sections, filled in; empty when the page has none.
    /// In JSON each is a list of its blocks (paragraph, list, code).
    #[serde(serialize_with = "prose::as_blocks")]
    pub rule_out: String,
    #[serde(serialize_with = "prose::as_blocks")]
    pub fix_now: String,
    #[serde(serialize_with = "prose::as_blocks")]
    pub fix_for_good: String,
    #[serde(serialize_with = "prose::as_blocks")]
    pub verify: String,
    pub references: Vec<Reference>,
    /// Why the verdict is not stronger, and what would change it.
    pub limits: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Reference {
    pub title: String,
    pub url: String,
}

/// One condition of the rule and how it came out.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The rule author's sentence.
    pub says: String,
    /// `when`, `proof`, `supports`, `against`, `variant`.
    pub role: &'static str,
    /// The expression as written.
    pub expression: String,
    /// True, false, or null for unknown.
    pub holds: Option<bool>,
    /// Path of the decisive fact, its value in base units and for people.
    pub fact: Option<String>,
    pub value: serde_json::Value,
    pub shown: String,
    pub unit: Option<&'static str>,
    pub op: Option<&'static str>,
    pub threshold: serde_json::Value,
    pub threshold_shown: String,
    pub grade: Option<&'static str>,
    pub sources: Vec<Quote>,
}

/// A quoted line of the bundle, with a little context where that helps.
#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct Quote {
    pub path: String,
    /// 1-based line, or the byte offset of a binary file.
    pub line: u32,
    /// The line itself, without its end; long lines are cut at a character and `cut` is true.
    pub quote: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Lines directly before and after (a table's header line counts as before), oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<ContextLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<ContextLine>,
}

#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct ContextLine {
    pub line: u32,
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct CannotTell {
    pub rule: String,
    pub title: String,
    pub severity: String,
    pub subject: SubjectName,
    pub entity: Option<EntityName>,
    pub missing: Vec<MissingFact>,
}

#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct MissingFact {
    pub fact: String,
    pub meaning: String,
    pub reason: String,
    pub collect: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct RuledOut {
    pub rule: String,
    pub title: String,
    pub subject: SubjectName,
    pub entity: EntityName,
    /// Sentence of the condition that acquitted, and the readings.
    pub because: String,
    pub shown: String,
    pub sources: Vec<Quote>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Inventory {
    pub path: String,
    pub size: u64,
    /// Name of the parser that read it; none when nothing recognised it.
    pub kind: Option<String>,
    /// Facts and samples that came from it.
    pub facts: usize,
}

/// A chart as data. Values are in the unit named; null is a gap.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    pub id: String,
    pub title: String,
    /// One sentence that says what it shows, for those who cannot see it.
    pub alt: String,
    pub unit: &'static str,
    #[serde(flatten)]
    pub body: ChartBody,
    /// A limit to draw, with its label.
    pub limit: Option<(f64, String)>,
    /// Seconds on the time axis in which the rule held.
    pub held: Option<(f64, f64)>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ChartBody {
    /// Rows (CPUs, pods) by time columns: a heat strip. `values[row][column]`.
    Heat { rows: Vec<String>, at: Vec<f64>, values: Vec<Vec<Option<f64>>> },
    /// Lines over time, all on one axis.
    Lines { at: Vec<f64>, lines: Vec<Line> },
    /// One bar a label; `note` says what the bar lands on (CPU 3).
    Bars { bars: Vec<Bar> },
    /// A square or rectangular table of values (NUMA distances, pages).
    Matrix { rows: Vec<String>, columns: Vec<String>, values: Vec<Vec<Option<f64>>> },
}

#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub label: String,
    pub values: Vec<Option<f64>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Bar {
    pub label: String,
    pub value: f64,
    pub note: String,
    /// True for the bar that the finding is about.
    pub marked: bool,
}
