//! Updates of Operators for different configurations and answers.

mod configuration;
mod decided;
mod seen;
