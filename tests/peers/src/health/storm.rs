//! Measures many Deployments that fail at the same time and then recover.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::fleet::Operator;
use super::sightings::{Sightings, Standing};
use super::stage::{Stage, USER};
use super::subject::Subject;
use crate::asked::{self, Asked};
use crate::failure::Failure;
use crate::gauge::Gauge;
use crate::writer::at_a_time;

/// The time to wait after a wave. In this time the service starts or stops its searches for causes.
const AFTERMATH: Duration = Duration::from_secs(5);

/// A half of a storm: all operators fail, or all operators recover.
#[derive(Debug)]
pub(crate) struct Wave {
    /// The time until the API server has accepted the last change.
    pub(crate) written: Duration,
    /// The time until the last event of the service has arrived.
    pub(crate) reported: Duration,
    /// The time until a watcher of kube has received all changes of the Deployments.
    pub(crate) seen: Duration,
    /// The CPU time, including the time after the wave. The values below also include this time.
    pub(crate) processor_time: Duration,
    /// The peak memory in bytes.
    pub(crate) peak: u64,
    pub(crate) asked: Asked,
    /// The number of operators for which the service does not search for the cause, at the end.
    pub(crate) causes_left_out: usize,
}

/// The cluster, the measured process, and the watchers of both.
pub(crate) struct Scene<'s> {
    pub(crate) stage: &'s Stage,
    pub(crate) subject: &'s Subject,
    pub(crate) ours: &'s mut Sightings,
    pub(crate) watcher: &'s mut Sightings,
}

/// Makes Deployments available or unavailable, as fast as the API server accepts the changes.
pub(crate) async fn wave(
    scene: &mut Scene<'_>,
    wanted: usize,
    standing: Standing,
) -> Result<Wave, Failure> {
    let Scene {
        stage,
        subject,
        ours,
        watcher,
    } = scene;
    let operators: Vec<_> = stage.fleet.spread(wanted).collect();
    let keys: BTreeSet<_> = operators.iter().map(|operator| operator.key()).collect();
    ours.forget();
    watcher.forget();
    let until = asked::until_now(&stage.cluster, USER)?;
    let (gauge, spent, begun) = (
        Gauge::of(subject.pid),
        subject.processor_time()?,
        Instant::now(),
    );
    let turn = |operator: &Operator| stage.writer.turn(*operator, standing == Standing::Well);
    let write = async {
        at_a_time("changes", operators.len(), operators.iter().map(turn)).await?;
        Ok(begun.elapsed())
    };
    let reported = ours.until(keys.clone(), standing);
    let seen = watcher.until(keys, standing);
    let (written, reported, seen) = futures::try_join!(write, reported, seen)?;
    tokio::time::sleep(AFTERMATH).await;
    Ok(Wave {
        written,
        reported: reported - begun,
        seen: seen - begun,
        causes_left_out: subject.said("CauseNotExamined").await?,
        processor_time: subject.processor_time()? - spent,
        peak: gauge.peak()?,
        asked: asked::since(&stage.cluster, USER, until)?,
    })
}
