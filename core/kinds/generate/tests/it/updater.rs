//! What becomes of Operators, from configurations and answers that are written down here.

mod configuration;
mod decided;
mod seen;
