//! Updates of Operators for the configurations and answers of these tests.

mod configuration;
mod decided;
mod seen;
