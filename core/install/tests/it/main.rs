//! Plans on small worlds, module by module.

mod applied;
mod collisions;
mod crash;
mod decide;
mod diff;
mod drift;
mod fields;
mod finalizer;
mod fleet;
mod handover;
mod handover_crash;
mod hostile;
mod jobs;
mod kit;
mod make;
mod manifests;
mod model;
mod permissions;
mod readiness;
mod ready;
mod removal;
mod removal_crash;
mod shell;
mod tally;
mod transform;
mod why;
