//! The Go readers against the values that Go's own tools give for the same files.

mod inputs;
mod pods;
mod trace_versions;
