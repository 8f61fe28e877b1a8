//! Tests two problems at the same time, and operators that are blocked by a problem of another
//! operator.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::Failure;

use super::diagnoses::{causes, one, root};
use super::stage::{Dumped, stage};

/// Each of the three diagnoses names the same Subscription as the only object at fault.
#[tokio::test]
async fn three_blocked_operators_have_the_same_root_cause() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-victims").await? else {
        return Ok(());
    };
    let offered = catalog("kestrel: 1.0.0; merlin: 1.0.0; hobby: 1.0.0; kite: 1.0.0");
    let _fleet = stage.serve("fleet", &offered.installable()).await?;
    stage.editor.group("group").await?;
    stage.subscribe("hobby").await?;
    stage.well("hobby").await?;
    stage.world.pods().crash_looping("operator=hobby").await?;
    let own = root("hobby", Code::CrashLooping, "Deployment hobby");
    stage.diagnoses.until(&own).await;
    for subscription in ["kite is kitte", "kestrel", "merlin"] {
        stage.subscribe(subscription).await?;
    }
    let culprit = root("kite", Code::PackageMissing, "Subscription kite");
    stage.diagnoses.until(&culprit).await;
    for of in ["kestrel", "merlin"] {
        let blocked = root(of, Code::BlockedByNeighbor, "Subscription kite");
        stage.diagnoses.until(&blocked).await;
    }
    let (all, _) = stage.until_diagnosed(own, Dumped::Alike).await?;
    let hobby = one(&all, "hobby").expect("it must have a diagnosis");
    let codes: Vec<_> = causes(hobby).map(|cause| cause.code.as_str()).collect();
    assert_eq!(codes, ["CrashLooping", "BlockedByNeighbor"]);
    let kite = one(&all, "kite").expect("it must have a diagnosis");
    let victims: Vec<_> = kite.victims.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(victims, ["hobby", "kestrel", "merlin"]);

    stage.world.pods().ready("operator=hobby").await?;
    stage.heals(culprit).await?;
    for of in ["hobby", "kestrel", "merlin"] {
        stage.well(of).await?;
    }
    Ok(())
}

/// The program first reports the cause that OLM needs to be fixed first.
#[tokio::test]
async fn operator_with_two_causes_is_fixed_step_by_step() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-pair").await? else {
        return Ok(());
    };
    let offered = catalog("osprey: 1.0.0").installable();
    let offered = offered.with_install_modes(&["OwnNamespace"]);
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.subscribe("osprey/stabel").await?;
    let group = root("osprey", Code::OperatorGroupMissing, "OperatorGroup");
    stage.does(group).await?;
    let channel = root("osprey", Code::ChannelMissing, "Subscription osprey");
    stage.heals(channel).await?;

    stage.world.pods().crash_looping("operator=osprey").await?;
    stage
        .types("kubectl -n $NS patch subscriptions.operators.coreos.com osprey --type merge -p '{\"spec\":{\"channel\":\"stabel\"}}'")
        .await?;
    stage.diagnoses.until_below(&channel).await;
    let crash = root("osprey", Code::CrashLooping, "Deployment osprey");
    let (all, _) = stage.until_diagnosed(crash, Dumped::Alike).await?;
    let osprey = one(&all, "osprey").expect("it must have a diagnosis");
    let codes: Vec<_> = causes(osprey).map(|cause| cause.code.as_str()).collect();
    assert_eq!(codes, ["CrashLooping", "ChannelMissing"]);
    stage.world.pods().ready("operator=osprey").await?;
    stage.heals(channel).await
}
