//! Tests of the resolver through its API.

mod bundles;
mod catalogd;
mod catalogd_documents;
mod catalogd_outage;
mod catalogd_trouble;
mod folders;
mod following;
mod generated;
mod images;
mod installs;
mod predictions;
mod previewed;
mod questions;
mod registry;
mod resolve;
mod routes;
mod streams;
