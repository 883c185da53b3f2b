//! Generated pages of the documentation are fresh. `UPDATE_DOCS=1 cargo test --test docs` writes them anew.

use std::path::Path;

fn fresh(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let have = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(have == text, "docs/{name} is stale: UPDATE_DOCS=1 cargo test --test docs");
}

#[test]
fn fact_dictionary() {
    fresh("facts.md", &coroner::facts::dictionary::page());
}
