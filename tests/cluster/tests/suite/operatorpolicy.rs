//! What the controller does about policies on a real API server.

mod bare;
mod lease;
mod write;
