//! Tests for removals: the deleted objects, their order, and the reports.

mod leaving;
mod print;
mod properties;
mod unwanted;
mod walk;
