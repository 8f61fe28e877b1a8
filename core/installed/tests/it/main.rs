//! Installed against a slow reference, and what is said of single worlds.

mod properties;
mod reference;
mod stories;
mod world;
