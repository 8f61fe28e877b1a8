//! Tests of requests and their complete responses.

mod answers;
mod documents;
mod mutated;
mod refusals;
mod watches;
mod world;
