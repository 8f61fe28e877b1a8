//! Checks if a kind is served.
//!
//! A user who cannot list a kind gets the same refusal if the kind does not exist. Every
//! authenticated user, however, can read which kinds exist. So a missing kind is distinguished from
//! a forbidden one.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;
use kube::Client;
use tokio::time::timeout;

use super::{ListQuery, Refused};
use crate::Trouble;
use crate::cluster::Pace;

#[cfg(test)]
mod tests;

impl ListQuery {
    /// Returns the most specific reason why there is no answer.
    pub(in crate::cluster) async fn most_specific(
        &self,
        refused: Refused,
        client: &Client,
        pace: &Pace,
    ) -> Refused {
        match refused {
            Refused::Trouble(Trouble::Forbidden(_)) if self.is_not_served(client, pace).await => {
                Refused::NotServed
            }
            Refused::NotServed | Refused::Gone | Refused::Trouble(_) => refused,
        }
    }

    /// Returns true if the API server reports it. Without an answer the kind may be served.
    async fn is_not_served(&self, client: &Client, pace: &Pace) -> bool {
        let Ok(request) = http::Request::get(&self.version).body(Vec::new()) else {
            return false;
        };
        let asked = client.request::<APIResourceList>(request);
        let Ok(answer) = timeout(pace.answer, asked).await else {
            return false;
        };
        match answer.map_err(Refused::from) {
            // A stand-in for an API server may return an empty list.
            Ok(list) if list.group_version.is_empty() => false,
            Ok(list) => {
                let plural = self.path.rsplit('/').next();
                let mut all = list.resources.iter();
                !all.any(|resource| Some(&*resource.name) == plural)
            }
            Err(Refused::NotServed) => true,
            Err(Refused::Gone | Refused::Trouble(_)) => false,
        }
    }
}
