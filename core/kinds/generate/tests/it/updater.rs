//! Tests of the updater with different configurations and answers.

mod configuration;
mod decided;
mod seen;
