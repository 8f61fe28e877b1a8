//! Facts that OpenShift reports: requests for deprecated APIs by ServiceAccount, and the conditions
//! of the ClusterOperators of OLM.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::inventory::{InstalledOperator, Manager};
use portolan_core_names::removed::RemovedApi;
use portolan_core_names::text::{cite, listed};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::messages::upgrade_blockers;
use portolan_core_route::readiness::{
    Agreement, ApiRequests, Installer, UpgradeableCondition, removed_between,
};
use portolan_world::AnyWorld;
use serde_json::Value;

use super::gather::Gathered;

/// The prefix of the user name of a ServiceAccount.
const ACCOUNT: &str = "system:serviceaccount:";

/// The ClusterOperators with a condition about installed operators.
const CONDITIONS: [(&str, Installer); 2] = [
    ("operator-lifecycle-manager", Installer::OlmV0),
    ("olm", Installer::OlmV1),
];

/// Adds the requests of each operator for APIs that the cluster upgrade removes. Returns the reason
/// why they are unknown.
pub(super) async fn add_requests(world: &AnyWorld, gathered: &mut Gathered) -> Option<String> {
    let stages = &gathered.question.stages;
    let apis = removed_between(stages[0], stages[stages.len() - 1]);
    if apis.is_empty() {
        return None;
    }
    if stages[0].openshift.is_none() {
        return Some("only OpenShift counts them by ServiceAccount".to_owned());
    }
    let kind = Gvk::new("apiserver.openshift.io/v1", "APIRequestCount");
    let names = apis.into_iter().map(|api| {
        let name = format!("{}.{}.{}", api.resource(), api.version, api.group);
        (ObjectRef::new(kind.clone(), None, &name), api)
    });
    let names: BTreeMap<_, _> = names.collect();
    let first = names.keys().next()?.clone();
    if let Err(trouble) = world.object(first).await {
        return Some(trouble.to_string());
    }
    let found = world.written(names.keys().cloned().collect()).await;
    if found.is_empty() && matches!(world, AnyWorld::Files(_)) {
        return Some("the files contain no APIRequestCounts".to_owned());
    }
    let counted = found
        .iter()
        .flat_map(|(name, object)| counted(names[name], object));
    let counted: Vec<_> = counted.collect();
    let accounts = accounts(world, gathered, &counted).await;
    for (at, named) in gathered.operators.iter().enumerate() {
        let operator = &named.inventory;
        let known = accounts.get(&csv(operator));
        let own = counted.iter().filter(|requests| {
            let (namespace, name) = requests.account.split_once('/').unwrap_or_default();
            namespace == operator.namespace && known.is_none_or(|known| known.contains(name))
        });
        gathered.question.operators[at].requests = own.cloned().collect();
    }
    None
}

/// Returns the requests of each ServiceAccount in the last 24 hours.
fn counted(api: RemovedApi, object: &Value) -> Vec<ApiRequests> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let hours = list(&object["status"]["last24h"]).into_iter();
    let nodes = hours.flat_map(|hour| list(&hour["byNode"]));
    let users = nodes.flat_map(|node| list(&node["byUser"]));
    let mut counts = BTreeMap::<String, u64>::new();
    for user in users {
        let name = user["username"].as_str().unwrap_or_default();
        let count = user["requestCount"].as_u64().unwrap_or_default();
        if let Some(account) = name.strip_prefix(ACCOUNT).filter(|_| count > 0) {
            *counts.entry(account.replacen(':', "/", 1)).or_default() += count;
        }
    }
    let requests = counts.into_iter().map(|(account, count)| ApiRequests {
        api,
        account,
        count,
    });
    requests.collect()
}

/// Returns the ServiceAccounts of each ClusterServiceVersion in a namespace with requests. Several
/// operators can share a namespace.
async fn accounts(
    world: &AnyWorld,
    gathered: &Gathered,
    counted: &[ApiRequests],
) -> BTreeMap<ObjectRef<Gvk>, BTreeSet<String>> {
    let namespaces: BTreeSet<_> = counted
        .iter()
        .filter_map(|it| Some(it.account.split_once('/')?.0))
        .collect();
    let operators = gathered.operators.iter().map(|named| &named.inventory);
    let csvs = operators
        .filter(|it| it.manager == Manager::Olm && namespaces.contains(it.namespace.as_str()));
    let found = world.written(csvs.map(csv).collect()).await;
    let accounts = found.into_iter().map(|(name, csv)| {
        let strategy = &csv["spec"]["install"]["spec"];
        let lists = ["permissions", "clusterPermissions", "deployments"];
        let items = lists.iter().filter_map(|list| strategy[*list].as_array());
        let names = items.flatten().filter_map(|item| {
            let pod = &item["spec"]["template"]["spec"];
            let name = [item, pod].map(|it| it["serviceAccountName"].as_str());
            name.into_iter().flatten().next().map(str::to_owned)
        });
        (name, names.collect())
    });
    accounts.collect()
}

fn csv(operator: &InstalledOperator) -> ObjectRef<Gvk> {
    let kind = Gvk::new("operators.coreos.com/v1alpha1", "ClusterServiceVersion");
    ObjectRef::new(kind, &*operator.namespace, &operator.bundle)
}

/// The comparison of conditions with the report.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// The name of each ClusterOperator, and the comparison as a sentence.
    pub(super) notes: Vec<(String, String)>,
    /// The conditions that could not be read.
    pub(super) not_checked: Vec<String>,
}

/// Compares the conditions of OpenShift with the limits of all operators.
pub(super) async fn conditions(world: &AnyWorld, gathered: &Gathered) -> Conditions {
    let mut all = Conditions::default();
    let stages = &gathered.question.stages;
    for (name, installer) in CONDITIONS {
        let mut operators = gathered.question.operators.iter();
        let is_used = operators.any(|subject| subject.installer == installer);
        if stages[0].openshift.is_none() || !is_used {
            continue;
        }
        let kind = Gvk::new("config.openshift.io/v1", "ClusterOperator");
        let object = world.object(ObjectRef::new(kind, None, name)).await;
        match object {
            Ok(Some(object)) => {
                let (condition, message) = condition(&object);
                let note = compared(gathered, installer, &condition, &message);
                all.notes.push((format!("ClusterOperator {name}"), note));
            }
            Ok(None) => all
                .not_checked
                .push(format!("ClusterOperator {name} (not found)")),
            Err(trouble) => all
                .not_checked
                .push(format!("ClusterOperator {name} ({trouble})")),
        }
    }
    all
}

/// Returns the condition of a ClusterOperator, and its message.
fn condition(object: &Value) -> (UpgradeableCondition, String) {
    let mut conditions = object["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let found = conditions.find(|it| it["type"] == "Upgradeable");
    let text = |field: &str| {
        let text = found.and_then(|it| it[field].as_str());
        text.unwrap_or_default().to_owned()
    };
    let message = text("message");
    let condition = UpgradeableCondition {
        status: text("status"),
        reason: text("reason"),
        named: upgrade_blockers(&message),
    };
    (condition, message)
}

/// Returns the comparison as a sentence.
fn compared(
    gathered: &Gathered,
    installer: Installer,
    condition: &UpgradeableCondition,
    message: &str,
) -> String {
    let next = gathered.question.stages[1];
    let names = gathered.operators.iter().map(|named| {
        let operator = &named.inventory;
        match installer {
            Installer::OlmV0 => format!("{}/{}", operator.namespace, operator.bundle),
            Installer::OlmV1 | Installer::Other => operator.object.name.clone(),
        }
    });
    let names: Vec<_> = names.collect();
    match condition.compare(&gathered.question, installer, &names) {
        Agreement::Same(blockers) if blockers.is_empty() => {
            format!("The condition Upgradeable agrees: no limit blocks the upgrade to {next}.")
        }
        Agreement::Same(blockers) => format!(
            "The condition Upgradeable agrees: the upgrade to {next} is blocked by {}.",
            listed(blockers.iter().map(|name| cite(name)))
        ),
        Agreement::OtherReason if condition.status.is_empty() => {
            "It has no condition Upgradeable.".to_owned()
        }
        Agreement::OtherReason => format!(
            "The condition Upgradeable is {} for another reason: {}: {}",
            cite(&condition.status),
            cite(&condition.reason),
            cite(message)
        ),
        Agreement::Different {
            only_condition,
            only_limits,
        } => different(&names, &only_condition, &only_limits),
    }
}

/// Returns the difference between a condition and the report, with the cause.
fn different(
    names: &[String],
    only_condition: &BTreeSet<String>,
    only_limits: &BTreeSet<String>,
) -> String {
    let (limited, missing): (Vec<_>, Vec<_>) =
        only_condition.iter().partition(|name| names.contains(name));
    let parts = [
        (limited, "names {}, whose limit permits the upgrade now"),
        (missing, "names {}, which is not in this report"),
        (
            only_limits.iter().collect(),
            "does not name {} yet, whose limit blocks the upgrade",
        ),
    ];
    let parts = parts.into_iter().filter(|(names, _)| !names.is_empty());
    let parts = parts
        .map(|(names, text)| text.replace("{}", &listed(names.into_iter().map(|name| cite(name)))));
    format!(
        "The condition Upgradeable differs: it {}.",
        listed(parts.collect::<Vec<_>>())
    )
}

#[cfg(test)]
mod tests {
    use portolan_core_names::removed;
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_of_a_service_account_are_added_up() {
        let api = removed::of_object("policy/v1beta1", "PodSecurityPolicy").expect("an API");
        let user = |name: &str, count: u64| json!({"username": name, "requestCount": count});
        let hours = [
            json!({"byNode": [{"byUser": [user("system:serviceaccount:docks:ferryman", 2), user("kube-admin", 5)]}]}),
            json!({"byNode": [{"byUser": [user("system:serviceaccount:docks:ferryman", 3)]},
                {"byUser": [user("system:serviceaccount:docks:idle", 0)]}]}),
        ];
        let counted = counted(api, &json!({"status": {"last24h": hours}}));
        let expected = ApiRequests {
            api,
            account: "docks/ferryman".to_owned(),
            count: 5,
        };
        assert_eq!(counted, [expected]);
    }
}
