//! Parses requests to an API server for Installed objects, and writes the responses.
//!
//! ```text
//! method, path, query --> Request --> Attributes                       may the user do that?
//!                            |
//!                     Accept |--> Question --> Snapshot --> Written, Listing    get, list
//!                            |                 Batch    --> Frames              watch
//!                            \--> Documents                                     discovery, OpenAPI
//! ```
//!
//! The module implements the HTTP conventions that kubectl, other clients and API servers expect.
//! The other modules of the crate define what an Installed is. The module has no connections,
//! certificates or clock. Its caller authenticates and authorizes users, waits until a requested
//! version is reached, and sends the responses.
//!
//! # Guarantees
//!
//! - Every rejection is a [`Status`] with the code and the reason to which clients react.
//! - No input makes the module panic.
//! - A list is written in pieces. The text of a ClusterServiceVersion is never copied.

mod accept;
mod caller;
mod document;
mod frames;
mod listing;
mod options;
mod query;
mod question;
mod request;
mod status;
mod written;

pub use accept::{Form, IncludeObject};
pub use caller::{Caller, FrontProxy, NoFrontProxy, Tenant};
pub use document::{Answer, Document, Documents};
pub use frames::Frames;
pub use listing::Listing;
pub use options::{ListOptions, Since, WatchOptions};
pub use query::QueryParameters;
pub use question::Question;
pub use request::{Attributes, Health, Request, Subject, Verb};
pub use status::{Reason, Status};
pub use written::Readable;
