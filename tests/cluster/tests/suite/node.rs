//! Tests on a real node: a kubelet and containerd run Pods from images of a registry.
//!
//! These tests need root and a few packages; [`is_node_left_out`](portolan_rig::is_node_left_out)
//! prints a line if they cannot run. Their images contain the programs of this build, with the
//! libraries of this machine: a static build of everything would take longer than the tests.

mod adoption;
mod caller;
mod chart;
mod container;
mod delivery;
mod deployed;
mod disruptions;
mod failures;
mod leftovers;
mod load;
mod memory;
mod memory_under_load;
mod olm;
mod operators;
mod overlays;
mod pods;
mod releases;
mod removal;
mod stage;
mod troubles;
