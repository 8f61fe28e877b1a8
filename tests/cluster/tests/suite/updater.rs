//! The updater on a real control plane: from a ConfigMap and a catalog that grows to the version that runs.

mod broken;
mod delivered;
mod forms;
mod killed;
mod modes;
mod stage;
mod taken;
mod together;
