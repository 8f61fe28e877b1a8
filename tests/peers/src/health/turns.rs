//! Changes Deployments one after the other, and measures the time until each change is reported.

use std::collections::BTreeSet;
use std::time::Instant;

use super::sightings::{Sightings, Standing};
use super::stage::Stage;
use crate::failure::Failure;

/// The seconds until each change is reported.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The times until the event of our service has arrived.
    pub(crate) ours: Vec<f64>,
    /// The times until a watcher of kube in this process has received the same change.
    pub(crate) watcher: Vec<f64>,
}

/// Makes the Deployments of operators unavailable and available again. `changes` is the total
/// number of changes. The time starts just before a change is sent to the API server.
pub(crate) async fn measure(
    stage: &Stage,
    ours: &mut Sightings,
    watcher: &mut Sightings,
    changes: usize,
) -> Result<Turns, Failure> {
    let mut turns = Turns::default();
    for operator in stage.fleet.spread(changes.div_ceil(2)) {
        for standing in [Standing::Ill, Standing::Well] {
            let key = BTreeSet::from([operator.key()]);
            let begun = Instant::now();
            stage
                .writer
                .turn(operator, standing == Standing::Well)
                .await?;
            let reported = ours.until(key.clone(), standing).await?;
            turns.ours.push((reported - begun).as_secs_f64());
            let seen = watcher.until(key, standing).await?;
            turns.watcher.push((seen - begun).as_secs_f64());
        }
    }
    Ok(turns)
}
