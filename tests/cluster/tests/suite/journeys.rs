//! The tutorials in `docs/tutorials`, executed on a real control plane as a reader would do.
//!
//! The commands and their output are written only on the page. [`page`] parses the page, [`reader`]
//! runs its commands, and [`masks`] hides text that differs in each run. A test prepares only what
//! the section "Before you start" of its page requires.
//!
//! `PORTOLAN_WRITE_PAGES=1` writes the printed output into a page if it differs.

mod adopt;
mod diagnose;
mod generate;
mod install;
mod masks;
pub(crate) mod page;
mod plan;
mod policy;
mod publisher;
pub(crate) mod reader;
mod stage;
mod tenant;
