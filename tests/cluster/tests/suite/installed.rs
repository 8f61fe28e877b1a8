//! Installed behind a real API server with a real OLM, as it is delivered: with the rights of the overlay and no
//! more.

mod balancer;
mod gone;
mod handed_over;
mod joined;
mod loaded;
mod modes;
mod own;
mod packaged;
mod reference;
mod reflected;
mod refused;
mod stage;
mod told;
mod vouched;
mod watched;
