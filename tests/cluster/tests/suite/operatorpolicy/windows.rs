//! Tests an OperatorPolicy with a PolicyBinding. Allowed versions are approved only while a window
//! is open.

use std::fs;

use jiff::{SignedDuration, Timestamp, TimestampRound, Unit};
use portolan_kit::{TempFolder, catalog};
use portolan_rig::Failure;

use super::fleet::Fleet;
use super::stage::{lines, message, stage_of};
use crate::approval::crds::create_crd;
use crate::approval::policy::design;
use crate::kubectl::Kubectl;
use crate::own_world;

const KINDS: [&str; 2] = ["upgradepolicies", "upgradepolicybindings"];
/// The time that a test needs to write its policies, before a window opens.
const AHEAD: SignedDuration = SignedDuration::from_secs(5);
/// A schedule whose window is open for one minute per year.
pub(crate) const CLOSED: &str = "schedule: [{start: '0 0 1 1 *', end: '1 0 1 1 *'}]";

/// Returns a Policy with this schedule, and its PolicyBinding for the OperatorPolicy of a
/// namespace.
fn manifests(namespace: &str, name: &str, schedule: &str) -> String {
    format!(
        "apiVersion: operators.operatorframework.io/v1alpha1
kind: Policy
metadata: {{name: soon}}
spec: {{{schedule}}}
---
apiVersion: operators.operatorframework.io/v1alpha1
kind: PolicyBinding
metadata: {{name: own}}
spec:
  subjects: [{{kind: operatorPolicy, namespace: {namespace}, name: {name}}}]
  policyRef: [{{kind: policy, name: soon}}]
"
    )
}

/// Returns the schedule of a window that opens at this time.
pub(crate) fn opening(at: Timestamp) -> String {
    let start = at.strftime("%-M %-H %-d %-m *");
    format!("schedule: [{{start: '{start}', end: '0 0 1 1 *'}}]")
}

/// Returns the next full minute that is at least `AHEAD` away.
pub(crate) fn next_minute() -> Result<Timestamp, jiff::Error> {
    let up = TimestampRound::new().smallest(Unit::Minute);
    (Timestamp::now() + AHEAD).round(up.mode(jiff::RoundMode::Ceil))
}

/// No object changes. Only the clock makes the controller approve the plan.
#[tokio::test]
async fn plan_is_approved_when_the_window_opens() -> Result<(), Failure> {
    let Some(world) = own_world("windows").await? else {
        return Ok(());
    };
    for kind in KINDS {
        let name = format!("{kind}.operators.operatorframework.io");
        create_crd(world.client(), &name).await?;
    }
    let kubectl = Kubectl::of(world.cluster());
    let folder = TempFolder::empty();
    let file = folder.join("policies.yaml");
    let namespace = world.namespace().to_owned();
    let apply = async |schedule: &str| {
        let manifests = manifests(&namespace, "dory", schedule);
        fs::write(&file, manifests).map_err(Failure::touch("write Policies"))?;
        kubectl
            .run(&["apply", "-f", &file.display().to_string()])
            .await
    };
    apply(CLOSED).await?;

    let fleet = Fleet::of(&world).await?;
    let offered = catalog("dory: 1.0.0").installable();
    let stage = stage_of(world, fleet, &offered).await?;
    stage.write(&stage.at_home(design("dory", &["*"]))).await?;
    let waits = "The InstallPlan is not approved yet: Policy soon (by PolicyBinding own) opens its \
                 next time window at ";
    let status = stage
        .mentions("dory", "InstallPlanCompliant", waits)
        .await?;
    let output = message(&status, "InstallPlanCompliant");
    assert!(output.ends_with("-01-01T00:00:00Z"), "{output}");
    assert!(
        lines(&status)
            .contains(&"InstallPlanCompliant True InstallPlanRequiresApproval".to_owned()),
        "{status:#}"
    );
    let opens = next_minute().map_err(Failure::read("the next minute"))?;
    apply(&opening(opens)).await?;
    stage
        .until_status("dory", &["installed: dory.v1.0.0"])
        .await?;
    assert!(Timestamp::now() >= opens, "{opens} was waited for");
    Ok(())
}
