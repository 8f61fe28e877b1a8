//! Tests the repair of a version whose installation has failed.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::Failure;
use serde_json::json;

use super::diagnoses::root;
use super::stage::{Dumped, Stage, stage};

/// The Deployment has exceeded its deadline, so OLM ignores a change of the settings. OLM applies
/// the memory limit of the Subscription only after the printed restart.
#[tokio::test]
async fn higher_memory_limit_repairs_a_version_that_olm_gave_up() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-memory").await? else {
        return Ok(());
    };
    let offered = catalog("gannet: 2.0.0").installable();
    let offered = offered.with_pod_state("2.0.0", "crash-looping");
    let offered = offered.with_deployment("2.0.0", |deployment| {
        deployment["strategy"] = json!({"type": "Recreate"});
        deployment["template"]["spec"]["containers"][0]["resources"] =
            json!({"limits": {"memory": "64Mi"}});
    });
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("gannet").await?;
    let diagnoses = &stage.diagnoses;
    diagnoses.until_reason("gannet", "InstallCheckFailed").await;
    ends(
        &stage,
        "gannet",
        "64Mi",
        r#""exitCode": 137, "reason": "OOMKilled""#,
    )
    .await?;

    let exceeded = root("gannet", Code::CrashLooping, "Subscription gannet");
    stage
        .does_by(exceeded, "Raise the memory limit from 64Mi to 128Mi")
        .await?;
    await_limit(&stage, "gannet", "128Mi").await?;
    stage.world.pods().ready("operator=gannet").await?;
    stage.well_as("gannet", "gannet.v2.0.0").await;
    stage.well("gannet").await
}

/// OLM replaces a version in the phase Failed only if the OperatorGroup permits this.
#[tokio::test]
async fn failed_version_with_an_unserved_api_is_replaced() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-unserved").await? else {
        return Ok(());
    };
    let offered = catalog("fulmar: 1.0.0 -> 1.0.1").installable();
    let offered = offered.with_pod_state("1.0.0", "crash-looping");
    let offered = offered.with_deployment("1.0.0", |deployment| {
        deployment["template"]["spec"]["containers"][0]["resources"] =
            json!({"limits": {"memory": "64Mi"}});
    });
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("fulmar manual start=fulmar.v1.0.0").await?;
    let waits = root("fulmar", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    let diagnoses = &stage.diagnoses;
    diagnoses.until_reason("fulmar", "InstallCheckFailed").await;
    let words = r#""exitCode": 1, "reason": "Error", "message": "no matches for kind \"CronJob\" in version \"batch/v1beta1\"""#;
    ends(&stage, "fulmar", "64Mi", words).await?;
    let waits = root("fulmar", Code::CrashLooping, "InstallPlan install-");

    let allowed = stage
        .later(
            waits,
            "Only if this check fails and fulmar.v1.0.1 is Pending",
        )
        .await?;
    let approve = stage.fix(waits, Dumped::InOtherWords).await?;
    stage.types(&approve).await?;
    let pending = "kubectl -n $NS wait csv/fulmar.v1.0.1 --for=create --timeout=180s\n\
                   kubectl -n $NS wait csv/fulmar.v1.0.1 --for=jsonpath='{.status.phase}'=Pending \
                   --timeout=180s";
    stage.types(pending).await?;
    stage.types(&allowed).await?;
    stage.well_as("fulmar", "fulmar.v1.0.1").await;
    stage.well("fulmar").await
}

/// OLM creates the next version, and does not replace the failed version with it.
#[tokio::test]
async fn failed_version_is_replaced_by_its_pending_successor() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-stalled").await? else {
        return Ok(());
    };
    let offered = catalog("petrel: 1.0.0 -> 1.0.1").installable();
    let offered = offered.with_pod_state("1.0.0", "crash-looping");
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("petrel manual start=petrel.v1.0.0").await?;
    let waits = root("petrel", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    let diagnoses = &stage.diagnoses;
    diagnoses.until_reason("petrel", "InstallCheckFailed").await;
    let approve = "waiting() {\n\
                     kubectl -n $NS get installplans.operators.coreos.com \
                       -o jsonpath='{.items[?(@.spec.approved==false)].metadata.name}'\n\
                   }\n\
                   for i in $(seq 180); do plan=$(waiting); [ -n \"$plan\" ] && break; sleep 1; done\n\
                   kubectl -n $NS patch installplans.operators.coreos.com $plan --type merge \
                   -p '{\"spec\":{\"approved\":true}}'\n\
                   kubectl -n $NS wait csv/petrel.v1.0.1 --for=create --timeout=180s\n\
                   kubectl -n $NS wait csv/petrel.v1.0.1 --for=jsonpath='{.status.phase}'=Pending \
                   --timeout=180s";
    stage.types(approve).await?;
    let crashes = root("petrel", Code::CrashLooping, "Deployment petrel");
    stage
        .does_by(crashes, "If petrel.v1.0.1 corrects the problem")
        .await?;
    stage.well_as("petrel", "petrel.v1.0.1").await;
    stage.well("petrel").await
}

/// Sets how the container of the operator ended, as the kubelet reports it.
async fn ends(stage: &Stage, name: &str, limit: &str, end: &str) -> Result<(), Failure> {
    await_limit(stage, name, limit).await?;
    let at = r#""startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z""#;
    let wait = r#""waiting": {"reason": "CrashLoopBackOff"}"#;
    let text = format!(
        "pods=$(kubectl -n $NS get pods -l operator={name} -o name)\n\
         container=$(kubectl -n $NS get $pods -o jsonpath='{{.spec.containers[0].name}}')\n\
         image=$(kubectl -n $NS get $pods -o jsonpath='{{.spec.containers[0].image}}')\n\
         kubectl -n $NS patch $pods --subresource=status -p '{{\"status\": {{\"containerStatuses\": [\n\
         {{\"name\": \"'$container'\", \"image\": \"'$image'\", \"imageID\": \"\", \"ready\": false, \"restartCount\": 4,\n\
         \"state\": {{{wait}}}, \"lastState\": {{\"terminated\": {{{end}, {at}}}}}}}]}}}}'"
    );
    stage.types(&text).await
}

/// Waits until the only Pod of the operator has this memory limit. There may be no Pod for a short
/// time.
async fn await_limit(stage: &Stage, name: &str, limit: &str) -> Result<(), Failure> {
    let path = "{.items[*].spec.containers[0].resources.limits.memory}";
    let text = format!(
        "timeout 180 sh -c 'until [ \"$(kubectl -n $NS get pods -l operator={name} -o jsonpath=\"{path}\")\" = {limit} ]; \
         do sleep 0.5; done'"
    );
    stage.types(&text).await
}
