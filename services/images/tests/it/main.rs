//! Tests of pulling images from registries in this process. The registries fail in many ways.

mod cache;
mod doors;
mod kit;
mod luck;
mod places;
mod pulled;
mod slow;
mod troubles;
