use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_shell::Readiness;
use portolan_world::Key;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::*;
use crate::{
    Cache, Cached, ChangePreview, ControllerMetrics, Description, Outcome, PendingWrite,
    Reconciles, Registration, Requirements, Warning,
};

/// A cache that returns this many object names once.
struct Names(usize);

impl Cache for Names {
    type Snapshot = ();
    type Report = ();

    async fn changed(&mut self) -> Result<(), Ended> {
        pending().await
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let keys = (0..self.0).map(|number| Key::new("harbor", &number.to_string()));
        keys.collect()
    }

    fn is_synced(&self) -> bool {
        true
    }

    fn snapshot(&mut self, _: &Key) -> Option<()> {
        Some(())
    }

    fn cached(&self, _: &PendingWrite) -> Option<Cached> {
        None
    }

    fn reconciled(&mut self, _: &Key, (): ()) -> BTreeSet<Key> {
        BTreeSet::new()
    }

    fn warn(&self, _: &Key, _: Warning<'_>) {}
}

/// A reconciler that counts its calls. Each call takes some time.
struct Clerk {
    begun: AtomicUsize,
    takes: Duration,
}

impl Reconciler for Clerk {
    type Cache = Names;

    async fn reconcile(&self, _: &Key, (): ()) -> Outcome {
        self.begun.fetch_add(1, Ordering::SeqCst);
        sleep(self.takes).await;
        Outcome::default()
    }

    fn forget(&self, _: &Key) {}
}

fn clerk(takes: Duration) -> Arc<Clerk> {
    Arc::new(Clerk {
        begun: AtomicUsize::new(0),
        takes,
    })
}

fn driver(clerk: &Arc<Clerk>, ready: &Readiness) -> Driver<Clerk> {
    Driver {
        cache: Names(20),
        reconciler: clerk.clone(),
        at_once: 4,
        ready: ready.clone(),
        metrics: Reconciles::default(),
    }
}

fn begun(clerk: &Clerk) -> usize {
    clerk.begun.load(Ordering::SeqCst)
}

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn hanging_kind_does_not_delay_other_kinds_and_respects_its_limit() {
    let (stuck, quick) = (clerk(HOUR), clerk(Duration::ZERO));
    let mut controllers = Controllers::under(None);
    for clerk in [&stuck, &quick] {
        controllers.start(driver(clerk, &Readiness::pending()));
    }
    let running = controllers.run(futures::stream::pending(), || {});
    timeout(Duration::from_secs(10), running)
        .await
        .expect_err("the controllers must keep running");
    assert_eq!((begun(&stuck), begun(&quick)), (4, 20));
}

#[tokio::test(start_paused = true)]
async fn stop_ends_all_controllers_after_running_work() {
    let clerks = [clerk(Duration::from_secs(5)), clerk(Duration::ZERO)];
    let mut controllers = Controllers::under(None);
    for clerk in &clerks {
        controllers.start(driver(clerk, &Readiness::pending()));
    }
    let stop = Notify::new();
    let stops = futures::stream::once(stop.notified()).chain(futures::stream::pending());
    let running = controllers.run(stops, || {});
    let begun_at = tokio::time::Instant::now();
    let stopping = async {
        sleep(Duration::from_secs(1)).await;
        stop.notify_one();
    };
    let (stopped, ()) = tokio::join!(running, stopping);
    assert!(stopped.is_ok(), "{stopped:?}");
    assert_eq!(begun_at.elapsed().as_secs(), 5);
    assert_eq!(begun(&clerks[0]), 4);
}

#[tokio::test(start_paused = true)]
async fn kinds_are_ready_but_not_reconciled_before_leadership() {
    let clerk = clerk(Duration::ZERO);
    let ready = Readiness::pending();
    let driver = driver(&clerk, &ready);
    let running = driver.run(pending(), CancellationToken::new());
    timeout(HOUR, running)
        .await
        .expect_err("the controllers must keep running");
    assert_eq!(begun(&clerk), 0);
    assert!(ready.is_ready());
}

#[tokio::test(start_paused = true)]
async fn stop_lets_the_running_step_of_a_loop_end() {
    let steps = Arc::new(AtomicUsize::new(0));
    let counted = steps.clone();
    let mut controllers = Controllers::under(None);
    controllers.start_loop(|stop| async move {
        while !stop.is_cancelled() {
            sleep(Duration::from_secs(5)).await;
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let stops = futures::stream::once(sleep(Duration::from_secs(7)));
    let stops = stops.chain(futures::stream::pending());
    let stopped = controllers.run(stops, || {}).await;
    assert!(stopped.is_ok(), "{stopped:?}");
    assert_eq!(steps.load(Ordering::SeqCst), 2);
}

static NEEDY: [Registration<bool, ()>; 1] = [Registration {
    about: Description {
        name: "needy",
        objects: "Ferries",
        flags: &["--needy"],
        crds: &[],
        writes: &[],
        permissions: "overlays/needy",
        requires: Requirements::NONE,
        preview: ChangePreview::Nowhere,
    },
    is_on: |is_on| *is_on,
    start: |(), starter| starter.writing().map(drop),
}];

#[tokio::test]
async fn controller_that_needs_a_cluster_fails_without_a_cluster() {
    let start = |is_on: bool| {
        let metrics = ControllerMetrics::default();
        let on = NEEDY.iter().filter(|each| (each.is_on)(&is_on));
        let started = Controllers::under(None).start_all(on, &(), None, &metrics);
        started.map_err(|error| (error.is_refusal(), error.to_string()))
    };
    assert_eq!(start(false), Ok(()));
    let refusal = "controller needy needs a cluster, but --world selects files".to_owned();
    assert_eq!(start(true), Err((true, refusal)));
}
