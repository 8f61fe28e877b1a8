//! Grants a user limited permissions, and checks the requests that a process sends as this user.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kube::Client;
use kube::api::PostParams;
use portolan_rig::{Audit, Cluster, Failure, PATIENCE, Record, Seen, until};
use serde_json::{Value, json};

use crate::objects::{api_of, make};

/// A group and the resources of this group that a user may list and watch.
pub(crate) type Permitted = (&'static str, &'static [&'static str]);

/// Grants a user these rules in all namespaces. Waits until they take effect.
pub(crate) async fn may(client: &Client, user: &str, rules: Value) -> Result<(), Failure> {
    let group = "rbac.authorization.k8s.io";
    let role = json!({
        "apiVersion": format!("{group}/v1"), "kind": "ClusterRole",
        "metadata": {"name": user}, "rules": rules,
    });
    make(client, &role).await?;
    let bound = json!({
        "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding",
        "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": user},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    });
    make(client, &bound).await?;
    // All rules are in the same role and take effect together. So it is enough to check the first
    // rule.
    let one = |what: &str| &rules[0][what][0];
    let asked =
        json!({"group": one("apiGroups"), "resource": one("resources"), "verb": one("verbs")});
    until_may(client, user, asked, true).await
}

/// Waits until a user has a permission, or lacks it. A change of RBAC takes effect a moment later.
pub(crate) async fn until_may(
    client: &Client,
    user: &str,
    asked: Value,
    wanted: bool,
) -> Result<(), Failure> {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": user, "resourceAttributes": asked},
    });
    let object = serde_json::from_value(review.clone()).map_err(Failure::read("a manifest"))?;
    let reviews = api_of(client, &review);
    until(format!("{user}: {asked}: {wanted}"), PATIENCE, async || {
        let answered = reviews.create(&PostParams::default(), &object).await?;
        let status = &answered.data["status"];
        Ok(if status["allowed"] == wanted {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await
}

/// Creates a user that may only list and watch these resources. Returns its kubeconfig.
pub(crate) async fn admit(
    own: &Cluster,
    client: &Client,
    user: &str,
    permitted: &[Permitted],
) -> Result<PathBuf, Failure> {
    let kubeconfig = own.admit(user, None)?;
    let rules = permitted.iter().map(|(group, resources)| {
        json!({"apiGroups": [group], "resources": resources, "verbs": ["list", "watch"]})
    });
    let rules: Value = rules.collect();
    may(client, user, rules).await?;
    Ok(kubeconfig)
}

/// Returns true if the API server denied a request. Codes from 500 are ignored: the API server logs
/// its own error if a watch is closed before it starts. Code 429 is also ignored: the API server
/// requests a retry while it fills the cache of a kind.
pub(crate) fn is_refusal(record: &Record) -> bool {
    (400..500).contains(&record.code) && record.code != 429
}

/// Returns the requests that list and watch each resource.
pub(crate) fn expected(resources: &[Permitted]) -> BTreeSet<String> {
    let resources = resources.iter().flat_map(|(_, resources)| *resources);
    let verbs = resources.flat_map(|of| ["list", "watch"].map(|verb| format!("{verb} {of}")));
    verbs.collect()
}

/// Waits until exactly these requests have been sent.
pub(crate) async fn until_asked(
    expected: &BTreeSet<String>,
    asked: impl Fn() -> Result<Audit, Failure>,
) -> Result<(), Failure> {
    until("the requests that are expected", PATIENCE, async || {
        let asked = asked()?;
        let records = asked.records().iter();
        let all: BTreeSet<_> = records
            .map(|record| format!("{} {}", record.verb, record.resource))
            .collect();
        Ok(if all == *expected {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!(
                "more: {:?}, less: {:?}",
                all.difference(expected).collect::<Vec<_>>(),
                expected.difference(&all).collect::<Vec<_>>()
            ))
        })
    })
    .await
}
