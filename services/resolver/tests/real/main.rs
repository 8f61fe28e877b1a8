//! Tests the resolver with the catalogs of real operators. They are a separate program because they
//! need much CPU time.

mod real_answers;
mod real_catalogs;
