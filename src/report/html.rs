//! The report as one HTML file: style inside, no script, no outside reference. The template holds no logic
//! beyond loops; [`view`] decides what is said.

mod view;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use sha2::{Digest, Sha256};

pub use view::headline;

use super::escape;
use super::model::Model;

const STYLE: &str = include_str!("../../templates/style.css");
const PAGE: &str = include_str!("../../templates/report.html.j2");
const FINDING: &str = include_str!("../../templates/finding.html.j2");
const MACROS: &str = include_str!("../../templates/macros.html.j2");

pub fn render(model: &Model) -> String {
    let clean = escape::clean(model);
    let page = view::page(&clean, style_hash());
    let rendered = environment().and_then(|env| env.get_template("report.html")?.render(Serde(&page)));
    match rendered {
        Ok(html) => html,
        // The templates are part of the program; should one fail on odd data, say so and keep the text.
        Err(error) => format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Report</title><p>The page could not be \
             laid out: {}</p><pre>{}</pre></html>\n",
            escape::html(&error.to_string()),
            escape::html(&super::markdown::render(model))
        ),
    }
}

fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut env = Environment::new();
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    env.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    env.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    env.add_global("style", minijinja::Value::from_safe_string(STYLE.to_owned()));
    env.add_template("macros.html", MACROS)?;
    env.add_template("finding.html", FINDING)?;
    env.add_template("report.html", PAGE)?;
    Ok(env)
}

/// `sha256-...` of the style sheet for the page's content security policy.
fn style_hash() -> String {
    format!("sha256-{}", base64(&Sha256::digest(STYLE.as_bytes())))
}

/// Standard Base64 with padding (RFC 4648, 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, index| bits << 8 | u32::from(chunk.get(index).copied().unwrap_or(0)));
        for index in 0..4 {
            let six = (bits >> (18 - 6 * index) & 63) as usize;
            out.push(if index <= chunk.len() { char::from(ALPHABET[six]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        for (raw, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(raw.as_bytes()), text);
        }
    }

    #[test]
    fn style_needs_no_other_file() {
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import") && !STYLE.contains("</"));
    }
}
