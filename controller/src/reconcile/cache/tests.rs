use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use portolan_core_operatorpolicy::READS;
use portolan_kit::{World as Kit, world};
use portolan_runtime::{AT_ONCE, Driver, Expected, Outcome, Reconciler, Reconciles};
use portolan_shell::Readiness;
use portolan_stage::Stage;
use rstest::rstest;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::*;

use crate::observe::Rules;

type ReconcileOutcome = Outcome<PolicyReport>;

/// A reconciler that writes nothing and reports the names of the reconciled policies.
struct Clerk {
    asked: mpsc::UnboundedSender<String>,
    /// The outcomes for each policy, in order. After the last outcome, reconciliations have empty
    /// outcomes.
    rounds: Mutex<BTreeMap<String, Vec<ReconcileOutcome>>>,
    /// True if reconciliations never end.
    is_stuck: AtomicBool,
}

impl Reconciler for Clerk {
    type Cache = PolicyCache;

    async fn reconcile(&self, _: &Key, seen: PolicySnapshot) -> ReconcileOutcome {
        let name = seen.observed.policy.metadata.name.clone();
        let name = name.expect("a name");
        let asked = match seen.observed.write_mode {
            WriteMode::ReadWrite => name.clone(),
            WriteMode::ReadOnly(_) => format!("{name} is looked on"),
        };
        self.asked.send(asked).expect("a test that listens");
        if self.is_stuck.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        let mut rounds = self.rounds.lock().expect("no panic");
        let left = rounds.get_mut(&name).filter(|left| !left.is_empty());
        left.map(|left| left.remove(0)).unwrap_or_default()
    }

    fn forget(&self, policy: &Key) {
        let forgotten = format!("{} is gone", policy.name);
        self.asked.send(forgotten).expect("a test that listens");
    }
}

/// A running driver.
struct Running {
    stage: Stage,
    clerk: Arc<Clerk>,
    asked: mpsc::UnboundedReceiver<String>,
    topics: mpsc::UnboundedSender<ServiceChange>,
    stop: CancellationToken,
    driving: AbortOnDropHandle<Result<(), Ended>>,
}

impl Running {
    /// Starts a driver. The reconciliations of the policy `p0` have these outcomes.
    fn at(world: &Kit, rounds: Vec<ReconcileOutcome>, leads: bool) -> Self {
        Self::reading(world, (rounds, Vec::new()), leads)
    }

    /// Starts a driver. Reading the CRD also returns these results in order.
    fn reading(
        world: &Kit,
        (rounds, read): (Vec<ReconcileOutcome>, Vec<Result<Schema, String>>),
        leads: bool,
    ) -> Self {
        let stage = Stage::of(world).reading(READS);
        let (asked, hears) = mpsc::unbounded_channel();
        let (topics, news) = mpsc::unbounded_channel();
        let clerk = Arc::new(Clerk {
            asked,
            rounds: Mutex::new([("p0".to_owned(), rounds)].into()),
            is_stuck: AtomicBool::new(false),
        });
        let (read, news) = (
            Arc::new(Mutex::new(read)),
            Arc::new(tokio::sync::Mutex::new(news)),
        );
        let cache = PolicyCache::new(
            Informers::of(&stage, Rules::default()),
            Box::new(move || Box::pin(topic(news.clone()))),
            Box::new(move || Box::pin(std::future::ready(schema(&read)))),
            Arc::new(Metrics::new().0),
        );
        let driver = Driver {
            cache,
            reconciler: clerk.clone(),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: Reconciles::default(),
        };
        let stop = CancellationToken::new();
        let token = stop.clone();
        let driving = tokio::spawn(async move {
            let leads = async move {
                if !leads {
                    std::future::pending::<()>().await;
                }
            };
            driver.run(leads, token).await
        });
        Self {
            stage,
            clerk,
            asked: hears,
            topics,
            stop,
            driving: AbortOnDropHandle::new(driving),
        }
    }

    /// Returns the names of the policies that are reconciled within this time.
    async fn within(&mut self, millis: u64) -> Vec<String> {
        let mut names = Vec::new();
        let end = Instant::now() + Duration::from_millis(millis);
        while let Ok(Some(name)) = tokio::time::timeout_at(end, self.asked.recv()).await {
            names.push(name);
        }
        names.sort();
        names
    }
}

/// Returns the next result of reading the CRD. After the last result, returns a complete schema.
fn schema(left: &Mutex<Vec<Result<Schema, String>>>) -> Result<Schema, String> {
    let mut left = left.lock().expect("no panic");
    if left.is_empty() {
        return Ok(Schema::Whole);
    }
    left.remove(0)
}

async fn topic(
    topics: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<ServiceChange>>>,
) -> Vec<ServiceChange> {
    topics.lock().await.recv().await.into_iter().collect()
}

fn policies(number: usize) -> Kit {
    (0..number).fold(world().namespace("harbor"), |world, number| {
        world.policy(&format!("p{number}"), &["*"])
    })
}

/// Returns a world in which the status of policy `p0` was written.
fn with_written_status(version: &str) -> Kit {
    policies(1).stamped("u", version).edit(|policy| {
        policy["metadata"]["managedFields"] = json!([
            {"manager": "portolan", "operation": "Apply", "subresource": "status"},
        ]);
        policy["status"] = json!({"compliant": "Compliant"});
    })
}

fn pending(before: &str, after: &str) -> PendingWrite {
    PendingWrite {
        kind: "OperatorPolicy".to_owned(),
        namespace: Some("harbor".to_owned()),
        name: "p0".to_owned(),
        before: Some(before.to_owned()),
        after: Expected::Version(after.to_owned()),
    }
}

const NONE: [&str; 0] = [];

#[tokio::test(start_paused = true)]
async fn policies_are_reconciled_in_parallel_and_never_twice() {
    let mut running = Running::at(&policies(10), Vec::new(), true);
    running.clerk.is_stuck.store(true, Ordering::Relaxed);
    assert_eq!(running.within(60_000).await.len(), AT_ONCE);
    running
        .topics
        .send(ServiceChange::Everything)
        .expect("a driver that listens");
    assert_eq!(running.within(60_000).await, NONE);
}

#[tokio::test(start_paused = true)]
async fn unchanged_policies_are_not_reconciled_again() {
    let mut running = Running::at(&policies(3), Vec::new(), true);
    assert_eq!(running.within(600_000).await, ["p0", "p1", "p2"]);
}

#[tokio::test(start_paused = true)]
async fn changed_response_of_a_service_triggers_a_reconcile() {
    let mut running = Running::at(&policies(2), Vec::new(), true);
    assert_eq!(running.within(1_000).await, ["p0", "p1"]);
    let far = ServiceChange::Namespace("far".to_owned());
    let near = ServiceChange::Namespace("harbor".to_owned());
    running.topics.send(far).expect("a driver that listens");
    assert_eq!(running.within(1_000).await, NONE);
    running.topics.send(near).expect("a driver that listens");
    assert_eq!(running.within(1_000).await, ["p0", "p1"]);
}

#[tokio::test(start_paused = true)]
async fn replica_without_leadership_only_watches() {
    let mut running = Running::at(&policies(2), Vec::new(), false);
    assert_eq!(running.within(60_000).await, NONE);
}

#[tokio::test(start_paused = true)]
async fn deleted_policy_is_forgotten() {
    let mut running = Running::at(&policies(2), Vec::new(), true);
    assert_eq!(running.within(1_000).await, ["p0", "p1"]);
    running.stage.show(&policies(1));
    assert_eq!(running.within(1_000).await, ["p0", "p1 is gone"]);
}

#[rstest]
#[case::by_itself(|| ReconcileOutcome { failure: Some("no".to_owned()), ..ReconcileOutcome::default() })]
#[case::after_a_conflict(|| ReconcileOutcome { has_conflict: true, ..ReconcileOutcome::default() })]
#[tokio::test(start_paused = true)]
async fn failed_reconcile_is_retried(#[case] failure: fn() -> ReconcileOutcome) {
    let mut running = Running::at(&policies(1), vec![failure(), failure()], true);
    assert_eq!(running.within(900).await, ["p0"]);
    assert_eq!(running.within(200).await, ["p0"]);
    assert_eq!(running.within(1_700).await, NONE);
    assert_eq!(running.within(600_000).await, ["p0"]);
}

#[tokio::test(start_paused = true)]
async fn policy_is_reconciled_again_after_its_writes_are_cached() {
    let acted = ReconcileOutcome {
        pending: vec![pending("1", "2")],
        has_acted: true,
        ..ReconcileOutcome::default()
    };
    let mut running = Running::at(&with_written_status("1"), vec![acted], true);
    assert_eq!(running.within(5_000).await, ["p0"]);
    running.stage.show(&with_written_status("2"));
    assert_eq!(running.within(60_000).await, ["p0"]);
}

#[tokio::test(start_paused = true)]
async fn uncached_writes_delay_the_next_reconcile_only_briefly() {
    let acted = ReconcileOutcome {
        pending: vec![pending("1", "2")],
        has_acted: true,
        ..ReconcileOutcome::default()
    };
    let mut running = Running::at(&with_written_status("1"), vec![acted], true);
    assert_eq!(running.within(9_900).await, ["p0"]);
    assert_eq!(running.within(200).await, ["p0"]);
}

#[tokio::test(start_paused = true)]
async fn own_status_write_triggers_no_reconcile() {
    let wrote = ReconcileOutcome {
        pending: vec![pending("1", "2")],
        ..ReconcileOutcome::default()
    };
    let mut running = Running::at(&with_written_status("1"), vec![wrote], true);
    assert_eq!(running.within(5_000).await, ["p0"]);
    running.stage.show(&with_written_status("2"));
    assert_eq!(running.within(60_000).await, NONE);
}

fn unanswered() -> Result<Schema, String> {
    Err("the API server does not answer".to_owned())
}

fn forbidden() -> Result<Schema, String> {
    Ok(Schema::Unreadable("forbidden".to_owned()))
}

#[rstest]
#[case::is_awaited_if_it_is_not_read_at_once(vec![unanswered(), unanswered()], &["p0"])]
#[case::disables_writes_while_it_cannot_be_read(
    vec![unanswered(), unanswered(), unanswered()],
    &["p0", "p0 is looked on"]
)]
#[case::disables_writes_while_reading_is_denied(vec![forbidden()], &["p0", "p0 is looked on"])]
#[tokio::test(start_paused = true)]
async fn write_mode_follows_reads_of_policy_crd(
    #[case] read: Vec<Result<Schema, String>>,
    #[case] asked: &[&str],
) {
    let mut running = Running::reading(&policies(1), (Vec::new(), read), true);
    assert_eq!(running.within(60_000).await, asked);
}

#[tokio::test(start_paused = true)]
async fn failed_crd_read_does_not_stop_writes() {
    let read = vec![Ok(Schema::Whole), unanswered(), unanswered(), unanswered()];
    let mut running = Running::reading(&policies(1), (Vec::new(), read), true);
    assert_eq!(running.within(1_000).await, ["p0"]);
    let changed = policies(1).object(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": POLICY_CRD, "resourceVersion": "2"},
    }));
    running.stage.show(&changed);
    assert_eq!(running.within(60_000).await, NONE);
}

#[tokio::test(start_paused = true)]
async fn stop_starts_no_reconcile_and_finishes_running_ones() {
    let mut running = Running::at(&policies(1), Vec::new(), true);
    running.clerk.is_stuck.store(true, Ordering::Relaxed);
    assert_eq!(running.within(1_000).await, ["p0"]);
    running.stop.cancel();
    let driving = &mut running.driving;
    let waited = timeout(Duration::from_secs(60), driving).await;
    assert!(waited.is_err(), "what runs was given up");

    let mut running = Running::at(&policies(1), Vec::new(), true);
    assert_eq!(running.within(1_000).await, ["p0"]);
    running.stop.cancel();
    let ended = (&mut running.driving).await.expect("no panic");
    assert_eq!(ended, Ok(()));
}
