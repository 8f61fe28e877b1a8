//! The requests to an API server of Installed, and its answers, as they are written.
//!
//! ```text
//! method, path, query --> Request --> Attributes                       who may ask that?
//!                            |
//!                     Accept |--> Question --> Snapshot --> Written, Listing    get, list
//!                            |                 Batch    --> Frames              watch
//!                            \--> Documents                                     discovery, OpenAPI
//! ```
//!
//! The module knows what kubectl, clients and other API servers expect of HTTP. What an Installed
//! is, it has from the rest of the crate. It knows no connection, no certificate and no clock: a
//! shell proves who asks, asks whether they may, waits for what is yet to come, and sends.
//!
//! # Guarantees
//!
//! - Every refusal is a [`Status`], with the code and the reason that clients act upon.
//! - No text makes it panic, however it is written.
//! - A list is written piece by piece: no text of a ClusterServiceVersion is copied.

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
pub use query::Query;
pub use question::Question;
pub use request::{Attributes, Health, Request, Subject, Verb};
pub use status::{Reason, Status};
pub use written::Readable;
