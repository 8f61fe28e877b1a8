//! Facts that OpenShift reports: requests for deprecated APIs by ServiceAccount, and the conditions
//! of the ClusterOperators of OLM.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::inventory::{InstalledOperator, Manager};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::messages::upgrade_blockers;
use portolan_core_olm::{ApiRequestCount, ClusterOperator, read_value};
use portolan_resolver::readiness::{ApiRequests, Installer, UpgradeableCondition, removed_between};
use portolan_world::{AnyWorld, Area, Key, Kind, World as _, addressed};

use super::{Assessment, read};

/// The ClusterOperators of OLM that have a condition about installed operators.
const CONDITIONS: [(&str, Installer); 2] = [
    ("operator-lifecycle-manager", Installer::OlmV0),
    ("olm", Installer::OlmV1),
];

/// Adds to each operator its requests for APIs that the cluster upgrade removes. If the requests
/// are unknown, adds the reason.
pub(super) async fn add_requests(world: &AnyWorld, assessment: &mut Assessment) {
    if let Err(why) = try_add_requests(world, assessment).await {
        let unknown = format!("requests of operators for removed APIs ({why})");
        assessment.not_checked.push(unknown);
    }
}

async fn try_add_requests(world: &AnyWorld, assessment: &mut Assessment) -> Result<(), String> {
    let stages = &assessment.question.stages;
    let apis = removed_between(stages[0], stages[stages.len() - 1]);
    if apis.is_empty() {
        return Ok(());
    }
    if stages[0].openshift.is_none() {
        return Err("only OpenShift counts them by ServiceAccount".to_owned());
    }
    let names = apis.iter().map(|api| api.request_count()).collect();
    let found = named::<ApiRequestCount>(world, names).await?;
    if found.is_empty() && world.folder().is_some() && world.is_partial() {
        return Err("the files contain no APIRequestCounts".to_owned());
    }
    let counted = apis.into_iter().flat_map(|api| {
        let counts = found.get(&api.request_count());
        let counts = counts.map(ApiRequestCount::by_account).unwrap_or_default();
        let requests = counts.into_iter();
        requests.map(move |(account, count)| ApiRequests {
            api,
            account,
            count,
        })
    });
    let counted: Vec<_> = counted.collect();
    let accounts = accounts(world, assessment, &counted).await;
    for (at, operator) in assessment.inventory.iter().enumerate() {
        let known = accounts.get(&csv(operator));
        let own = counted.iter().filter(|requests| {
            let (namespace, name) = requests.account.split_once('/').unwrap_or_default();
            namespace == operator.namespace && known.is_none_or(|known| known.contains(name))
        });
        assessment.question.operators[at].requests = own.cloned().collect();
    }
    Ok(())
}

/// Returns the cluster-scoped objects with these names that exist, or the reason why they are
/// unknown. In a cluster, only these objects are read. In files, all objects of the kind are read,
/// because a dump records the kinds that could not be read.
async fn named<K: Kind>(
    world: &AnyWorld,
    names: Vec<String>,
) -> Result<BTreeMap<String, K>, String> {
    if world.folder().is_some() {
        let view = read::<K>(world, Area::everywhere()).await?;
        let found = view.objects.iter();
        let found = found.filter(|(key, _)| names.iter().any(|name| **name == *key.name));
        return Ok(found
            .map(|(key, object)| (key.name.to_string(), K::clone(object)))
            .collect());
    }
    let mut found = BTreeMap::new();
    for name in names {
        let kind = addressed::<K>(&Key::default()).kind;
        let object = world.object(ObjectRef::new(kind, None, &name)).await;
        if let Some(object) = object.map_err(|trouble| trouble.to_string())? {
            let (object, _) = read_value::<K>(object).map_err(|error| error.to_string())?;
            found.insert(name, object);
        }
    }
    Ok(found)
}

/// Returns the ServiceAccounts of each ClusterServiceVersion in the namespaces from which requests
/// came. Several operators can share a namespace.
async fn accounts(
    world: &AnyWorld,
    assessment: &Assessment,
    counted: &[ApiRequests],
) -> BTreeMap<ObjectRef<Gvk>, BTreeSet<String>> {
    let namespaces: BTreeSet<_> = counted
        .iter()
        .filter_map(|it| Some(it.account.split_once('/')?.0))
        .collect();
    let operators = assessment.inventory.iter();
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

/// Compares the conditions of OpenShift with the limits of all operators, and adds the result as a
/// note. If a condition is unknown, adds the reason.
pub(super) async fn add_conditions(world: &AnyWorld, assessment: &mut Assessment) {
    for (name, installer) in CONDITIONS {
        let stages = &assessment.question.stages;
        let mut operators = assessment.question.operators.iter();
        let is_used = operators.any(|subject| subject.installer == installer);
        if stages[0].openshift.is_none() || !is_used {
            continue;
        }
        let found = named::<ClusterOperator>(world, vec![name.to_owned()]).await;
        let found = found.and_then(|mut found| found.remove(name).ok_or("not found".to_owned()));
        match found {
            Ok(operator) => {
                let note = compared(assessment, installer, &operator);
                assessment
                    .notes
                    .push((format!("ClusterOperator {name}"), note));
            }
            Err(why) => {
                let unknown = format!("ClusterOperator {name} ({why})");
                assessment.not_checked.push(unknown);
            }
        }
    }
}

fn compared(assessment: &Assessment, installer: Installer, operator: &ClusterOperator) -> String {
    let condition = operator.upgradeable().cloned().unwrap_or_default();
    let found = UpgradeableCondition {
        named: upgrade_blockers(&condition.message),
        status: condition.status,
        reason: condition.reason,
    };
    let advice = assessment.advice();
    advice.compared(installer, &found, &condition.message)
}
