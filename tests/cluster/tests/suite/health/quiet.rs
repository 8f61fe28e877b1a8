//! What health asks of an API server, and what it asks when nothing happens.

use std::collections::BTreeSet;
use std::time::Duration;

use kube::Api;
use kube::Client;
use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use portolan_core_health::Code;
use portolan_kit::Proxy;
use portolan_kit::proxy::Upstream;
use portolan_rig::{Audit, Cluster, Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::news::{Wanted, operator};
use super::serving::Serving;
use super::written;
use crate::own_cluster;
use crate::resolver::world::create;

const USER: &str = "idler";
const WHILE: Duration = Duration::from_secs(20);

/// What is followed all the time, by its group.
const ALWAYS: [(&str, &[&str]); 4] = [
    ("apps", &["deployments"]),
    ("apiextensions.k8s.io", &["customresourcedefinitions"]),
    ("apiregistration.k8s.io", &["apiservices"]),
    (
        "operators.coreos.com",
        &[
            "catalogsources",
            "clusterserviceversions",
            "installplans",
            "operatorconditions",
            "operatorgroups",
            "subscriptions",
        ],
    ),
];

/// What is followed in the namespaces in which something is not fine.
const BELOW: [(&str, &[&str]); 2] = [("", &["pods", "events"]), ("apps", &["replicasets"])];

/// On a cluster of its own, as one who may do no more than it does: anything else would be told
/// as something that cannot be looked at.
#[tokio::test]
async fn health_lists_and_watches_and_asks_for_nothing_else() -> Result<(), Failure> {
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    let client = own.client()?;
    let namespace = own.namespace("quiet").await?;
    written::define_olm(&client).await?;
    written::operator(&client, &namespace, "dock").await?;
    let proxy = permitted(&own, &client).await?;
    let (kubeconfig, _folder) = written::through(&proxy);
    let serving = Serving::by(&kubeconfig).await?;
    let (of, mut watcher) = (operator("dock"), serving.watch(&namespace).await);
    watcher.until(&of, Wanted::Well).await;

    let asked = || Ok::<Audit, Failure>(own.audit()?.by(USER));
    let always = expected(&ALWAYS);
    until_asked(&always, asked).await?;
    let before = asked()?.len();
    tokio::time::sleep(WHILE).await;
    let idle = asked()?.records()[before..].to_vec();
    println!("health: {} requests in {WHILE:?}", idle.len());
    assert!(idle.iter().all(|record| record.verb == "watch"), "{idle:?}");

    let pods = own.pods(&namespace)?;
    let crashing = Wanted::no(Code::CrashLooping);
    let crashing = watcher.tells(&of, crashing, pods.crash_looping("operator=dock"));
    crashing.await?;
    let below = expected(&BELOW);
    until_asked(&always.union(&below).cloned().collect(), asked).await?;
    let ready = pods.ready("operator=dock");
    watcher.tells(&of, Wanted::Well, ready).await?;
    nobody_looks_below(&proxy, &namespace).await?;
    let refused = asked()?.only(|record| record.code >= 400);
    assert!(refused.is_empty(), "{refused:?}");
    watcher.agrees(&serving).await;
    Ok(())
}

/// The way to the API server of a user who may list and watch.
async fn permitted(own: &Cluster, client: &Client) -> Result<Proxy, Failure> {
    own.admit(USER, None)?;
    let rules = ALWAYS.iter().chain(&BELOW).map(|(group, resources)| {
        json!({"apiGroups": [group], "resources": resources, "verbs": ["list", "watch"]})
    });
    let rules: Value = rules.collect();
    let made = json!({"metadata": {"name": USER}, "rules": rules});
    create(&roles(client, "ClusterRole"), made).await?;
    let group = "rbac.authorization.k8s.io";
    let bound = json!({
        "metadata": {"name": USER},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": USER},
        "subjects": [{"apiGroup": group, "kind": "User", "name": USER}],
    });
    create(&roles(client, "ClusterRoleBinding"), bound).await?;
    let proof = own.identity(USER)?;
    let upstream = Upstream::tls(
        &own.address(),
        &proof.authority,
        Some((proof.certificate.as_str(), proof.key.as_str())),
    );
    Ok(Proxy::before(upstream).await)
}

fn roles(client: &Client, kind: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("rbac.authorization.k8s.io", "v1", kind);
    Api::all_with(client.clone(), &ApiResource::from_gvk(&kind))
}

/// Each resource is listed and watched.
fn expected(resources: &[(&str, &[&str])]) -> BTreeSet<String> {
    let resources = resources.iter().flat_map(|(_, resources)| *resources);
    let verbs = resources.flat_map(|of| ["list", "watch"].map(|verb| format!("{verb} {of}")));
    verbs.collect()
}

/// Waits until exactly this was asked for.
async fn until_asked(
    expected: &BTreeSet<String>,
    asked: impl Fn() -> Result<Audit, Failure>,
) -> Result<(), Failure> {
    until("the requests that are expected", PATIENCE, async || {
        let asked = asked()?;
        let records = asked.records().iter();
        let all: BTreeSet<_> = records
            .map(|record| format!("{} {}", record.verb, record.resource))
            .collect();
        Ok(match all == *expected {
            true => Seen::Yes(()),
            false => Seen::NotYet(format!(
                "more: {:?}, less: {:?}",
                all.difference(expected).collect::<Vec<_>>(),
                expected.difference(&all).collect::<Vec<_>>()
            )),
        })
    })
    .await
}

/// What is below a Deployment that is fine again is watched no longer.
async fn nobody_looks_below(proxy: &Proxy, namespace: &str) -> Result<(), Failure> {
    let watches = [
        format!("GET /api/v1/namespaces/{namespace}/?watch="),
        format!("GET /apis/apps/v1/namespaces/{namespace}/?watch="),
    ];
    assert!(
        proxy.count(watches[0].as_str()) > 0,
        "{:?}",
        proxy.requests()
    );
    until("the watches below to end", PATIENCE, async || {
        let running = watches.each_ref().map(|watch| proxy.cut(watch.as_str()));
        Ok(match running {
            [0, 0] => Seen::Yes(()),
            _ => Seen::NotYet(format!("{running:?} running")),
        })
    })
    .await
}
