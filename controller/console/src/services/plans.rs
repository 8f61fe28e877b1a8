//! Plans: those of OLM as they are reviewed, ours as they say themselves.

use portolan_api::plan::InstallPlan as Ours;
use portolan_core_console::view::{Origin, Plan, Seen, State};
use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::approval::v1::{Review, WatchRequest, verdict};

use super::hidden::unless_hidden;
use super::{Services, heard, unseen};

impl Services {
    /// All plans, of OLM and of ours. What cannot be seen is told beside them.
    pub(super) async fn plans(&self) -> Seen<Vec<Plan>> {
        let mut plans = self.reviewed().await?;
        if let Ok(view) = self.all::<Ours>().await {
            plans.extend(view.objects.values().map(|it| of_ours(it)));
        }
        unless_hidden(plans, self.hidden_plans().await)
    }

    /// Returns the plans that a watch tells before it waits for changes.
    async fn reviewed(&self) -> Seen<Vec<Plan>> {
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
    let mut why: Vec<_> = verdict.reasons.into_iter().map(|why| why.message).collect();
    if why.is_empty() && state == State::Waiting {
        why.push("Policies allow all of it, and nobody has approved it yet.".to_owned());
    }
    Plan {
        origin: Origin::Olm,
        namespace: object.namespace,
        name: object.name,
        phase: review.phase,
        state,
        why,
        fixes: fixes.map(|fix| fix.message.clone()).collect(),
        bundles: review.bundles.into_iter().map(|it| it.name).collect(),
    }
}

fn of_ours(it: &Ours) -> Plan {
    let status = it.status.clone().unwrap_or_default();
    let is = |wanted: &str, kind: &str| {
        let mut conditions = status.conditions.iter();
        conditions.any(|it| it.type_ == kind && it.status == wanted)
    };
    let is_suspended = it.spec.as_json()["suspend"].as_bool() == Some(true);
    let state = if is("True", "Ready") {
        State::Well
    } else if is("False", "Valid") || is("False", "Permitted") {
        State::Stuck
    } else if is_suspended {
        State::Waiting
    } else {
        State::Working
    };
    // As it is written in the status.
    let phase = serde_json::to_value(status.phase).unwrap_or_default();
    let open = status
        .conditions
        .iter()
        .filter(|it| it.status != "True" && it.type_ != "Drifted");
    let open = open.filter(|it| it.type_ != "Superseded" && !it.message.is_empty());
    Plan {
        origin: Origin::Portolan,
        namespace: it.metadata.namespace.clone().unwrap_or_default(),
        name: it.metadata.name.clone().unwrap_or_default(),
        phase: phase.as_str().unwrap_or_default().to_owned(),
        state,
        why: open.map(|it| it.message.clone()).collect(),
        bundles: Vec::new(),
        fixes: Vec::new(),
    }
}
