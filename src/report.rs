//! The report: what readers see. [`model::Model`] is the only thing renderers know.

pub mod build;
pub mod chart;
pub mod charts;
pub mod escape;
pub mod html;
pub mod json;
pub mod mark;
pub mod markdown;
pub mod model;
pub mod number;
pub mod outline;
pub mod prose;
pub mod redact;
pub mod show;
pub mod terminal;
pub mod walk;
