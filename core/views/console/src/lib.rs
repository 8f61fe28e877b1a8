//! The pages of the console, and who may see them.
//!
//! Views in, text out: a page is a function of a [`view`], which the caller fills in from the
//! services, and of a [`Frame`], which says for whom it is. [`Place`] reads which page a request
//! means. [`Gate`] decides whether a request is one of the visitor's own browser on a page of ours:
//! by its host, its origin, its cookie and its token.
//!
//! ```text
//! request --Gate--> Place --(the shell asks)--> view --page--> HTML
//! ```
//!
//! Pages are made of [`markup`], which escapes all text, and of the graphs that [`drawing`] draws.
//! They work without the one script; with it they change when what they show does. No clock, no
//! I/O: the crate knows nothing of sockets, clusters or services.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod asset;
pub mod drawing;
pub mod form;
mod frame;
mod gate;
pub mod markup;
mod page;
mod part;
mod place;
mod show;
pub mod view;

pub use frame::Frame;
pub use gate::{Asked, Gate, HEADERS, Refused, Standing};
pub use page::{
    applied, bundle, catalog, catalogs, diagnose, login, operator, operators, overview, package,
    plans, policies, preview, refused, search, updates,
};
pub use place::{Change, Order, Place, Unknown, Wanted};
pub use show::{Form, Shown};

#[cfg(test)]
mod tests;
