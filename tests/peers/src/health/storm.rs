//! Many Deployments fail at the same time, and recover.

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

/// The time for work that continues after a wave is reported: the search for causes starts or
/// stops.
const AFTERMATH: Duration = Duration::from_secs(5);

/// One half of a storm: all operators fail, or all operators recover.
#[derive(Debug)]
pub(crate) struct Wave {
    /// The time until the API server had accepted the last change.
    pub(crate) written: Duration,
    /// The time until the last event had arrived.
    pub(crate) reported: Duration,
    /// The time until a plain watcher of the Deployments has seen the changes.
    pub(crate) seen: Duration,
    /// The processor time. This value and the following ones include the aftermath.
    pub(crate) processor_time: Duration,
    /// The peak memory until the aftermath was over, in bytes.
    pub(crate) peak: u64,
    pub(crate) asked: Asked,
    /// The number of operators without a search for the cause, at the end.
    pub(crate) causes_left_out: usize,
}

/// The cluster, the measured process, and the watchers.
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
