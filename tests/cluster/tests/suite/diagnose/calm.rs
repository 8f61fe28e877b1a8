//! Tests that there are no false alarms: a healthy operator is never reported as stuck or broken.

use std::time::Duration;

use portolan_kit::catalog;
use portolan_proto::diagnosis::v1::OperatorDiagnosis;
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_rig::Failure;

use super::stage::{Stage, stage};

const PAUSE: Duration = Duration::from_millis(50);

/// The test observes operators from their first Subscription to their last version. One
/// Subscription is in the namespace of an unchanged operator. Another one has a shared dependency.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn healthy_install_is_never_reported_stuck_or_broken() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-calm").await? else {
        return Ok(());
    };
    let offered = "
        owl: 1.0.0 -> 1.1.0 -> 1.2.0
        nightjar: 1.0.0 requires moth >=1.0.0
        moth: 1.0.0
    ";
    let _fleet = stage
        .serve("fleet", &catalog(offered).installable())
        .await?;
    stage.editor.group("group").await?;
    let mut alarms = Vec::new();
    let walk = walk(&stage);
    tokio::pin!(walk);
    loop {
        tokio::select! {
            walked = &mut walk => {
                walked?;
                break;
            }
            () = tokio::time::sleep(PAUSE) => {
                let all = stage.diagnoses.all().await;
                let bad = all.iter().filter(|one| matches!(one.state(), State::Stuck | State::Broken));
                let bad: Vec<_> = bad.cloned().collect();
                alarms.extend(stage.diagnoses.lines(&bad));
            }
        }
    }
    assert!(alarms.is_empty(), "{alarms:#?}");
    let printed = stage.live().await?;
    assert_eq!((printed.text.as_str(), printed.code), ("", Some(0)));
    Ok(())
}

async fn walk(stage: &Stage) -> Result<(), Failure> {
    stage.subscribe("owl start=owl.v1.0.0").await?;
    stage.well_as("owl", "owl.v1.2.0").await;
    stage.subscribe("nightjar").await?;
    stage.well_as("nightjar", "nightjar.v1.0.0").await;
    let are_well = |all: &[OperatorDiagnosis]| {
        all.len() == 3 && all.iter().all(|one| one.state() == State::Well)
    };
    stage.diagnoses.shows("all to be well", are_well).await;
    Ok(())
}
