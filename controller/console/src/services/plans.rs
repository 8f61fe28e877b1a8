//! Plans of OLM, as they are reviewed.

use portolan_core_console::view::{Plan, Seen, State};
use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::approval::v1::{Review, WatchRequest, verdict};

use super::{Services, heard, unseen};

impl Services {
    /// All plans: what a watch tells before it waits for changes.
    pub(super) async fn plans(&self) -> Seen<Vec<Plan>> {
        let mut told = heard(self.approval().watch(WatchRequest::default()).await)?;
        let mut plans = Vec::new();
        while let Some(next) = told.message().await.map_err(|status| unseen(&status))? {
            match next.event {
                Some(Event::Review(review)) => plans.push(plan(review)),
                Some(Event::Reset(_)) => plans.clear(),
                Some(Event::Synced(_)) | None => break,
                Some(Event::Gone(_) | Event::Heartbeat(_)) => {}
            }
        }
        Ok(plans)
    }
}

fn plan(review: Review) -> Plan {
    let object = review.plan.and_then(|plan| plan.object).unwrap_or_default();
    let verdict = review.verdict.unwrap_or_default();
    let fixes = review.bundles.iter().flat_map(|bundle| &bundle.fixes);
    let state = match verdict.state() {
        verdict::State::Unspecified => State::Unknown,
        _ if review.waits && !review.approved => State::Waiting,
        verdict::State::Yes => State::Well,
        verdict::State::No => State::Stuck,
        verdict::State::NotYet => State::Working,
    };
    let why = verdict.reasons.into_iter().map(|why| why.message);
    Plan {
        namespace: object.namespace,
        name: object.name,
        phase: review.phase,
        state,
        why: why.collect(),
        fixes: fixes.map(|fix| fix.message.clone()).collect(),
        bundles: review.bundles.into_iter().map(|it| it.name).collect(),
    }
}
