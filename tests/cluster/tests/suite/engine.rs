//! InstallPlans on a real control plane.

mod apply;
mod deletion;
mod first;
mod killed;
mod permissions;
mod stage;
