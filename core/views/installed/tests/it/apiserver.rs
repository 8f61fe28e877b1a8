//! Requests and whole answers.

mod answers;
mod documents;
mod mutated;
mod refusals;
mod watches;
mod world;
