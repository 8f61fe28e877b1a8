//! Tests of the program `portolan` as users and orchestrators run it: a process with arguments,
//! environment variables, output, signals and an exit code.
//!
//! The tests do not depend on the implementation. Each test runs the binary with only PATH in its
//! environment. Ports are chosen by the operating system. No test waits for a fixed time.

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
mod previews;
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
