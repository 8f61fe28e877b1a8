//! Whether a kind is served at all.
//!
//! A user who may not list a kind is refused whether the kind exists or not. Every user that the
//! API server knows, however, may read which kinds exist: so a kind that does not exist is told
//! from one that may not be seen.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;
use kube::Client;
use tokio::time::timeout;

use super::{Query, Refused};
use crate::Trouble;
use crate::cluster::Pace;

#[cfg(test)]
mod tests;

impl Query {
    /// Why there is no answer, by all that can be known of it.
    pub(in crate::cluster) async fn told(
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

    /// Whether the API server says so. Without an answer it may well be served.
    async fn is_not_served(&self, client: &Client, pace: &Pace) -> bool {
        let Ok(request) = http::Request::get(&self.version).body(Vec::new()) else {
            return false;
        };
        let asked = client.request::<APIResourceList>(request);
        let Ok(answer) = timeout(pace.answer, asked).await else {
            return false;
        };
        match answer.map_err(Refused::from) {
            // Who stands in for an API server may list nothing of nothing.
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
