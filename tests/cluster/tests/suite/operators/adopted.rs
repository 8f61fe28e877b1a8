//! Tests Operators that adopt an operator that OLM v0 installed, and that are then returned to OLM.

mod catalog;
mod killed;
pub(crate) mod wharf;

use kube::api::ListParams;
use portolan_rig::{Component, Failure, Kind, Operator, PATIENCE, Seen, until, until_gone};
use serde_json::{Value, json};

use self::catalog::{catalog, catalog_of_two, with_all};
use self::wharf::{HOME, Wharf, answering_wharf, wharf};
use super::standin::Traffic;
use crate::bundles::ferry;
use crate::is_soak;

/// The numbers of the writes at which the controllers are killed, one number for each controller.
/// An adoption takes about 170 writes.
const LIVES: [usize; 16] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 40, 60, 90];

/// The adopted operator has webhooks, a conversion webhook and an aggregated API. During the
/// adoption, its Pods and objects do not change. A restart of OLM changes nothing. After the next
/// upgrade, the objects of OLM are deleted.
#[tokio::test]
async fn adoption_from_olm_restarts_no_pods() -> Result<(), Failure> {
    let Some((wharf, standin)) = answering_wharf("adopted", catalog(&with_all())).await? else {
        return Ok(());
    };
    let asked = ["Ship", HOME, "/apis/tides.ferry.example/v1"];
    let versions = ["ferry.example/v1", "ferry.example/v1alpha1"];
    let traffic = Traffic::start(wharf.harbor.client(), asked, versions);
    let before = wharf.identities().await?;
    let webhooks = wharf.webhook_names().await?;
    // OLM reports that its upgrade is in progress, until the next version waits for approval.
    let olm = Operator::of(wharf.harbor.client(), HOME, "ferry");
    olm.plan("ferry.v1.1.0").await?;
    let dry = ["adopt", "ferry", "--dry-run"];
    let message = wharf.portolan_until_success(&dry).await?;
    for line in [
        "ferry 1.0.0\n",
        "  delete  Subscription ferries/ferry\n",
        "  delete  ClusterServiceVersion ferries/ferry.v1.0.0\n",
        "  keep    Deployment ferries/ferry-controller\n",
        "  keep    CustomResourceDefinition ships.ferry.example\n",
    ] {
        assert!(message.contains(line), "{message}");
    }
    let message = wharf
        .portolan_until_success(&["adopt", "ferry", "--dry-run", "-o", "diff"])
        .await?;
    for lines in [
        "--- Subscription ferries/ferry\n+++ (deleted)\n",
        "+++ APIService v1.tides.ferry.example, of the Operator\n",
        "\n-    olm.owner: ferry.v1.0.0\n",
    ] {
        assert!(message.contains(lines), "{message}");
    }
    assert!(!message.contains("\n+ "), "{message}");
    wharf.portolan_until_success(&["adopt", "ferry"]).await?;
    wharf.until_step("ferry", "Adopted").await?;
    wharf.is_left_by_olm().await?;
    assert_eq!(wharf.identities().await?, before);
    until("two authorities are trusted", PATIENCE, async || {
        let conversion = wharf.conversion().await?;
        Ok(if conversion == ("Webhook".to_owned(), 2) {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{conversion:?}"))
        })
    })
    .await?;
    let cluster = wharf.harbor.world().cluster();
    // OLM reconciles all objects when it starts, and then every 15 minutes.
    for _ in 0..if is_soak() { 4 } else { 1 } {
        cluster.restart(Component::Olm).await?;
        cluster.restart(Component::OlmCatalog).await?;
        wharf.is_left_by_olm().await?;
        assert_eq!(wharf.identities().await?, before);
    }

    let next = json!({
        "adopt": true, "version": "1.1.0", "settleSeconds": 0, "namespace": HOME, "approval": "Automatic",
        "config": {"env": [{"name": "DEBUG", "value": "1"}]},
    });
    wharf.harbor.operator("ferry", next).await?;
    wharf.harbor.until_installed("ferry", "1.1.0").await?;
    wharf
        .harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    let after = wharf.identities().await?;
    for (object, uid) in before.iter().filter(|(object, _)| stays(object)) {
        assert_eq!(after.get(object), Some(uid), "{object}");
    }
    assert_eq!(wharf.webhook_names().await?, webhooks);
    let roles = wharf.api(["rbac.authorization.k8s.io/v1", "ClusterRole", ""]);
    until("the objects of OLM to be deleted", PATIENCE, async || {
        let all = roles.list(&ListParams::default()).await?.items;
        let names = all.into_iter().filter_map(|it| it.metadata.name);
        let left: Vec<_> = names
            .filter(|name| name.starts_with("ferry.v1.0.0"))
            .collect();
        Ok(if left.is_empty() {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{left:?}"))
        })
    })
    .await?;
    assert_eq!(wharf.conversion().await?.0, "Webhook");

    let (answered, refused) = traffic.stop();
    assert_eq!(refused, [""; 0], "of {answered}");
    let [admitted, converted] =
        ["AdmissionReview", "ConversionReview"].map(|kind| standin.asked(kind));
    let (admitted, converted) = (admitted?, converted?);
    println!("adopted: {answered} answers, with {admitted} admissions and {converted} conversions");
    assert!(answered > 50, "{answered}");
    assert!(
        admitted >= answered / 2 && converted >= answered / 4,
        "{admitted} {converted}"
    );
    let operator = Operator::of(wharf.harbor.client(), HOME, "ferry");
    let released = wharf.portolan(&["release", "ferry"]);
    let ((message, is_well), ()) = tokio::try_join!(released, operator.install("ferry.v1.1.0"))?;
    assert!(is_well, "{message}");
    let released = wharf.identities().await?;
    for (object, uid) in before.iter().filter(|(object, _)| stays(object)) {
        assert_eq!(released.get(object), Some(uid), "{object}");
    }
    Ok(())
}

/// Returns true if an upgrade does not change this object.
fn stays(object: &str) -> bool {
    object != "what runs" && !object.starts_with("Pod")
}

/// Adopts an operator that has two target namespaces, and copies of its ClusterServiceVersion in
/// them. During an upgrade by OLM, the adoption is refused. While OLM still owns the operator, the
/// adoption is undone. Then controllers that are killed repeatedly complete the adoption, and the
/// copies are deleted.
#[tokio::test]
async fn operator_with_target_namespaces_is_adopted_and_released() -> Result<(), Failure> {
    let targets = ["north", "south"];
    let Some(mut wharf) = wharf("adopted-some", catalog(&ferry::plain()), &targets).await? else {
        return Ok(());
    };
    wharf.refuses_in_the_middle_of_an_upgrade().await?;
    let before = wharf.identities().await?;
    let dry = ["adopt", "--all", "--dry-run", "-o", "json"];
    let operator = wharf.portolan_until_success(&dry).await?;
    let operators: Value = serde_json::from_str(&operator).map_err(Failure::read("Operators"))?;
    let mut spec = operators[0]["spec"].clone();
    assert_eq!(spec["watchNamespaces"], json!(targets));

    wharf.harbor.operator("ferry", spec.clone()).await?;
    wharf
        .once("a plan is applied", async |wharf| {
            let plans = wharf.harbor.plan_names().await?;
            Ok(plans.iter().any(|(_, is_suspended)| !is_suspended))
        })
        .await?;
    wharf.harbor.kill();
    spec["adopt"] = json!(false);
    wharf.harbor.operator("ferry", spec.clone()).await?;
    let csvs = Kind::ClusterServiceVersion.within(wharf.harbor.client(), HOME);
    let is_held = csvs
        .get("ferry.v1.1.0")
        .await?
        .metadata
        .deletion_timestamp
        .is_none();
    wharf.harbor.start().await?;
    if is_held {
        wharf
            .harbor
            .until("ferry", ["Installing", "False", "InstalledByOlm"])
            .await?;
        wharf
            .once("its plan is gone", async |wharf| {
                Ok(wharf.harbor.plan_names().await?.is_empty())
            })
            .await?;
        let csv = csvs.get("ferry.v1.1.0").await?;
        assert_eq!(csv.data["status"]["phase"], "Succeeded");
        let finalizers = csv.metadata.finalizers.unwrap_or_default();
        assert!(
            !finalizers.iter().any(|it| it.contains("portolan")),
            "{finalizers:?}"
        );
        assert_eq!(wharf.identities().await?, before);
    }

    wharf.harbor.kill();
    spec["adopt"] = json!(true);
    wharf.harbor.operator("ferry", spec).await?;
    wharf.is_adopted_by_killed_controllers().await?;
    wharf.until_step("ferry", "Adopted").await?;
    wharf.is_left_by_olm().await?;
    assert_eq!(wharf.identities().await?, before);
    Ok(())
}

/// Adopts two operators, each in its own namespace. The adoption of the required operator waits
/// until the dependent operator is adopted. Then it continues without a command.
#[tokio::test]
async fn required_operator_is_adopted_after_its_dependent() -> Result<(), Failure> {
    let Some(wharf) = wharf("adopted-two", catalog_of_two(), &[HOME]).await? else {
        return Ok(());
    };
    let rope = Operator::of(wharf.harbor.client(), HOME, "rope");
    rope.until_phase("rope.v1.0.0", "Succeeded").await?;
    let (message, is_well) = wharf.portolan(&["adopt", "rope", "--dry-run"]).await?;
    let why = "ClusterServiceVersion ferries/ferry.v1.0.0 requires this operator";
    assert!(!is_well && message.contains(why), "{message}");

    let before = wharf.identities().await?;
    wharf.portolan_until_success(&["adopt", "--all"]).await?;
    for name in ["ferry", "rope"] {
        wharf.until_step(name, "Adopted").await?;
    }
    wharf.is_left_by_olm().await?;
    assert_eq!(wharf.identities().await?, before);
    let subscriptions = Kind::Subscription.everywhere(wharf.harbor.client());
    let left = subscriptions.list(&ListParams::default()).await?.items;
    assert_eq!(left.len(), 0, "{left:?}");
    Ok(())
}

impl Wharf {
    /// Checks that an adoption is refused during an upgrade by OLM. A ResourceQuota blocks this
    /// upgrade.
    async fn refuses_in_the_middle_of_an_upgrade(&self) -> Result<(), Failure> {
        let quota = ["v1", "ResourceQuota", HOME];
        self.harbor
            .make(&json!({
                "apiVersion": quota[0], "kind": quota[1],
                "metadata": {"name": "tight", "namespace": HOME}, "spec": {"hard": {"pods": "0"}},
            }))
            .await?;
        let olm = Operator::of(self.harbor.client(), HOME, "ferry");
        let plan = olm.plan("ferry.v1.1.0").await?;
        olm.approve(&plan).await?;
        olm.until_phase("ferry.v1.0.0", "Replacing").await?;
        let (message, is_well) = self.portolan(&["adopt", "ferry", "--dry-run"]).await?;
        assert!(
            !is_well && message.contains("OLM is upgrading the operator"),
            "{message}"
        );
        let spec = json!({"adopt": true, "namespace": HOME, "watchNamespaces": ["north", "south"]});
        self.harbor.operator("ferry", spec).await?;
        self.harbor
            .until("ferry", ["Installing", "False", "AdoptionRefused"])
            .await?;
        self.harbor.delete("ferry").await?;
        self.harbor.until_gone("ferry").await?;
        let deleted = self.api(quota).delete("tight", &Default::default()).await;
        deleted?;
        self.until_configured().await?;
        olm.until_phase("ferry.v1.1.0", "Succeeded").await?;
        let csvs = Kind::ClusterServiceVersion.within(self.harbor.client(), HOME);
        until_gone(&csvs, "ferry.v1.0.0").await
    }

    /// Adopts the operator with controllers that are killed one after the other. Each controller is
    /// killed some writes later than the previous one.
    async fn is_adopted_by_killed_controllers(&mut self) -> Result<(), Failure> {
        for at in LIVES {
            self.carry_out_until(Some(at)).await?;
        }
        self.harbor.start().await
    }
}
