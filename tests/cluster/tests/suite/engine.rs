//! InstallPlans on a real control plane.

mod apply;
mod killed;
mod permissions;
mod stage;
