//! Tests of InstallPlans of `plans.portolan.dev` on a real control plane: the requests that the API
//! server accepts, the users that may send them, and the execution of plans by the controller.

mod apply;
mod certificates;
mod crds;
mod deletion;
mod drift;
mod enabled;
mod faults;
mod first;
mod ground;
mod hooks;
mod immutable;
mod jobs;
mod killed;
mod lifecycle;
mod live;
mod many;
mod mutated;
mod named;
mod permissions;
mod permitted;
mod pods;
mod ready;
mod removed;
mod replaced;
mod rest;
mod size;
mod stage;
mod stored;
mod transform;
mod upgraded;
