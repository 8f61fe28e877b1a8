//! What is removed, in which order, and what is said of it.

mod leaving;
mod print;
mod properties;
mod unwanted;
mod walk;
