//! Tests the updater on a real control plane. The inputs are a ConfigMap and a catalog that gets
//! new versions. The result is the running version.

mod broken;
mod delivered;
mod forms;
mod killed;
mod modes;
mod stage;
mod taken;
mod together;
