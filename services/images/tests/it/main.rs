//! Images are pulled from registries in this process that make trouble.

mod cache;
mod doors;
mod kit;
mod luck;
mod places;
mod pulled;
mod slow;
mod troubles;
