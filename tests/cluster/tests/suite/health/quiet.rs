//! Tests which requests the health service sends to the API server, also while nothing changes.

use std::time::Duration;

use super::news::{Wanted, operator};
use super::serving::Serving;
use super::watcher::Watcher;
use super::written;
use crate::own_cluster;
use crate::permitted::{self, Permitted, expected, until_asked};
use crate::resolver::world::define;
use kube::Client;
use portolan_core_health::HealthCode;
use portolan_kit::Proxy;
use portolan_kit::proxy::Upstream;
use portolan_rig::{Audit, Cluster, Failure, PATIENCE, Record, Seen, until};

const USER: &str = "idler";
const WHILE: Duration = Duration::from_secs(20);
const TRIES: u32 = 4;
/// The time to wait until the reported state of an operator is current.
const A_MOMENT: Duration = Duration::from_secs(1);

/// The kinds that the service always watches, by their API group.
const ALWAYS: [Permitted; 7] = [
    ("apps", &["deployments"]),
    ("apiextensions.k8s.io", &["customresourcedefinitions"]),
    ("apiregistration.k8s.io", &["apiservices"]),
    ("olm.operatorframework.io", &["clusterextensions"]),
    ("operators.operatorframework.io", &["operators"]),
    ("plans.portolan.dev", &["installplans"]),
    (
        "operators.coreos.com",
        &[
            "catalogsources",
            "clusterserviceversions",
            "installplans",
            "installs",
            "operatorconditions",
            "operatorgroups",
            "subscriptions",
        ],
    ),
];

/// The kinds of installers other than OLM v0: the name of the CRD, the kind, the scope and the
/// version.
const INSTALLERS: [(&str, &str, &str, &str); 4] = [
    (
        "clusterextensions.olm.operatorframework.io",
        "ClusterExtension",
        "Cluster",
        "v1",
    ),
    (
        "operators.operators.operatorframework.io",
        "Operator",
        "Cluster",
        "v1alpha1",
    ),
    (
        "installplans.plans.portolan.dev",
        "InstallPlan",
        "Namespaced",
        "v1alpha1",
    ),
    (
        "installs.operators.coreos.com",
        "Install",
        "Cluster",
        "v2alpha1",
    ),
];

/// The kinds that the service watches only in namespaces with a problem.
const BELOW: [Permitted; 2] = [("", &["pods", "events"]), ("apps", &["replicasets"])];

/// Uses a separate cluster, and a user with only the required permissions. A request without
/// permission would fail and be reported.
#[tokio::test]
async fn health_sends_only_list_and_watch_requests() -> Result<(), Failure> {
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    let client = own.client()?;
    let namespace = own.namespace("quiet").await?;
    written::define_olm(&client).await?;
    for (name, kind, scope, version) in INSTALLERS {
        define(&client, name, kind, scope, version).await?;
    }
    written::operator(&client, &namespace, "dock").await?;
    let proxy = permitted(&own, &client).await?;
    let (kubeconfig, _folder) = written::through(&proxy);
    let serving = Serving::by(&kubeconfig).await?;
    let (of, mut watcher) = (operator("dock"), serving.watch(&namespace).await);
    watcher.until(&of, Wanted::Well).await;

    let asked = || Ok::<Audit, Failure>(own.audit()?.by(USER));
    let (always, below) = (expected(&ALWAYS), expected(&BELOW));
    // If the node was lost for a short time (see `idle`), the service has read objects below the
    // Deployment.
    let is_below =
        |record: &Record| below.contains(&format!("{} {}", record.verb, record.resource));
    let besides = || Ok(asked()?.only(|record| !is_below(record)));
    until_asked(&always, besides).await?;
    let idle = idle(&watcher, is_below, asked).await?;
    println!("health: {} requests in {WHILE:?}", idle.len());
    assert!(idle.iter().all(|record| record.verb == "watch"), "{idle:?}");

    let pods = own.pods(&namespace)?;
    let crashing = Wanted::no(HealthCode::CrashLooping);
    let crashing = watcher.reports(&of, crashing, pods.crash_looping("operator=dock"));
    crashing.await?;
    until_asked(&always.union(&below).cloned().collect(), asked).await?;
    let ready = pods.ready("operator=dock");
    watcher.reports(&of, Wanted::Well, ready).await?;
    stops_watching_below(&proxy, &namespace).await?;
    let refused = asked()?.only(permitted::is_refusal);
    assert!(refused.is_empty(), "{refused:?}");
    watcher.agrees(&serving).await;
    Ok(())
}

/// Returns the requests while nothing changes. On a busy machine, the cluster may report for a
/// short time that the node is lost. The service then searches for the cause, even if the node has
/// recovered. In this case the test tries again.
async fn idle(
    watcher: &Watcher,
    is_below: impl Fn(&Record) -> bool,
    asked: impl Fn() -> Result<Audit, Failure>,
) -> Result<Vec<Record>, Failure> {
    let of = operator("dock");
    for _ in 0..TRIES {
        let (spells, before) = (watcher.well(&of).len(), asked()?.len());
        tokio::time::sleep(WHILE).await;
        let idle = asked()?.records()[before..].to_vec();
        let reported = watcher.well(&of);
        let is_well = reported
            .last()
            .is_some_and(|spell| spell.to.elapsed() < A_MOMENT);
        if reported.len() == spells && is_well && !idle.iter().any(&is_below) {
            return Ok(idle);
        }
    }
    panic!("something must stop happening to {of:?}");
}

/// Returns a kubeconfig for a user who may list and watch the required kinds.
async fn permitted(own: &Cluster, client: &Client) -> Result<Proxy, Failure> {
    permitted::admit(own, client, USER, &[&ALWAYS[..], &BELOW].concat()).await?;
    let proof = own.identity(USER)?;
    let upstream = Upstream::tls(
        &own.address(),
        &proof.authority,
        Some((proof.certificate.as_str(), proof.key.as_str())),
    );
    Ok(Proxy::before(upstream).await)
}

/// Checks that the service no longer watches objects below a healthy Deployment.
async fn stops_watching_below(proxy: &Proxy, namespace: &str) -> Result<(), Failure> {
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
