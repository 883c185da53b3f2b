//! Writes the table of rule pages that is compiled into the program.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=rules");
    println!("cargo:rerun-if-changed=build.rs");
    let home = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut pages = Vec::new();
    find(&home.join("rules"), &mut pages)?;
    pages.sort();
    let mut table = String::from(
        "/// Path in the repository and text of every built-in page, sorted.\nstatic PAGES: &[(&str, &str)] = &[\n",
    );
    for page in pages {
        let path = page.strip_prefix(&home).unwrap_or(&page).to_string_lossy().replace('\\', "/");
        table.push_str(&format!("    ({path:?}, include_str!({:?})),\n", page.to_string_lossy()));
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("catalogue.rs"), table)
}

fn find(dir: &Path, pages: &mut Vec<PathBuf>) -> io::Result<()> {
    if !dir.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            find(&path, pages)?;
        } else if path.extension().is_some_and(|ext| ext == "md")
            && path.file_stem().is_some_and(|stem| stem != "README")
        {
            pages.push(path);
        }
    }
    Ok(())
}
