//! InstallPlans.

use kube::api::{DeleteParams, Patch, PatchParams};
use portolan_core_diagnosis::Code;
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::ward::{Cure, Ward};
use crate::objects::api_of;
use crate::operators::stage::{Harbor, harbor, version};

const ACCOUNT: &str = "portolan-installer";

fn config_map(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace}, "data": {"value": "1"},
    })
}

fn spec(account: &str, objects: &[Value]) -> Value {
    let resources = objects.iter().map(|object| json!({"manifest": object}));
    let stage = json!({"name": "all", "resources": resources.collect::<Vec<_>>()});
    json!({"serviceAccountName": account, "stages": [stage]})
}

/// A spec with more fields.
fn with(mut spec: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    spec
}

async fn plan(harbor: &Harbor, [namespace, name]: [&str; 2], spec: Value) -> Result<(), Failure> {
    harbor
        .make(&json!({
            "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
            "metadata": {"name": name, "namespace": namespace}, "spec": spec,
        }))
        .await
}

async fn account(harbor: &Harbor, namespace: &str, name: &str) -> Result<(), Failure> {
    harbor
        .make(&json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": namespace},
        }))
        .await
}

/// Plans that wait for an object that a command can create.
#[tokio::test]
async fn printed_commands_create_objects_that_plans_wait_for() -> Result<(), Failure> {
    let Some(harbor) = harbor("dx-own-lacks", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    let home = harbor.home();
    let map = |name: &str| [config_map(home, name)];
    let rests = with(spec(ACCOUNT, &map("rests")), json!({"suspend": true}));
    plan(&harbor, [home, "rests"], rests).await?;
    let nowhere = spec(ACCOUNT, &[config_map("quay", "a")]);
    plan(&harbor, [home, "nowhere"], nowhere).await?;
    plan(&harbor, [home, "alone"], spec("missing", &map("alone"))).await?;
    let twice = [config_map(home, "twice"), config_map(home, "twice")];
    plan(&harbor, [home, "twice"], spec(ACCOUNT, &twice)).await?;

    let ward = Ward::of(&harbor).await?;
    let resume = Cure::Decide("Resume the plan");
    let rests = "InstallPlan.plans.portolan.dev rests";
    ward.cures(("plan/rests", Code::PlanSuspended, rests), resume)
        .await?;
    ward.applies(("plan/nowhere", Code::PlanInvalid, "Namespace quay"))
        .await?;
    let twice = "InstallPlan.plans.portolan.dev twice";
    let delete = Cure::Decide("Delete it");
    ward.cures(("plan/twice", Code::PlanInvalid, twice), delete)
        .await?;
    // A new ServiceAccount has no permissions, and the program reports that next.
    let missing = "ServiceAccount missing";
    let alone = ("plan/alone", Code::PermissionMissing, missing);
    ward.cures(alone, Cure::Fix).await?;
    ward.cures(alone, Cure::Decide("Grant the missing rules"))
        .await?;
    ward.is_well("plan/alone").await
}

/// The controller of the test may impersonate all users, so that only the label is missing.
#[tokio::test]
async fn printed_commands_enable_a_namespace() -> Result<(), Failure> {
    let Some(harbor) = harbor("dx-own-closed", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    let closed = harbor.world().cluster().namespace("dx-closed").await?;
    account(&harbor, &closed, "any").await?;
    let objects = [config_map(&closed, "a")];
    plan(&harbor, [&closed, "closed"], spec("any", &objects)).await?;
    let ward = Ward::of(&harbor).await?;
    let of = format!("plan/{closed}/closed");
    let namespace = format!("Namespace {closed}");
    let enable = Cure::Decide("Enable plans in this namespace");
    ward.cures((&of, Code::PermissionMissing, &namespace), enable)
        .await?;
    let grant = Cure::Decide("Grant the missing rules");
    ward.cures((&of, Code::PermissionMissing, "ServiceAccount any"), grant)
        .await?;
    ward.is_well(&of).await
}

/// Plans with objects that another manager owns or changes.
#[tokio::test]
async fn printed_commands_resolve_conflicts_about_objects() -> Result<(), Failure> {
    let Some(harbor) = harbor("dx-own-quarrels", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    let home = harbor.home();
    let ward = Ward::of(&harbor).await?;
    let [free, taken, shared, fought, held] =
        ["free", "taken", "shared", "fought", "held"].map(|name| config_map(home, name));
    for map in [&free, &taken] {
        harbor.make(map).await?;
    }
    plan(&harbor, [home, "free"], spec(ACCOUNT, &[free])).await?;
    let claims = with(
        spec(ACCOUNT, std::slice::from_ref(&taken)),
        json!({"collisions": "IfUnowned"}),
    );
    own(&harbor, &taken).await?;
    plan(&harbor, [home, "taken"], claims).await?;
    plan(
        &harbor,
        [home, "first"],
        spec(ACCOUNT, std::slice::from_ref(&shared)),
    )
    .await?;
    ward.is_well("plan/first").await?;
    plan(&harbor, [home, "second"], spec(ACCOUNT, &[shared])).await?;

    let adopt = Cure::Decide("Adopt objects without an owner");
    ward.cures(("plan/free", Code::ObjectNotOwned, "ConfigMap free"), adopt)
        .await?;
    let adopt = Cure::Decide("Adopt existing objects");
    ward.cures(
        ("plan/taken", Code::ObjectNotOwned, "ConfigMap taken"),
        adopt,
    )
    .await?;
    // Each plan would take the object from the other plan.
    ward.cures(
        ("plan/second", Code::ObjectNotOwned, "ConfigMap shared"),
        Cure::None,
    )
    .await?;

    let reverts = json!({"lifecycle": {"onDrift": "Revert"}});
    let contested = with(spec(ACCOUNT, std::slice::from_ref(&fought)), reverts);
    plan(&harbor, [home, "fought"], contested).await?;
    ward.is_well("plan/fought").await?;
    let rival = fights(&harbor, &fought);
    let leave = Cure::Decide("Leave the object to the other client");
    let problem = ("plan/fought", Code::DriftContested, "ConfigMap fought");
    let ((), cured) = tokio::join!(rival, ward.cures(problem, leave));
    cured?;

    let deletes = json!({"lifecycle": {"onPlanDeletion": "Delete"}});
    plan(
        &harbor,
        [home, "held"],
        with(spec(ACCOUNT, std::slice::from_ref(&held)), deletes),
    )
    .await?;
    ward.is_well("plan/held").await?;
    let finalizers = json!({"metadata": {"finalizers": ["ferry.test/hold"]}});
    patch(&harbor, &held, finalizers).await?;
    let plans = harbor.plans();
    plans.delete("held", &DeleteParams::default()).await?;
    let remove = Cure::Decide("If no controller handles the finalizers");
    ward.cures(
        ("plan/held", Code::DeletionBlocked, "ConfigMap held"),
        remove,
    )
    .await
}

/// Changes a ConfigMap back until its plan stops reverting it.
async fn fights(harbor: &Harbor, of: &Value) {
    let theirs = json!({"data": {"value": "2"}});
    loop {
        let is_over = async {
            let plan = harbor.plans().get("fought").await?;
            Ok::<_, Failure>(plan.data["status"].to_string().contains("DriftContested"))
        };
        if is_over.await.unwrap_or_default() || patch(harbor, of, theirs.clone()).await.is_err() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// Sets an owner reference with a controller on an object.
async fn own(harbor: &Harbor, of: &Value) -> Result<(), Failure> {
    let owner = config_map(harbor.home(), "owner");
    harbor.make(&owner).await?;
    let api = api_of(harbor.client(), &owner);
    let uid = api.get("owner").await?.metadata.uid;
    let owner = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid, "controller": true,
    });
    patch(
        harbor,
        of,
        json!({"metadata": {"ownerReferences": [owner]}}),
    )
    .await
}

async fn patch(harbor: &Harbor, of: &Value, change: Value) -> Result<(), Failure> {
    let name = of["metadata"]["name"].as_str().expect("a name");
    let params = PatchParams {
        field_manager: Some("rival".to_owned()),
        ..PatchParams::default()
    };
    let api = api_of(harbor.client(), of);
    api.patch(name, &params, &Patch::Merge(change)).await?;
    Ok(())
}
