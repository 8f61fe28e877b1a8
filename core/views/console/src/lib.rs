//! The pages of the console, and the access checks for requests.
//!
//! A page is a function of a [`view`], which the caller fills from the services, and of a
//! [`Frame`], which describes the visitor. [`ConsolePage`] parses the requested URL. [`Gate`]
//! checks that a request comes from the visitor's own browser and from a page of this server: it
//! checks the host, the origin, the cookie and the token.
//!
//! ```text
//! request --Gate--> ConsolePage --(the shell asks)--> view --page--> HTML
//! ```
//!
//! Pages are built from [`markup`], which escapes all text, and from the graphs of [`drawing`].
//! They work without their script. With the script, they refresh when their content changes. The
//! crate uses no clock and no I/O: no sockets, no clusters and no services.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod asset;
pub mod drawing;
pub mod form;
mod frame;
mod gate;
mod list;
pub mod markup;
mod page;
mod part;
mod place;
mod show;
pub mod view;

pub use frame::Frame;
pub use gate::{Asked, Gate, HEADERS, Refused, VisitorState};
pub use page::{
    applied, bundle, catalog, catalogs, diagnose, installs, login, object, operator, operators,
    overview, package, plans, policies, preview, readiness, refused, search, updates,
};
pub use place::{Change, Column, ConsolePage, Filter, GraphFilter, Order, Sort, Unknown, Wanted};
pub use show::{Form, Shown};

#[cfg(test)]
mod tests;
