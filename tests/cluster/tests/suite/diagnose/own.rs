//! Tests problems of Portolan's own kinds, and the commands that the program prints for them.
//!
//! Each test creates several independent problems on one cluster. For each problem, the test runs
//! the built program and runs the commands of one printed procedure in a shell. Then it waits until
//! the program no longer reports the problem.

mod operators;
mod plans;
pub(super) mod ward;
