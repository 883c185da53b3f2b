//! The Go readers against the values that Go's own tools give for the same files.

mod damage;
mod dumps;
mod inputs;
mod pods;
mod profiles;
mod trace_files;
mod trace_text;
mod trace_versions;
