//! Tests of the webhook through its public API.

mod admission;
