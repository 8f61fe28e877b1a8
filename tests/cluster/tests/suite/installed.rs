//! Tests the API server of Installed, with a real Kubernetes and a real OLM. The server has only
//! the permissions of the overlay.

mod balancer;
mod gone;
mod handed_over;
mod joined;
mod listed;
mod loaded;
mod modes;
mod own;
mod packaged;
mod reference;
mod reflected;
mod refused;
pub(crate) mod stage;
mod vouched;
mod watched;
