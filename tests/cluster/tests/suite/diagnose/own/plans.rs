//! Tests problems of Portolan's InstallPlans.

use kube::ResourceExt as _;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use portolan_core_diagnosis::Code;
use portolan_rig::{Failure, PATIENCE, Seen, until};
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

/// Adds fields to a spec.
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

/// These InstallPlans wait for an object that a command can create.
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
    let delete = Cure::Decide("Delete the plan");
    ward.cures(("plan/twice", Code::PlanInvalid, twice), delete)
        .await?;
    // The new ServiceAccount has no permissions. The program reports this as the next problem.
    let missing = "ServiceAccount missing";
    let alone = ("plan/alone", Code::PermissionMissing, missing);
    ward.cures(alone, Cure::Fix).await?;
    ward.cures(alone, Cure::Decide("Grant the missing rules"))
        .await?;
    ward.is_well("plan/alone").await
}

/// The controller of this test may impersonate all users. So only the label of the namespace is
/// missing.
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
    let enable = Cure::Decide("Allow InstallPlans in this namespace");
    ward.cures((&of, Code::PermissionMissing, &namespace), enable)
        .await?;
    let grant = Cure::Decide("Grant the missing rules");
    ward.cures((&of, Code::PermissionMissing, "ServiceAccount any"), grant)
        .await?;
    ward.is_well(&of).await
}

/// Another manager owns or changes the objects of these InstallPlans.
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
    // Each of the two plans would take the object from the other plan.
    ward.cures(
        ("plan/second", Code::ObjectNotOwned, "ConfigMap shared"),
        Cure::None,
    )
    .await?;

    let reverts = json!({"lifecycle": {"onDrift": "Revert"}});
    let contested = with(spec(ACCOUNT, std::slice::from_ref(&fought)), reverts);
    plan(&harbor, [home, "fought"], contested).await?;
    ward.is_well("plan/fought").await?;
    let rival = fights(&harbor, "fought");
    let leave = Cure::Decide("Leave the object to the other client");
    let problem = ("plan/fought", Code::DriftContested, "ConfigMap fought");
    let ((), cured) = tokio::join!(rival, ward.cures(problem, leave));
    cured?;

    let again = with(
        spec(ACCOUNT, &[config_map(home, "again")]),
        json!({"lifecycle": {"onDrift": "Revert"}}),
    );
    plan(&harbor, [home, "again"], again).await?;
    ward.is_well("plan/again").await?;
    fights(&harbor, "again").await;
    let problem = ("plan/again", Code::DriftContested, "ConfigMap again");
    let repair = Cure::Later("After the other client has stopped");
    ward.cures(problem, repair).await?;
    ward.is_well("plan/again").await?;

    hold(&harbor, &ward, &held).await?;
    let remove = Cure::Decide("If no controller processes the finalizers");
    let problem = ("plan/held", Code::DeletionBlocked, "ConfigMap held");
    ward.cures(problem, remove).await?;
    let kept = config_map(home, "kept");
    hold(&harbor, &ward, &kept).await?;
    let abandon = Cure::Decide("Abandon the deletion of the plan");
    let problem = ("plan/kept", Code::DeletionBlocked, "ConfigMap kept");
    ward.cures(problem, abandon).await
}

/// Deletes the plan with the name of the object. A finalizer of the object blocks this deletion.
async fn hold(harbor: &Harbor, ward: &Ward<'_>, object: &Value) -> Result<(), Failure> {
    let name = object["metadata"]["name"].as_str().expect("a name");
    let deletes = json!({"lifecycle": {"onPlanDeletion": "Delete"}});
    let deletes = with(spec(ACCOUNT, std::slice::from_ref(object)), deletes);
    plan(harbor, [harbor.home(), name], deletes).await?;
    ward.is_well(&format!("plan/{name}")).await?;
    let finalizers = json!({"metadata": {"finalizers": ["ferry.test/hold"]}});
    patch(harbor, object, finalizers).await?;
    let plans = harbor.plans();
    plans.delete(name, &DeleteParams::default()).await?;
    Ok(())
}

/// The Pod of a Job fails. The diagnosis names the container of the Pod. The printed command runs
/// the Job again, and then it succeeds.
#[tokio::test]
async fn printed_command_reruns_a_failed_job() -> Result<(), Failure> {
    let Some(harbor) = harbor("dx-own-jobs", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    let home = harbor.home();
    let pods = json!({
        "metadata": {"annotations": {"rig.test/pod-state": "unready"}},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "ferry.test/ferry:1"}],
        },
    });
    let job = json!({
        "name": "migrate", "template": {"spec": {"backoffLimit": 0, "template": pods}},
    });
    let mut migrates = spec(ACCOUNT, &[config_map(home, "migrated")]);
    migrates["stages"][0]["jobs"] = json!([job]);
    plan(&harbor, [home, "migrates"], migrates).await?;

    let ward = Ward::of(&harbor).await?;
    end_run(&harbor, "3").await?;
    let plan = "InstallPlan.plans.portolan.dev migrates";
    let failed = ("plan/migrates", Code::JobFailed, plan);
    // The controller may still extend the message of the condition, so the comparison is repeated.
    let cause = until("a dump to answer as its cluster", PATIENCE, async || {
        let cause = ward.reported(failed).await?;
        let dumped = ward.dumped("plan/migrates").await?["cause"].clone();
        Ok(if cause == dumped {
            Seen::Yes(cause)
        } else {
            Seen::NotYet(format!("{cause:#}\n{dumped:#}"))
        })
    })
    .await?;
    let message = cause["message"].as_str().unwrap_or_default();
    assert!(message.contains("Container main of Pod"), "{message}");
    assert!(message.contains("has ended with exit code 3"), "{message}");
    let look = cause["remedy"]["look"].to_string();
    assert!(
        look.contains("kubectl logs pods/migrates-migrate"),
        "{look}"
    );
    assert!(look.contains("-c main"), "{look}");

    let again = Cure::Later("After the error is fixed, run the Job again");
    ward.does(failed, again).await?;
    end_run(&harbor, "0").await?;
    ward.is_well("plan/migrates").await
}

/// Ends the running Pod of a Job. `exit` is the exit code.
async fn end_run(harbor: &Harbor, exit: &str) -> Result<(), Failure> {
    let pods = api_of(
        harbor.client(),
        &json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": harbor.home()}}),
    );
    let of_jobs = ListParams::default().labels("batch.kubernetes.io/job-name");
    let state = "rig.test/pod-state";
    let name = until("a Pod of a Job to run", PATIENCE, async || {
        let all = pods.list(&of_jobs).await?.items;
        let runs = all.iter().find(|pod| {
            let is_held = pod.annotations().contains_key(state);
            is_held && pod.data["status"]["phase"] == "Running"
        });
        Ok(match runs {
            Some(pod) => Seen::Yes(pod.name_any()),
            None => Seen::NotYet(format!("{} Pods", all.len())),
        })
    })
    .await?;
    let annotations = json!({"rig.test/exit-code": exit, state: null});
    let change = Patch::Merge(json!({"metadata": {"annotations": annotations}}));
    pods.patch(&name, &PatchParams::default(), &change).await?;
    Ok(())
}

/// Restores a ConfigMap again and again, until its plan gives up.
async fn fights(harbor: &Harbor, name: &str) {
    let of = &config_map(harbor.home(), name);
    let theirs = json!({"data": {"value": "2"}});
    loop {
        let is_over = async {
            let plan = harbor.plans().get(name).await?;
            Ok::<_, Failure>(plan.data["status"].to_string().contains("DriftContested"))
        };
        if is_over.await.unwrap_or_default() || patch(harbor, of, theirs.clone()).await.is_err() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// Adds an owner reference to an object that names a controller.
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
