//! Kills the controller at one of its writes, in each run at another write. A soak test covers all
//! writes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use kube::api::ListParams;
use portolan_kit::assert_same;
use portolan_kit::proxy::Action;
use portolan_rig::{Failure, Kind, Seen, until};
use serde_json::Value;
use tokio::sync::Notify;

use super::fake_olm::{FIRST, FakeOlm, PACKAGE, SECOND, crd_name, fake_olm, only, plan};
use super::fleet::{Fleet, controller, kubeconfig_flag};
use super::stage::lines;
use crate::detour;
use crate::editor::Editor;
use crate::health::written;
use crate::objects::api;

/// The number of runs at the same time.
const AT_ONCE: usize = 3;
/// The maximum time of one wait. A reconcile takes at most ten seconds, but the machine is busy.
const PATIENCE: Duration = Duration::from_secs(90);
/// The minimum number of writes in a run. The exact number differs between runs.
const LEAST: usize = 20;
/// A number that is larger than the number of writes in a run.
const MANY: usize = 100;

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    /// The lines of the status after the installation of the first version, and after the upgrade.
    output: [Vec<String>; 2],
    /// The objects that are left at the end.
    left: Vec<String>,
    approvals: Vec<String>,
    /// The messages in the history for which there is no event.
    unreported: Vec<String>,
}

/// The lines that the status of a policy has contained so far.
#[derive(Default)]
struct Heard(BTreeSet<(String, String)>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn controller_killed_at_any_write_is_continued_by_the_next() -> Result<(), Failure> {
    let Some(fake_olm) = fake_olm("market").await? else {
        return Ok(());
    };
    let fleet = fake_olm.fleet("nowhere").await;
    let (wanted, writes) = run(&fake_olm, &fleet, None).await?;
    println!("operatorpolicy: {writes} writes without a fault: {wanted:#?}");
    let plans = [plan(FIRST), plan(SECOND)];
    assert_same!(wanted.approvals, plans.to_vec());
    let kept = plans.map(|plan| format!("InstallPlan {plan} approved: true"));
    assert_same!(wanted.left, kept.to_vec());
    assert_same!(wanted.unreported, Vec::<String>::new());

    assert!(writes > LEAST, "{writes} writes");
    let kills: Vec<_> = detour::kills(writes).collect();
    let killed = stream::iter(&kills)
        .map(|at| run(&fake_olm, &fleet, Some((*at, &wanted))))
        .buffered(AT_ONCE);
    let ends: Vec<_> = killed.try_collect().await?;
    for (at, (end, writes)) in kills.into_iter().zip(ends) {
        assert!(writes >= at || at > LEAST, "it is killed at write {at}");
        assert_eq!(end, wanted, "killed at write {at}");
    }
    Ok(())
}

/// Runs an installation, an upgrade and a removal. The controller is killed at the write `at`, and
/// another controller continues. Returns the number of writes.
async fn run(
    fake_olm: &FakeOlm,
    fleet: &Fleet,
    killed: Option<(usize, &End)>,
) -> Result<(End, usize), Failure> {
    let name = killed.map_or("unharmed".to_owned(), |(at, _)| format!("write-{at}"));
    let namespace = fake_olm.namespace(&name).await?;
    let _olm = fake_olm.olm(&namespace);
    let proxy = detour::proxy(&fake_olm.bare.cluster).await?;
    let landed = Arc::new(Notify::new());
    if let Some((at, _)) = killed {
        let lands = landed.clone();
        proxy.at_write(at, Action::call_after(move || lands.notify_one()));
        proxy.at_write(at, Action::CutAfter);
        (at + 1..at + MANY).for_each(|later| proxy.at_write(later, Action::CutBefore));
    }
    let (through, _folder) = written::through(&proxy);
    let flags = |kubeconfig: String| {
        let own = [kubeconfig, "--no-lease".to_owned(), only(&namespace)];
        fleet.services().into_iter().chain(own)
    };
    let first = controller(flags(kubeconfig_flag(&through))).await;
    let succession = async {
        landed.notified().await;
        first.kill();
        let _second = controller(flags(fake_olm.at())).await;
        std::future::pending::<()>().await;
    };
    let end = tokio::select! {
        end = play(fake_olm, &namespace, killed.map(|(_, end)| end)) => end,
        () = succession => unreachable!("it must not end"),
    };
    let writes = proxy.count(portolan_kit::proxy::Matcher::writes());
    match end {
        Ok(end) => Ok((end, writes)),
        Err(failure) => {
            let seen = proxy.requests().into_iter();
            let writes = seen
                .filter(|it| it.method != "GET")
                .map(|it| it.to_string());
            println!("{name}: {:#?}", writes.collect::<Vec<_>>());
            let editor = fake_olm.editor(&namespace);
            for kind in [Kind::Subscription, Kind::InstallPlan] {
                for object in editor.objects(kind).list(&ListParams::default()).await? {
                    println!("{name}: {}", object.data);
                }
            }
            Err(failure)
        }
    }
}

async fn play(fake_olm: &FakeOlm, namespace: &str, wanted: Option<&End>) -> Result<End, Failure> {
    let editor = fake_olm.editor(namespace);
    let mut heard = Heard::default();
    let mut output = [Vec::new(), Vec::new()];
    let steps = [
        (FIRST, SECOND, "InstallPlanRequiresApproval"),
        (SECOND, "", "NoInstallPlansRequiringApproval"),
    ];
    for (at, (installed, next, plans)) in steps.into_iter().enumerate() {
        match at {
            0 => fake_olm.begins(namespace).await?,
            _ => fake_olm.allows_more(namespace).await?,
        }
        let whole = wanted.map(|end| end.output[at].clone());
        let settled = [
            format!("installed: {installed}"),
            format!("next: {next}"),
            format!("InstallPlanCompliant True {plans}"),
            "compliant: Compliant".to_owned(),
        ];
        output[at] = heard
            .until(&editor, &whole.unwrap_or(settled.to_vec()))
            .await?;
    }
    fake_olm.ends(namespace).await?;
    heard.until_gone(&editor).await?;
    Ok(End {
        output,
        left: left(&editor, namespace).await?,
        approvals: fake_olm.approvals(namespace)?,
        unreported: heard.unreported(fake_olm, namespace).await?,
    })
}

// === impl Heard ===

impl Heard {
    /// Waits until the status contains all these lines. Returns the lines of the status, without
    /// the lines of conditions whose text varies.
    async fn until(&mut self, editor: &Editor, wanted: &[String]) -> Result<Vec<String>, Failure> {
        let policies = editor.objects(Kind::OperatorPolicy);
        until(
            format!("the policy to say {wanted:#?}"),
            PATIENCE,
            async || {
                let status = policies.get(PACKAGE).await?.data["status"].clone();
                self.hear(&status);
                let mut output = lines(&status);
                // The reason of the condition Compliant is that of the last change.
                let varies = ["CatalogSourcesUnhealthy ", "Compliant "];
                output.retain(|line| !varies.iter().any(|varies| line.starts_with(varies)));
                Ok(if wanted.iter().all(|line| output.contains(line)) {
                    Seen::Yes(output)
                } else {
                    Seen::NotYet(format!("{status:#}"))
                })
            },
        )
        .await
    }

    async fn until_gone(&mut self, editor: &Editor) -> Result<(), Failure> {
        let policies = editor.objects(Kind::OperatorPolicy);
        until("the policy to be gone", PATIENCE, async || {
            let Some(policy) = policies.get_opt(PACKAGE).await? else {
                return Ok(Seen::Yes(()));
            };
            self.hear(&policy.data["status"]);
            Ok(Seen::NotYet(format!("{:#}", policy.data["status"])))
        })
        .await
    }

    fn hear(&mut self, status: &Value) {
        for line in status["history"].as_array().into_iter().flatten() {
            let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
            self.0.insert((text("lastTimestamp"), text("message")));
        }
    }

    /// Returns the messages of the history for which there is no event.
    async fn unreported(
        &self,
        fake_olm: &FakeOlm,
        namespace: &str,
    ) -> Result<Vec<String>, Failure> {
        let events = api(&fake_olm.bare.client, ["v1", "Event", namespace]);
        let events = events.list(&ListParams::default()).await?;
        let reported = |(at, message): &&(String, String)| {
            let at = at.parse::<jiff::Timestamp>().expect("a time");
            let mut events = events.items.iter();
            !events.any(|event| {
                let name = event.metadata.name.as_deref().unwrap_or_default();
                instant(name) == Some(at.as_microsecond()) && event.data["message"] == **message
            })
        };
        let unreported = self.0.iter().filter(reported);
        Ok(unreported
            .map(|(at, message)| format!("{at}: {message}"))
            .collect())
    }
}

/// Returns the microseconds in the name of an event, which ends with the time in nanoseconds.
pub(super) fn instant(event: &str) -> Option<i64> {
    let (_, nanos) = event.rsplit_once('.')?;
    let nanos = i64::from_str_radix(nanos, 16).ok()?;
    Some(nanos / 1_000)
}

/// Returns the objects of an operator that are left, one per line.
async fn left(editor: &Editor, namespace: &str) -> Result<Vec<String>, Failure> {
    const KINDS: [Kind; 5] = [
        Kind::OperatorPolicy,
        Kind::Subscription,
        Kind::ClusterServiceVersion,
        Kind::OperatorGroup,
        Kind::InstallPlan,
    ];
    let mut left = Vec::new();
    for kind in KINDS {
        for object in editor.objects(kind).list(&ListParams::default()).await? {
            let name = object.metadata.name.unwrap_or_default();
            let approved = &object.data["spec"]["approved"];
            left.push(format!("{kind:?} {name} approved: {approved}"));
        }
    }
    let crds = editor.objects(Kind::CustomResourceDefinition);
    if crds.get_opt(&crd_name(namespace)).await?.is_some() {
        left.push("its CRD".to_owned());
    }
    Ok(left)
}
