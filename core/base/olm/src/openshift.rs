//! Reports of OpenShift about its components and its APIs: `ClusterOperator` and `APIRequestCount`.

use std::collections::BTreeMap;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Condition;
use crate::resource::resource;

/// The prefix of a ServiceAccount's user name.
const ACCOUNT: &str = "system:serviceaccount:";

/// The type of the condition that shows if the cluster can be upgraded.
const UPGRADEABLE: &str = "Upgradeable";

/// The state of a component of OpenShift, such as OLM.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterOperator {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The observed state.
    pub status: ClusterOperatorStatus,
}

/// The observed state of a ClusterOperator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterOperatorStatus {
    /// The conditions.
    pub conditions: Vec<Condition>,
}

/// The number of requests for one version of an API. The name of the object is
/// `RESOURCE.VERSION.GROUP`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiRequestCount {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The observed number of requests.
    pub status: ApiRequestCountStatus,
}

/// The observed number of requests for one version of an API.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiRequestCountStatus {
    /// The requests of the last 24 hours. Each entry is one hour.
    #[serde(rename = "last24h")]
    pub last_day: Vec<RequestsInHour>,
}

/// The requests in one hour.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestsInHour {
    /// The requests that each API server counted.
    pub by_node: Vec<RequestsAtNode>,
}

/// The requests that one API server counted.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestsAtNode {
    /// The users with the most requests, each with a number of requests.
    pub by_user: Vec<RequestsOfUser>,
}

/// The requests of one user.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RequestsOfUser {
    /// The name of the user.
    pub username: String,
    /// The number of requests.
    #[serde(rename = "requestCount")]
    pub count: u64,
}

resource!(
    ClusterOperator,
    "clusteroperators",
    "config.openshift.io",
    "v1",
    ClusterResourceScope
);

resource!(
    ApiRequestCount as "APIRequestCount",
    "apirequestcounts",
    "apiserver.openshift.io",
    "v1",
    ClusterResourceScope
);

// === impl ClusterOperator ===

impl ClusterOperator {
    /// Returns the condition that shows if the component permits the upgrade of the cluster to the
    /// next minor release.
    pub fn upgradeable(&self) -> Option<&Condition> {
        Condition::about(&self.status.conditions, UPGRADEABLE)
    }
}

// === impl ApiRequestCount ===

impl ApiRequestCount {
    /// Returns the number of requests of each ServiceAccount in the last 24 hours. The key is
    /// `NAMESPACE/NAME`.
    pub fn by_account(&self) -> BTreeMap<String, u64> {
        let nodes = self.status.last_day.iter().flat_map(|hour| &hour.by_node);
        let mut counts = BTreeMap::<String, u64>::new();
        for RequestsOfUser { username, count } in nodes.flat_map(|node| &node.by_user) {
            if let Some(account) = username.strip_prefix(ACCOUNT).filter(|_| *count > 0) {
                let sum = counts.entry(account.replacen(':', "/", 1)).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::read_value;

    #[test]
    fn requests_of_a_service_account_are_added_up() {
        let user = |name: &str, count: u64| json!({"username": name, "requestCount": count});
        let hours = [
            json!({"byNode": [{"byUser": [user("system:serviceaccount:docks:ferryman", 2), user("kube-admin", 5)]}]}),
            json!({"byNode": [{"byUser": [user("system:serviceaccount:docks:ferryman", 3)]},
                {"byUser": [user("system:serviceaccount:docks:idle", 0)]}]}),
        ];
        let object = json!({"status": {"last24h": hours}});
        let (count, faults) = read_value::<ApiRequestCount>(object).expect("an APIRequestCount");
        assert_eq!(faults, []);
        assert_eq!(
            count.by_account(),
            [("docks/ferryman".to_owned(), 5)].into()
        );
    }

    #[test]
    fn cluster_operator_without_the_condition_has_none() {
        let available = json!({"type": "Available", "status": "True"});
        let object = json!({"status": {"conditions": [available]}});
        let (found, _) = read_value::<ClusterOperator>(object).expect("a ClusterOperator");
        assert_eq!(found.upgradeable(), None);
    }
}
