//! Installed against a slow reference, and what is said of single worlds.

mod apiserver;
mod history;
mod own;
mod properties;
mod reference;
mod stories;
mod world;
