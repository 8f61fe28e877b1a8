//! The pages of the console, and the checks that decide which requests are accepted.
//!
//! A page is a function of a [`view`] and a [`Frame`]. The caller fills the view from the services.
//! The frame describes the visitor. [`ConsolePage`] parses the requested URL. [`Gate`] checks the
//! host and origin of a request, the visitor's cookie, and the token of a form. The checks ensure
//! that a change comes from a page of this server in the visitor's own browser.
//!
//! ```text
//! request --Gate--> ConsolePage --(the shell asks)--> view --page--> HTML
//! ```
//!
//! Pages are built from [`markup`], which escapes all text, and from the graphs of [`drawing`].
//! They work without JavaScript. With JavaScript, a page reloads when its content changes. The
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
mod paging;
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
pub use place::{
    Change, Column, ConsolePage, Filter, FirstRow, GraphFilter, Order, Sort, Unknown, Wanted,
};
pub use show::{Form, Shown};

#[cfg(test)]
mod tests;
