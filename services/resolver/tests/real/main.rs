//! Tests of the resolver with the catalogs of real operators. These tests are a separate program
//! because they need much CPU time.

mod real_answers;
mod real_catalogs;
