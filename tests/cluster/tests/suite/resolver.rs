//! The resolver and what it is fed with.

mod world;
