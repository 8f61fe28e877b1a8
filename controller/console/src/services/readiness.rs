//! The readiness of the operators for the cluster upgrade to the target of the diagnosis service.

use portolan_core_console::view::{
    Origin, Seen, Unseen, UpgradeReadiness, UpgradeStep, UpgradeTime,
};
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::list_readiness_response::Content;
use portolan_proto::diagnosis::v1::operator_readiness::Manager;
use portolan_proto::diagnosis::v1::readiness_step::When;

use super::{Services, heard, unseen};

impl Services {
    /// Returns the steps of all operators. Fails if the response is incomplete, because a missing
    /// operator would look ready.
    pub(super) async fn readiness(&self) -> Seen<UpgradeReadiness> {
        let request = pb::ListReadinessRequest::default();
        let mut stream = heard(self.diagnosis().list_readiness(request).await)?;
        let (mut page, mut has_overview) = (UpgradeReadiness::default(), false);
        while let Some(response) = stream.message().await.map_err(|status| unseen(&status))? {
            match response.content {
                Some(Content::Overview(overview)) => {
                    has_overview = true;
                    add_overview(&mut page, overview);
                }
                Some(Content::Operator(operator)) => add_operator(&mut page, operator),
                // A newer service sent a message that this version does not support.
                None => {}
            }
        }
        if !has_overview {
            return Err(Unseen("the diagnosis service sent no overview".to_owned()));
        }
        Ok(page)
    }
}

fn add_overview(page: &mut UpgradeReadiness, overview: pb::ReadinessOverview) {
    let pb::ReadinessOverview {
        from,
        to,
        kubernetes: _,
        notes,
        unread,
        not_checked,
    } = overview;
    page.from = from;
    page.to = to;
    page.unread = unread;
    page.not_checked = not_checked;
    page.steps.extend(notes.into_iter().map(|note| UpgradeStep {
        time: UpgradeTime::Note,
        origin: None,
        namespace: String::new(),
        name: note.object,
        message: note.message,
        who: String::new(),
        command: String::new(),
    }));
}

/// Adds the steps of an operator. Omits updates that start automatically after the upgrade.
fn add_operator(page: &mut UpgradeReadiness, operator: pb::OperatorReadiness) {
    page.operators += 1;
    let manager = operator.manager();
    let ObjectRef {
        kind,
        namespace,
        name,
    } = operator.subject.unwrap_or_default();
    let origin = match manager {
        Manager::Olm if kind == "Subscription" => Some(Origin::Olm),
        Manager::ClusterExtension => Some(Origin::OlmV1),
        Manager::Operator => Some(Origin::Portolan),
        Manager::Olm | Manager::Install | Manager::InstallPlan | Manager::Unspecified => None,
    };
    let steps = operator.steps.into_iter().filter(|step| !step.is_detail);
    page.steps.extend(steps.map(|step| UpgradeStep {
        time: time(step.when()),
        origin,
        namespace: namespace.clone(),
        name: name.clone(),
        message: step.message,
        who: step.who,
        command: step.command,
    }));
}

/// Converts the time of a step. A time that this version does not support is shown as unknown.
fn time(when: When) -> UpgradeTime {
    match when {
        When::Before => UpgradeTime::Before,
        When::Blocks => UpgradeTime::Blocks,
        When::Between => UpgradeTime::Between,
        When::After => UpgradeTime::After,
        When::Note => UpgradeTime::Note,
        When::NotChecked | When::Unspecified => UpgradeTime::NotChecked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A newer service may send a time that this version does not support.
    #[test]
    fn step_of_an_unknown_time_is_not_checked() {
        let step = pb::ReadinessStep {
            when: 99,
            message: "Wait.".to_owned(),
            ..pb::ReadinessStep::default()
        };
        let detail = pb::ReadinessStep {
            is_detail: true,
            ..step.clone()
        };
        let operator = pb::OperatorReadiness {
            steps: vec![step, detail],
            ..pb::OperatorReadiness::default()
        };
        let mut page = UpgradeReadiness::default();
        add_operator(&mut page, operator);
        let times: Vec<_> = page.steps.iter().map(|step| step.time).collect();
        assert_eq!(times, [UpgradeTime::NotChecked]);
    }
}
