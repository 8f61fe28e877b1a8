//! The proof that the solver is right: small worlds, and a slow obvious reference for all of them.
//!
//! The reference implements the objective of ADR 13 independently of the solver. It puts the
//! operators of a world on a [`Board`](board::Board), and checks every set of operators ([`best`]).
//! To check that a conflict is real and minimal, it checks subsets of the rules separately
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
