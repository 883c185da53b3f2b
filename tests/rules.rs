//! The catalogue is clean, its examples hold, and a broken page is told where and how.

use std::path::Path;

use coroner::rule::{Catalogue, check, examples};

#[test]
fn the_built_in_catalogue_has_no_mistake() {
    let catalogue = Catalogue::builtin();
    assert!(catalogue.rules().len() >= 2);
    let problems = check(&catalogue);
    assert!(problems.is_empty(), "{}", coroner::rule::check::render(&problems, false));
}

#[test]
fn every_rule_has_examples_and_they_get_their_verdicts() {
    for rule in Catalogue::builtin().rules() {
        let mut problems = Vec::new();
        let count = examples::run(rule, &mut problems);
        assert!(count >= 3, "{} has {count} examples", rule.id);
        assert!(problems.is_empty(), "{}", coroner::rule::check::render(&problems, false));
    }
}

/// One snapshot per page of `tests/data/rules-broken`: all its mistakes, with place and help.
#[test]
fn broken_pages_are_told_where_and_how() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/rules-broken");
    let mut pages: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() >= 10, "{} broken pages", pages.len());
    for path in pages {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut catalogue = Catalogue::default();
        catalogue.add(&format!("rules/broken/{name}"), std::fs::read_to_string(&path).unwrap());
        let problems = check(&catalogue);
        assert!(!problems.is_empty(), "{name} passes");
        let text = coroner::rule::check::render(&problems, false);
        insta::assert_snapshot!(name.trim_end_matches(".md"), text);
    }
}
