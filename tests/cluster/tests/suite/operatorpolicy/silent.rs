//! Tests services that are killed or frozen while a policy installs, upgrades and removes an
//! operator.

use futures::{StreamExt, TryStreamExt, stream};
use portolan_kit::assert_same;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until, until_gone};
use serde_json::Value;

use super::fake_olm::{FIRST, FakeOlm, PACKAGE, SECOND, fake_olm, plan};
use super::fleet::Fleet;
use super::service::Part;
use super::stage::lines;
use crate::editor::Editor;

/// The number of runs at the same time.
const AT_ONCE: usize = 3;

/// The fault of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Killed,
    Frozen,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unavailable_service_is_reported_and_awaited() -> Result<(), Failure> {
    let Some(fake_olm) = fake_olm("quay").await? else {
        return Ok(());
    };
    let runs = Part::ALL.into_iter().flat_map(|part| {
        let fake_olm = &fake_olm;
        [Fault::Killed, Fault::Frozen].map(|fault| play_with_fault(fake_olm, part, fault))
    });
    let fake_olm = stream::iter(runs).buffer_unordered(AT_ONCE);
    fake_olm.try_collect().await
}

async fn play_with_fault(fake_olm: &FakeOlm, part: Part, fault: Fault) -> Result<(), Failure> {
    let namespace = fake_olm.namespace(part.name()).await?;
    let _olm = fake_olm.olm(&namespace);
    let editor = fake_olm.editor(&namespace);
    let mut fleet = fake_olm.fleet(&namespace).await;

    fault.begins(&mut fleet, part);
    fake_olm.begins(&namespace).await?;
    until_silent(&editor, part, None).await?;
    if part == Part::Approval {
        assert_same!(fake_olm.approvals(&namespace)?, Vec::<String>::new());
    }
    fault.ends(&mut fleet, part).await?;
    let before = settles(&editor, FIRST).await?;
    assert_same!(fake_olm.approvals(&namespace)?, vec![plan(FIRST)]);

    fault.begins(&mut fleet, part);
    until_silent(&editor, part, Some(&before)).await?;
    fake_olm.allows_more(&namespace).await?;
    if part == Part::Approval {
        assert_same!(fake_olm.approvals(&namespace)?, vec![plan(FIRST)]);
    }
    fault.ends(&mut fleet, part).await?;
    settles(&editor, SECOND).await?;
    let both = vec![plan(FIRST), plan(SECOND)];
    assert_same!(fake_olm.approvals(&namespace)?, both);

    fault.begins(&mut fleet, part);
    fake_olm.ends(&namespace).await?;
    fault.ends(&mut fleet, part).await?;
    until_gone(&editor.objects(Kind::OperatorPolicy), PACKAGE).await?;
    for (kind, name) in [
        (Kind::Subscription, PACKAGE),
        (Kind::ClusterServiceVersion, SECOND),
        (Kind::OperatorGroup, "own"),
    ] {
        let left = editor.objects(kind).get_opt(name).await?;
        assert!(left.is_none(), "{name} must be gone: {part:?} {fault:?}");
    }
    assert_same!(fake_olm.approvals(&namespace)?, both);
    Ok(())
}

impl Fault {
    fn begins(self, fleet: &mut Fleet, part: Part) {
        match self {
            Self::Killed => fleet.part(part).kill(),
            Self::Frozen => fleet.part(part).freeze(),
        }
    }

    async fn ends(self, fleet: &mut Fleet, part: Part) -> Result<(), Failure> {
        match self {
            Self::Killed => fleet.part(part).revive().await,
            Self::Frozen => {
                fleet.part(part).thaw();
                Ok(())
            }
        }
    }
}

/// Waits until a condition reports that the service does not respond. The condition must still
/// contain the earlier message and its time.
async fn until_silent(editor: &Editor, part: Part, before: Option<&Value>) -> Result<(), Failure> {
    let since = match before {
        Some(_) => "since",
        None => "",
    };
    let sentence = format!("no answer from {} {since}", part.name());
    let policies = editor.objects(Kind::OperatorPolicy);
    let status = until(format!("{sentence:?}"), PATIENCE, async || {
        let status = policies.get(PACKAGE).await?.data["status"].clone();
        Ok(if silent(&status, &sentence).is_empty() {
            Seen::NotYet(format!("{status:#}"))
        } else {
            Seen::Yes(status)
        })
    })
    .await?;
    if let Some(before) = before {
        let before = lines(before);
        for line in silent(&status, &sentence) {
            assert!(before.contains(&line), "{line} is new: {before:#?}");
        }
    }
    Ok(())
}

/// Returns the conditions whose message contains this sentence. Omits the condition Compliant,
/// which repeats other messages.
fn silent(status: &Value, sentence: &str) -> Vec<String> {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let meant = conditions.filter(|condition| {
        let message = condition["message"].as_str().unwrap_or_default();
        condition["type"] != "Compliant" && message.contains(sentence)
    });
    meant
        .map(|condition| {
            let text = |field: &str| condition[field].as_str().unwrap_or_default().to_owned();
            ["type", "status", "reason"].map(text).join(" ")
        })
        .collect()
}

/// Waits until a version is installed, and until all services have responded.
async fn settles(editor: &Editor, installed: &str) -> Result<Value, Failure> {
    let wanted = [
        format!("installed: {installed}"),
        "compliant: Compliant".to_owned(),
        match installed {
            FIRST => "InstallPlanCompliant True InstallPlanRequiresApproval".to_owned(),
            _ => "InstallPlanCompliant True NoInstallPlansRequiringApproval".to_owned(),
        },
    ];
    let policies = editor.objects(Kind::OperatorPolicy);
    until(format!("{installed} to be settled"), PATIENCE, async || {
        let status = policies.get(PACKAGE).await?.data["status"].clone();
        let output = lines(&status);
        let is_there = |line: &String| output.iter().any(|it| it.starts_with(line.as_str()));
        let all = wanted.iter().all(is_there) && silent(&status, "no answer from").is_empty();
        Ok(if all {
            Seen::Yes(status)
        } else {
            Seen::NotYet(format!("{status:#}"))
        })
    })
    .await
}
