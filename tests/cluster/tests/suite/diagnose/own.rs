//! Problems of the kinds of Portolan, and the commands that the program prints for them.
//!
//! Each test creates several problems on one cluster. The problems must not affect each other. For
//! each problem, the test runs the built program, executes the steps of one printed procedure in a
//! shell, and waits until the program no longer reports the problem.

mod operators;
mod plans;
pub(super) mod ward;
