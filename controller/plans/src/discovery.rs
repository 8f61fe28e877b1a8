//! The kinds that the API server serves (discovery). They are read once for all plans.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube::core::discovery::v2::{APIGroupDiscoveryList, APIResourceDiscovery};
use portolan_core_install::{Discovery, GroupKind, ServedKind};
use portolan_runtime::{FencedClient, WriteFailure};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The time for which a result is reused. Some callers require a newer result.
const LASTS: Duration = Duration::from_secs(30);

/// The freshness in a discovery response that means that the server of an API group does not
/// respond.
const STALE: &str = "Stale";

/// The result of the last discovery, with its time.
#[derive(Debug, Default)]
pub struct DiscoveryCache(Mutex<Option<(Instant, Arc<Discovery>)>>);

impl DiscoveryCache {
    /// Returns the kinds that the API server serves. Sends a request if the last result is too old,
    /// or if `is_now` is true.
    ///
    /// # Errors
    /// Returns an error if the API server does not respond.
    pub async fn read(
        &self,
        client: &FencedClient,
        is_now: bool,
    ) -> Result<Arc<Discovery>, WriteFailure> {
        let asked = Instant::now();
        let mut known = self.0.lock().await;
        // A caller that has waited for the request of another caller uses the result of that
        // request.
        let is_fresh = |at: &Instant| *at >= asked || (!is_now && at.elapsed() < LASTS);
        if let Some((_, discovery)) = known.as_ref().filter(|(at, _)| is_fresh(at)) {
            return Ok(discovery.clone());
        }
        let begun = Instant::now();
        let api = client.client();
        let core = client.read(api.list_core_api_versions_aggregated());
        let groups = client.read(api.list_api_groups_aggregated());
        let (core, groups) = futures::try_join!(core, groups)?;
        let before = known.as_ref().map(|(_, before)| &**before);
        let discovery = Arc::new(served([core, groups], before));
        *known = Some((begun, discovery.clone()));
        Ok(discovery)
    }
}

/// Returns the kinds in a discovery response, each with its resource. If the server of an API group
/// does not respond, the kinds of this group come from `before`.
fn served(
    lists: impl IntoIterator<Item = APIGroupDiscoveryList>,
    before: Option<&Discovery>,
) -> Discovery {
    let mut kinds: BTreeMap<GroupKind, ServedKind> = BTreeMap::new();
    let groups = lists.into_iter().flat_map(|list| list.items);
    for group in groups {
        let name = group.metadata.and_then(|metadata| metadata.name);
        let name = name.unwrap_or_default();
        for version in group.versions {
            let Some(in_version) = version.version else {
                continue;
            };
            if version.freshness.as_deref() == Some(STALE) {
                let known = before.into_iter().flat_map(Discovery::iter);
                let silent = known.filter(|(kind, _)| kind.group == name);
                for (kind, served) in silent {
                    kinds.entry(kind.clone()).or_insert_with(|| served.clone());
                }
            }
            for resource in version.resources {
                let Some((kind, served)) = kind(&name, resource) else {
                    continue;
                };
                let known = kinds.entry(kind).or_insert(served);
                known.versions.insert(in_version.clone());
            }
        }
    }
    kinds.into_iter().collect()
}

/// Returns the kind of a resource whose objects can be created and read. Returns None for other
/// resources, such as reviews.
fn kind(group: &str, resource: APIResourceDiscovery) -> Option<(GroupKind, ServedKind)> {
    let APIResourceDiscovery {
        resource: plural,
        response_kind,
        scope,
        verbs,
        ..
    } = resource;
    let has = |verb: &str| verbs.iter().any(|each| each == verb);
    let kind = response_kind?.kind?;
    let served = ServedKind {
        plural: plural.filter(|_| has("get") && has("create"))?,
        is_namespaced: scope.as_deref() == Some("Namespaced"),
        is_listed: has("list") && has("delete"),
        versions: [].into(),
    };
    Some((GroupKind::new(group, &kind), served))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn list(json: Value) -> APIGroupDiscoveryList {
        serde_json::from_value(json).expect("a discovery")
    }

    fn resource(plural: &str, kind: &str, scope: &str, verbs: &[&str]) -> Value {
        let kind = json!({"group": "", "version": "", "kind": kind});
        json!({"resource": plural, "responseKind": kind, "scope": scope, "verbs": verbs})
    }

    #[test]
    fn discovery_contains_kinds_whose_objects_can_be_created_and_read() {
        let verbs = ["create", "get", "list"];
        let ships = resource("ships", "Ship", "Namespaced", &verbs);
        let apps = json!({"items": [{
            "metadata": {"name": "ferry.test"},
            "versions": [
                {"version": "v2", "resources": [ships]},
                {"version": "v1", "resources": [ships, resource("ports", "Port", "Cluster", &verbs)]},
            ],
        }]});
        let core = json!({"items": [{
            "metadata": {"name": ""},
            "versions": [{"version": "v1", "resources": [
                resource("configmaps", "ConfigMap", "Namespaced", &verbs),
                resource("bindings", "Binding", "Namespaced", &["create"]),
            ]}],
        }]});
        let expected = [
            (
                GroupKind::new("", "ConfigMap"),
                "configmaps",
                true,
                vec!["v1"],
            ),
            (
                GroupKind::new("ferry.test", "Port"),
                "ports",
                false,
                vec!["v1"],
            ),
            (
                GroupKind::new("ferry.test", "Ship"),
                "ships",
                true,
                vec!["v1", "v2"],
            ),
        ];
        let expected = expected.map(|(kind, plural, is_namespaced, versions)| {
            let served = ServedKind {
                plural: plural.to_owned(),
                is_namespaced,
                is_listed: false,
                versions: versions.into_iter().map(str::to_owned).collect(),
            };
            (kind, served)
        });
        let known = served([list(core.clone()), list(apps.clone())], None);
        let stale = json!({"items": [{
            "metadata": {"name": "ferry.test"},
            "versions": [{"version": "v1", "resources": [], "freshness": "Stale"}],
        }]});
        assert_eq!(
            served([list(core.clone()), list(stale)], Some(&known)),
            known
        );
        let found: Vec<_> = served([list(core), list(apps)], None).into_iter().collect();
        assert_eq!(found, expected);
    }
}
