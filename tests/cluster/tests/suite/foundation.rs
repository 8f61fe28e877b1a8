//! The control plane itself: what every other area of the suite rests on.

mod audit;
mod building;
mod catalogs;
mod controllers;
mod faults;
mod json;
mod leftovers;
mod operators;
mod pods;
mod proxied;
