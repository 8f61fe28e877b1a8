//! `portolan` as people and orchestrators meet it: a process with arguments, an environment,
//! output, signals and an exit code.
//!
//! Nothing here knows how the program is built. Every test runs the binary in an environment with
//! nothing but PATH, on ports that the system chooses, and no test waits by the clock.

mod answers;
mod help;
mod life;
mod one_answer;
mod program;
mod readme;
mod refusals;
mod serving;
mod silence;
mod traces;
