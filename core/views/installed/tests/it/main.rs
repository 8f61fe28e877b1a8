//! Compares Installed with a slow reference, and tests special cases.

mod apiserver;
mod history;
mod own;
mod properties;
mod reference;
mod stories;
mod world;
