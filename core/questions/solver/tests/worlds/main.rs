//! The proof that the solver is right: small worlds, and a slow obvious reference for all of them.
//!
//! The reference knows the objective of ADR 13 and nothing of how the solver works. It puts the
//! operators of a world on a [`Board`](board::Board), looks at every set of them
//! ([`best`]) and, to see whether a Conflict is real and minimal, holds any selection of the rules
//! against the world alone ([`possible`]).

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
