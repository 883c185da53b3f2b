//! The report: what readers see. [`model::Model`] is the only thing renderers know.

pub mod model;
