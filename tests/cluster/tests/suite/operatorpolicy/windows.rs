//! An OperatorPolicy that a PolicyBinding names approves what it allows only while a window is open.

use std::fs;

use jiff::{SignedDuration, Timestamp, TimestampRound, Unit};
use portolan_kit::{TempFolder, catalog};
use portolan_rig::Failure;

use super::fleet::Fleet;
use super::stage::{message, stage_of};
use crate::approval::definition::define_kind;
use crate::approval::policy::design;
use crate::kubectl::Kubectl;
use crate::own_world;

const KINDS: [&str; 2] = ["upgradepolicies", "upgradepolicybindings"];
/// Before a window opens there must be time to see that it is closed.
const AHEAD: SignedDuration = SignedDuration::from_secs(15);

/// A Policy whose next window opens at this time, and a binding of the OperatorPolicy of a namespace.
fn manifests(namespace: &str, name: &str, opens: Timestamp) -> String {
    let schedule = opening(opens);
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

/// A window that opens at this time, as it is written into a Policy.
pub(crate) fn opening(at: Timestamp) -> String {
    let start = at.strftime("%-M %-H %-d %-m *");
    format!("schedule: [{{start: '{start}', end: '0 0 1 1 *'}}]")
}

/// The next full minute before which there is time for something.
pub(crate) fn next_minute() -> Result<Timestamp, jiff::Error> {
    let up = TimestampRound::new().smallest(Unit::Minute);
    (Timestamp::now() + AHEAD).round(up.mode(jiff::RoundMode::Ceil))
}

/// Nobody does anything when the window opens.
#[tokio::test]
async fn a_plan_waits_until_a_window_opens_and_is_approved_then() -> Result<(), Failure> {
    let Some(world) = own_world("windows").await? else {
        return Ok(());
    };
    for kind in KINDS {
        let name = format!("{kind}.operators.operatorframework.io");
        define_kind(world.client(), &name).await?;
    }
    let kubectl = Kubectl::of(world.cluster());
    let opens = next_minute().map_err(Failure::read("the next minute"))?;
    let folder = TempFolder::empty();
    let file = folder.join("policies.yaml");
    let manifests = manifests(world.namespace(), "dory", opens);
    fs::write(&file, manifests).map_err(Failure::touch("write Policies"))?;
    kubectl
        .says(&["apply", "-f", &file.display().to_string()])
        .await?;

    let fleet = Fleet::of(&world).await?;
    let offered = catalog("dory: 1.0.0").installable();
    let stage = stage_of(world, fleet, &offered).await?;
    stage.write(&stage.at_home(design("dory", &["*"]))).await?;
    let waits = ["InstallPlanCompliant True InstallPlanRequiresApproval"];
    let status = stage.says("dory", &waits).await?;
    let said = message(&status, "InstallPlanCompliant");
    let expected = format!(
        "It is not approved yet: Policy soon (by PolicyBinding own) opens its next window at {opens}"
    );
    assert!(said.ends_with(&expected), "{said}");
    assert!(
        Timestamp::now() < opens,
        "it was told before the window opened"
    );
    stage.says("dory", &["installed: dory.v1.0.0"]).await?;
    assert!(Timestamp::now() >= opens, "{opens} was waited for");
    Ok(())
}
