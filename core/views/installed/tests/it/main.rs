//! Tests that compare Installed objects with a slow reference implementation, and tests of special
//! cases.

mod apiserver;
mod history;
mod own;
mod properties;
mod reference;
mod stories;
mod world;
