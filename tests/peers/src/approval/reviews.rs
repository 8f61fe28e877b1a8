//! Requests reviews one after the other, and measures their times.

use std::time::Instant;

use portolan_proto::approval::v1::ReviewNamespaceRequest;

use super::port::Port;
use super::subject::{Subject, review};
use crate::failure::Failure;

/// The time of each review in seconds.
#[derive(Debug, Default)]
pub(crate) struct Reviews {
    pub(crate) plans: Vec<f64>,
    pub(crate) namespaces: Vec<f64>,
}

/// Requests the review of the pending plan in each namespace, one after the other. Then requests
/// the reviews of all plans in each namespace.
pub(crate) async fn measure(
    subject: &Subject,
    port: Port,
    wanted: usize,
) -> Result<Reviews, Failure> {
    let mut client = subject.client();
    // The first call also opens the connection, so it is not measured.
    for berth in port.round(1) {
        review(&mut client, berth).await?;
    }
    let mut reviews = Reviews::default();
    for berth in port.round(wanted) {
        let begun = Instant::now();
        review(&mut client, berth).await?;
        reviews.plans.push(begun.elapsed().as_secs_f64());
        let namespace = berth.namespace();
        let begun = Instant::now();
        let asked = client.review_namespace(ReviewNamespaceRequest { namespace });
        asked.await.map_err(|status| Failure::Call {
            method: "ReviewNamespace",
            status: status.into(),
        })?;
        reviews.namespaces.push(begun.elapsed().as_secs_f64());
    }
    Ok(reviews)
}
