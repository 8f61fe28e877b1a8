//! InstallPlans on a real control plane.

mod apply;
mod deletion;
mod killed;
mod permissions;
mod stage;
