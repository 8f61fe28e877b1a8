//! Executes steps that depend on each other. A failed step does not prevent independent steps.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use futures::StreamExt;
use futures::stream::FuturesUnordered;

/// The dependencies between steps. A step starts when all steps that it depends on have succeeded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepOrder(Vec<Vec<usize>>);

/// The result of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepResult<T, E> {
    /// The step is done.
    Done(T),
    /// The step was tried and failed.
    Failed(E),
    /// The step was not tried, because the step at this index has not succeeded.
    Blocked(usize),
}

// === impl StepOrder ===

impl StepOrder {
    /// Returns an order for this number of steps, in which each step depends on the previous step.
    pub fn sequence(count: usize) -> Self {
        let before = |step: usize| step.checked_sub(1).into_iter().collect();
        Self((0..count).map(before).collect())
    }

    /// Adds a step that depends on other steps. Returns its index. A step can only depend on steps
    /// that were added earlier, so there are no cycles.
    pub fn add(&mut self, after: impl IntoIterator<Item = usize>) -> usize {
        let place = self.0.len();
        let after = after.into_iter().filter(|step| *step < place);
        self.0.push(after.collect());
        place
    }
}

// === impl StepResult ===

impl<T, E> StepResult<T, E> {
    /// Returns true if the step is done.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}

/// Executes steps with a concurrency limit. Steps that depend on a failed step are not tried. All
/// other steps are tried. Returns the results in the order of the steps.
pub async fn carry_out<T, E, F: Future<Output = Result<T, E>>>(
    StepOrder(order): &StepOrder,
    at_once: usize,
    act: impl Fn(usize) -> F,
) -> Vec<StepResult<T, E>> {
    let mut steps: Vec<Option<StepResult<T, E>>> = order.iter().map(|_| None).collect();
    let mut waiting: BTreeSet<usize> = (0..order.len()).collect();
    let mut running = FuturesUnordered::new();
    loop {
        // A step depends only on earlier steps, so one pass finds all blocked steps.
        for place in waiting.clone() {
            let after = || order[place].iter().copied();
            let is = |step: usize, is_done| {
                let ended = steps[step].as_ref();
                ended.is_some_and(|ended| ended.is_done() == is_done)
            };
            if let Some(by) = after().find(|step| is(*step, false)) {
                waiting.remove(&place);
                steps[place] = Some(StepResult::Blocked(by));
            } else if running.len() < at_once.max(1) && after().all(|step| is(step, true)) {
                waiting.remove(&place);
                let acting = act(place);
                running.push(async move { (place, acting.await) });
            }
        }
        let Some((place, ended)) = running.next().await else {
            return steps.into_iter().flatten().collect();
        };
        steps[place] = Some(match ended {
            Ok(done) => StepResult::Done(done),
            Err(failed) => StepResult::Failed(failed),
        });
    }
}
