//! Kills controllers during an installation with a real OLM. Other controllers continue.

use std::path::Path;
use std::sync::Arc;

use portolan_kit::proxy::{Action, Proxy};
use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_rig::{Failure, Kind, PATIENCE};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::fake_olm::only;
use super::fleet::{Fleet, controller, kubeconfig_flag};
use super::stage::{Stage, message, stage_of};
use crate::approval::policy::design;
use crate::health::written;
use crate::process::Running;
use crate::{detour, world};

const PACKAGE: &str = "proa";
const BUNDLE: &str = "proa.v1.0.0";
const DEFINITION: &str = "proas.proa.example.test";
/// The lines of the final status. They are the same as in a run without kills.
const INSTALLED: [&str; 12] = [
    "CatalogSourcesUnhealthy False CatalogSourcesFound",
    "ClusterServiceVersionCompliant True InstallSucceeded",
    "CustomResourceDefinitionCompliant True RelevantCRDFound",
    "DeploymentsAvailable True DeploymentsAvailable",
    "InstallPlanCompliant True NoInstallPlansRequiringApproval",
    "OperatorGroupCompliant True OperatorGroupMatches",
    "SubscriptionCompliant True SubscriptionMatches",
    "ValidPolicySpec True PolicyValidated",
    "installed: proa.v1.0.0",
    "next: ",
    "target: ",
    "compliant: Compliant",
];
/// The expected writes of all controllers.
const OLM_WRITES: [&str; 9] = [
    "create operatorgroups",
    "patch operatorgroups",
    "create subscriptions",
    // The first controller created the object and owns it through this request. The next controller
    // applies the object.
    "patch subscriptions",
    "patch subscriptions",
    "patch installplans",
    "delete subscriptions",
    "delete clusterserviceversions",
    "delete operatorgroups",
];
const OLM: &str = "/apis/operators.coreos.com/v1alpha1/namespaces";

/// The first controller is killed after it creates the Subscription, the second after it approves
/// the plan, and the third after it deletes the Subscription. Each is killed before it reports its
/// action. The fourth controller repeats no write.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn next_controller_continues_after_a_kill_beside_olm() -> Result<(), Failure> {
    let Some(world) = world("heirs").await? else {
        return Ok(());
    };
    let fleet = Fleet::idle(&world).await?;
    let offered = catalog("proa: 1.0.0").installable();
    let stage = stage_of(world, fleet, &offered).await?;
    let under = format!("{OLM}/{}", stage.world.namespace());

    let makes = KilledAtWrite::at(&stage, &format!("POST {under}/subscriptions")).await?;
    stage
        .write(&stage.at_home(design(PACKAGE, &[BUNDLE])))
        .await?;
    makes.dies().await;
    let made = stage.object(Kind::Subscription, PACKAGE).await?;
    let made = made.expect("the Subscription must be made");

    let approves = KilledAtWrite::at(&stage, &format!("PATCH {under}/installplans")).await?;
    approves.dies().await;
    let policy = stage.object(Kind::OperatorPolicy, PACKAGE).await?;
    let policy = policy.expect("the policy must exist");
    let reported = message(&policy.data["status"], "InstallPlanCompliant");
    assert!(!reported.contains("is approved"), "{reported}");

    let deletes = KilledAtWrite::at(&stage, &format!("DELETE {under}/subscriptions")).await?;
    stage.until_status(PACKAGE, &INSTALLED).await?;
    let kept = stage.object(Kind::Subscription, PACKAGE).await?;
    let kept = kept.expect("the Subscription must exist");
    assert_eq!(kept.metadata.uid, made.metadata.uid, "it is made once");
    stage.editor.delete(Kind::OperatorPolicy, PACKAGE).await?;
    deletes.dies().await;
    let csv = stage.object(Kind::ClusterServiceVersion, BUNDLE).await?;
    let csv = csv.expect("the operator must exist");
    assert_eq!(csv.metadata.deletion_timestamp, None);

    let _last = run_alone(&stage, &stage.fleet.kubeconfig).await;
    stage.is_gone(Kind::OperatorPolicy, PACKAGE).await?;
    for (kind, left) in [
        (Kind::Subscription, 0),
        (Kind::ClusterServiceVersion, 0),
        (Kind::OperatorGroup, 0),
        (Kind::InstallPlan, 1),
    ] {
        let found = stage.editor.objects(kind).list(&Default::default()).await?;
        assert_eq!(found.items.len(), left, "{kind:?}");
    }
    let kept = stage.object(Kind::CustomResourceDefinition, DEFINITION);
    assert!(kept.await?.is_some(), "CRDs are kept");
    assert_same!(stage.olm_writes()?, OLM_WRITES.map(str::to_owned).to_vec());
    Ok(())
}

/// A controller that is killed after the API server has executed a write, and before the controller
/// gets the response.
struct KilledAtWrite {
    running: Running,
    landed: Arc<Notify>,
    _proxy: Arc<Proxy>,
    _folder: TempFolder,
}

impl KilledAtWrite {
    /// Starts a controller that is killed at its first write of this type.
    async fn at(stage: &Stage, write: &str) -> Result<Self, Failure> {
        let user = Fleet::user(&stage.world);
        let proxy = Arc::new(detour::proxy_of(stage.world.cluster(), &user).await?);
        let landed = Arc::new(Notify::new());
        let (lands, way) = (landed.clone(), Arc::downgrade(&proxy));
        let ends = move || {
            if let Some(way) = way.upgrade() {
                way.freeze();
            }
            lands.notify_one();
        };
        proxy.at(1, write, Action::call_after(ends));
        let (kubeconfig, folder) = written::through(&proxy);
        Ok(Self {
            running: run_alone(stage, &kubeconfig).await,
            landed,
            _proxy: proxy,
            _folder: folder,
        })
    }

    async fn dies(self) {
        let landed = timeout(PATIENCE, self.landed.notified()).await;
        landed.expect("it must come that far");
        self.running.kill();
    }
}

/// Starts the only controller of the test. It sends its requests through this proxy.
async fn run_alone(stage: &Stage, kubeconfig: &Path) -> Running {
    let own = [
        kubeconfig_flag(kubeconfig),
        "--no-lease".to_owned(),
        only(stage.world.namespace()),
    ];
    controller(stage.fleet.services().into_iter().chain(own)).await
}
