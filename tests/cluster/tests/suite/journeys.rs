//! The tutorials in `docs/tutorials`, followed on a real control plane as a reader follows them.
//!
//! A page is the only copy of its commands and of their output. [`page`] reads the page, [`reader`]
//! runs its commands, and [`masks`] hides text that differs in each run. A test prepares only what
//! the section "Before you start" of its page requires.
//!
//! `PORTOLAN_WRITE_PAGES=1` writes the printed output into a page where it differs.

mod adopt;
mod diagnose;
mod generate;
mod install;
mod masks;
mod page;
mod plan;
mod policy;
mod publisher;
mod reader;
mod stage;
mod tenant;
