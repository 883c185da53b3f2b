//! Whatever an author (or a hostile `--rules` folder) writes, the check answers and does not fall over.

use coroner::facts::Kind;
use coroner::rule::expr::{Scope, compile};
use coroner::rule::{Catalogue, check, handbook, prose};
use proptest::prelude::*;

/// Words of the language in any order reach further than random bytes.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "cpu",
        "cpu.soft",
        "nic.driver",
        "nic.rx_pps",
        "queue.rx_share",
        "max",
        "any",
        "sustained",
        "(",
        ")",
        ",",
        "and",
        "or",
        "not",
        "in",
        "[",
        "]",
        "where",
        ">",
        "<=",
        "=",
        "+",
        "-",
        "*",
        "/",
        "70%",
        "10s",
        "5000/s",
        "\"x\"",
        "above=",
        "for=",
        "ä",
        "known",
        "{{",
        "}}",
        "{%",
        "%}",
        "if",
        "endif",
        "for q in entities(\"queue\")",
        "endfor",
        "`",
        "```",
        "\n",
        "|num",
        "'",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn expressions_and_prose_never_panic(text in prop_oneof![words(), any::<String>()]) {
        let scope = Scope::new(Kind::Nic);
        let _ = compile(&text, &scope, None);
        let _ = prose::compile(&text, &scope, false);
    }

    #[test]
    fn damaged_pages_never_panic(from in 0usize..1200, len in 0usize..60, text in prop_oneof![words(), any::<String>()]) {
        let mut page: Vec<char> = handbook::TEMPLATE.chars().collect();
        let from = from.min(page.len());
        let to = (from + len).min(page.len());
        page.splice(from..to, text.chars());
        let mut catalogue = Catalogue::default();
        catalogue.add("rules/storage/new.md", page.into_iter().collect());
        for problem in check(&catalogue) {
            let _ = problem.render(false);
        }
    }
}

#[test]
fn deep_and_long_expressions_are_refused() {
    let scope = Scope::new(Kind::Nic);
    for text in ["(".repeat(1500), "not ".repeat(400), "-".repeat(1500), "max(cpu,".repeat(200), "1+".repeat(5000)] {
        assert!(compile(&text, &scope, None).is_err());
    }
}
