//! Checks the solver in many small worlds against a slow and simple reference implementation.
//!
//! The reference implements the objective of ADR 13 independently of the solver. It numbers the
//! operators of a world on a [`Board`](board::Board), and checks every set of operators ([`best`]).
//! To check that a conflict exists and is minimal, the reference checks subsets of the rules
//! ([`possible`]).

mod answers;
mod best;
mod board;
mod conflicts;
mod deppy;
mod dice;
mod generate;
mod hand_made;
mod lines;
mod meaning;
mod possible;
mod random;
mod real;
mod set;
mod solutions;
mod world;
