//! Coroner
