//! Tests which requests the approval service sends to the API server, also while nothing changes.

use std::time::Duration;

use kube::Client;
use kube::api::ListParams;
use portolan_rig::{Audit, Failure, Kind, PATIENCE, Seen, until};
use serde_json::json;

use super::crds;
use super::policy::policy;
use super::serving::Serving;
use crate::editor::Editor;
use crate::health::written;
use crate::own_cluster;
use crate::permitted::{self, Permitted, expected, until_asked};

const USER: &str = "idler";
const WHILE: Duration = Duration::from_secs(20);

/// The watched kinds.
const ALWAYS: [Permitted; 3] = [
    (
        "operators.coreos.com",
        &["clusterserviceversions", "installplans", "subscriptions"],
    ),
    (
        "operators.operatorframework.io",
        &["operators", "upgradepolicies", "upgradepolicybindings"],
    ),
    ("policy.open-cluster-management.io", &["operatorpolicies"]),
];

/// Uses a separate cluster, and a user with only the required permissions. A request without
/// permission would fail and be reported.
#[tokio::test]
async fn approval_sends_only_list_and_watch_requests() -> Result<(), Failure> {
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    let client = own.client()?;
    let namespace = own.namespace("quiet").await?;
    written::define_olm(&client).await?;
    crds::create_policy_crd(&client).await?;
    for plural in ["operators", "upgradepolicies", "upgradepolicybindings"] {
        let name = format!("{plural}.operators.operatorframework.io");
        crds::create_crd(&client, &name).await?;
    }
    waiting(&client, &namespace).await?;
    let kubeconfig = permitted::admit(&own, &client, USER, &ALWAYS).await?;
    let serving = Serving::by(&kubeconfig).await?;
    let mut watcher = serving.watch(&namespace).await;
    let forbidden = [
        "RequiresApproval, waits: No, NoPolicy of hull.v1.0.0",
        "hull.v1.0.0 of hull for hull: No, NoPolicy of hull.v1.0.0; \
         fix a new policy: spec.subscription.name hull",
    ];
    watcher.until("the-plan", &forbidden).await;

    let asked = || Ok::<Audit, Failure>(own.audit()?.by(USER));
    until_asked(&expected(&ALWAYS), asked).await?;
    let before = asked()?.len();
    tokio::time::sleep(WHILE).await;
    let idle = asked()?.records()[before..].to_vec();
    println!("approval: {} requests in {WHILE:?}", idle.len());
    assert!(idle.iter().all(|record| record.verb == "watch"), "{idle:?}");

    let allowed = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull for hull: Yes, by hull: *",
    ];
    let editor = Editor::of(&client, &namespace);
    let written = editor.create(
        Kind::OperatorPolicy,
        "hull",
        policy("hull").body(&namespace),
    );
    watcher.reports("the-plan", &allowed, written).await?;
    until_asked(&expected(&ALWAYS), asked).await?;
    let refused = asked()?.only(permitted::is_refusal);
    assert!(refused.is_empty(), "{refused:?}");
    watcher.agrees(&serving).await;
    Ok(())
}

/// Waits until the API server lists the kinds, because a new kind is served after a short time.
/// Then creates a pending InstallPlan and its Subscription, in the state in which OLM would leave
/// them.
async fn waiting(client: &Client, namespace: &str) -> Result<(), Failure> {
    let editor = Editor::of(client, namespace);
    for kind in [
        Kind::ClusterServiceVersion,
        Kind::InstallPlan,
        Kind::Subscription,
    ] {
        until(format!("{kind:?} to be listed"), PATIENCE, async || {
            let all = kind.everywhere(client);
            Ok(Seen::Yes(all.list(&ListParams::default()).await?))
        })
        .await?;
    }
    let subscription = json!({
        "spec": {"name": "hull", "installPlanApproval": "Manual"},
        "status": {"currentCSV": "hull.v1.0.0", "state": "UpgradePending"},
    });
    editor
        .create(Kind::Subscription, "hull", subscription)
        .await?;
    let identity = json!({"packageName": "hull", "version": "1.0.0"});
    let properties = json!({"properties": [{"type": "olm.package", "value": identity}]});
    let plan = json!({
        "spec": {
            "approval": "Manual",
            "approved": false,
            "clusterServiceVersionNames": ["hull.v1.0.0"],
            "generation": 1,
        },
        "status": {
            "phase": "RequiresApproval",
            "bundleLookups": [{
                "identifier": "hull.v1.0.0",
                "path": "registry.example/hull:v1.0.0",
                "properties": properties.to_string(),
                "replaces": "",
                "catalogSourceRef": {"name": "fleet", "namespace": namespace},
            }],
            "plan": [],
        },
    });
    editor.create(Kind::InstallPlan, "the-plan", plan).await
}
