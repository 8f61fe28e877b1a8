//! Runs `portolan` in the same way as users and orchestrators: as a process with arguments, an
//! environment, output, signals and an exit code.
//!
//! The tests do not depend on the implementation. Every test runs the binary with only PATH in its
//! environment, on ports that the system chooses. No test waits for a fixed time.

mod adopt;
mod answers;
mod approve;
mod as_olm;
mod bundle;
mod catalogs;
mod channelless;
mod colors;
mod compose;
mod console;
mod controller;
mod copies;
mod diagnose;
mod explain;
mod former_names;
mod further_updates;
mod generate;
mod graph;
mod health;
mod help;
mod hops;
mod installed;
mod installers;
mod man;
mod olm_v1;
mod operator_commands;
mod packages;
mod path;
mod pictures;
mod plan;
mod plugin;
mod policy;
mod program;
mod queries;
mod readiness;
mod readme;
mod refusals;
mod resolve;
mod resolver_process;
mod restricted;
mod review;
mod route;
mod same_answers;
mod serving;
mod spellings;
mod stale;
mod subscribed;
mod terminal;
mod traces;
mod unreachable_servers;
mod up;
