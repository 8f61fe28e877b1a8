//! The updater on a real control plane: from a ConfigMap and a growing catalog to the running
//! version.

mod broken;
mod delivered;
mod forms;
mod killed;
mod modes;
mod stage;
mod taken;
mod together;
