//! Checks if the API server serves a kind.
//!
//! If a user may not list a kind, the API server returns the same error for existing and for
//! missing kinds. However, every authenticated user can request the list of existing kinds. This
//! list distinguishes missing kinds from forbidden kinds.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;
use kube::Client;
use tokio::time::timeout;

use super::{ListQuery, Refused};
use crate::Trouble;
use crate::cluster::Pace;

#[cfg(test)]
mod tests;

impl ListQuery {
    /// Returns the more specific error. If the API server does not serve the kind, a Forbidden
    /// error becomes [`Refused::NotServed`]. Other errors are returned unchanged.
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

    /// Returns true if the API server reports that it does not serve the kind. Returns false
    /// without an answer.
    async fn is_not_served(&self, client: &Client, pace: &Pace) -> bool {
        let Ok(request) = http::Request::get(&self.version).body(Vec::new()) else {
            return false;
        };
        let asked = client.request::<APIResourceList>(request);
        let Ok(answer) = timeout(pace.answer, asked).await else {
            return false;
        };
        match answer.map_err(Refused::from) {
            // A server that imitates an API server, such as a test server, may return an empty
            // list.
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
