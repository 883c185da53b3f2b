//! The rich model with every string of the bundle and the rules replaced by what an attacker would write.

use coroner::report::model::*;
use coroner::report::walk::{self, Kind};

/// What every one-line string holds.
pub const LINE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> ]]> --> `tick` ``` | pipe \\| $x$ {{ 7*7 }} {% raw %} \
                        \u{1b}[31mred\u{1b}]8;;http://evil.example\u{7} \u{202e}txet\u{2066} \u{9b}2J \0 nul \r\n## heading\n\n[a](javascript:alert(1)) \
                        ![i](https://evil.example/i.png) \u{200b}</style></svg></title><!-- https://ok.example";

/// What every section of a rule page holds.
pub const PROSE: &str = "para <script>alert(1)</script> {{ 7*7 }} \u{1b}[2J\u{202e}\n\n<div onclick=alert(1)>block</div>\n\n<style>*{display:none}</style>\n\n\
                         ![i](https://evil.example/i.png) [a](javascript:alert(1)) [b](data:text/html,x) <javascript:alert(2)>\n\n```sh\nrm `x` | </code></pre><script>\n```\n\n\
                         # heading\n\n| a | b |\n| - | - |\n| <b>x</b> | ]]> |\n";

pub fn model() -> Model {
    let mut model = super::rich::model();
    walk::strings(&mut model, &mut |kind, text| {
        *text = match kind {
            Kind::Line => LINE.to_owned(),
            Kind::Prose => PROSE.to_owned(),
        }
    });
    // Severities and kinds of notes are the program's own words.
    let ours = super::rich::model();
    for (finding, own) in model.findings.iter_mut().zip(ours.findings) {
        finding.severity = own.severity;
    }
    for (note, own) in model.bundle.notes.iter_mut().zip(ours.bundle.notes) {
        note.kind = own.kind;
    }
    // The chain of symptoms must survive: rules keep one name each, hostile too.
    for (index, finding) in model.findings.iter_mut().enumerate() {
        finding.rule = format!("{LINE}{index}");
        finding.explained_by = (index == 1 || index == 2).then(|| format!("{LINE}0"));
    }
    model
}
