//! Decodes requests for readiness, and encodes the responses.

use portolan_api::inventory::{InstalledOperator, Manager};
use portolan_core_names::{AddressedObject, ObjectRef};
use portolan_proto::basis::v1 as basis;
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::list_readiness_request::Target as PbTarget;
use portolan_proto::diagnosis::v1::list_readiness_response::Content;
use portolan_proto::diagnosis::v1::operator_readiness::{
    Manager as PbManager, Verdict as PbVerdict,
};
use portolan_proto::diagnosis::v1::readiness_step::When as PbWhen;
use portolan_resolver::readiness::{
    Goal, Minor, NamedOperator, Node, Readiness, ReadinessVerdict, Reason, Stage, Step, When,
};

use super::decode_name;
use crate::question::RequestError;
use crate::readiness::{AskedReadiness, Assessment, TargetRelease};

/// The maximum length of a release in a request.
const LONGEST_RELEASE: usize = 32;

/// Decodes a request. A request without a target uses the target of the server.
pub(crate) fn decode(request: &pb::ListReadinessRequest) -> Result<AskedReadiness, RequestError> {
    let target = match &request.target {
        None => None,
        Some(PbTarget::Openshift(text)) => {
            Some(TargetRelease::Openshift(decode_release("openshift", text)?))
        }
        Some(PbTarget::Kubernetes(text)) => Some(TargetRelease::Kubernetes(decode_release(
            "kubernetes",
            text,
        )?)),
    };
    let from = match request.from.as_str() {
        "" => None,
        text => Some(decode_release("from", text)?),
    };
    Ok(AskedReadiness {
        namespace: decode_name("namespace", &request.namespace)?,
        target,
        from,
    })
}

fn decode_release(field: &'static str, text: &str) -> Result<Minor, RequestError> {
    let refused = |message: String| RequestError::Field { field, message };
    if text.len() > LONGEST_RELEASE {
        let length = text.len();
        return Err(refused(format!(
            "it has {length} bytes; the maximum is {LONGEST_RELEASE}"
        )));
    }
    let release = text.parse::<Minor>();
    release.map_err(|error| refused(error.to_string()))
}

/// Returns the responses: first the overview, then one response for each operator.
pub(crate) fn encode(assessment: &Assessment) -> Vec<pb::ListReadinessResponse> {
    let overview = Content::Overview(encode_overview(assessment));
    let all = 0..assessment.operators.len();
    let operators = all.map(|at| Content::Operator(encode_operator(assessment, at)));
    let contents = std::iter::once(overview).chain(operators);
    let responses = contents.map(|content| pb::ListReadinessResponse {
        content: Some(content),
    });
    responses.collect()
}

fn encode_overview(assessment: &Assessment) -> pb::ReadinessOverview {
    let stages = &assessment.question.stages;
    let (from, to) = (stages[0], stages[stages.len() - 1]);
    let notes = assessment.notes.iter();
    let notes = notes.map(|(object, message)| pb::ReadinessNote {
        object: object.clone(),
        message: message.clone(),
    });
    pb::ReadinessOverview {
        from: from.to_string(),
        to: to.to_string(),
        kubernetes: to.kubernetes.to_string(),
        notes: notes.collect(),
        unread: assessment.unread.clone(),
        not_checked: assessment.not_checked.clone(),
    }
}

fn encode_operator(assessment: &Assessment, at: usize) -> pb::OperatorReadiness {
    let advice = assessment.advice();
    let stages = &assessment.question.stages;
    let installed: &InstalledOperator = &assessment.inventory[at];
    let operator: &NamedOperator = &assessment.operators[at];
    let Readiness {
        verdict,
        reasons,
        legs,
        channel,
        after,
        blocks,
        held_up_by,
    } = &assessment.answers[at];
    let reasons = reasons.iter().map(|reason| pb::ReadinessReason {
        code: reason.code().to_owned(),
        message: advice.sentence(at, reason),
        object: match reason {
            Reason::Restrained { restraint, .. } => Some(encode_object(&restraint.object)),
            _ => None,
        },
    });
    let updates = legs
        .iter()
        .map(|leg| encode_updates(stages[leg.stage], &leg.hops));
    let target = stages[stages.len() - 1];
    let after = after.as_ref();
    let held_up_by = held_up_by.iter();
    let held_up_by = held_up_by.map(|other| assessment.operators[*other].key().to_string());
    let name = |text: Option<String>| text.unwrap_or_default();
    pb::OperatorReadiness {
        subject: Some(encode_subject(operator)),
        manager: encode_manager(installed.manager).into(),
        namespace: installed.namespace.clone(),
        package: operator.package.clone(),
        catalog: name(operator.catalogs.first().map(ToString::to_string)),
        installed: operator.bundle.clone(),
        verdict: encode_verdict(*verdict).into(),
        reasons: reasons.collect(),
        updates: updates.collect(),
        after: after.map(|hops| encode_updates(target, hops)),
        channel_then: name(channel.as_ref().map(ToString::to_string)),
        blocks: name(blocks.map(|stage| stages[stage].to_string())),
        held_up_by: held_up_by.collect(),
        steps: advice.steps(at).iter().map(encode_step).collect(),
    }
}

fn encode_subject(operator: &NamedOperator) -> basis::ObjectRef {
    let object: &AddressedObject = operator.subscription.as_ref().unwrap_or(&operator.object);
    basis::ObjectRef {
        kind: object.kind.kind.clone(),
        namespace: object.key.namespace.to_string(),
        name: object.key.name.to_string(),
    }
}

fn encode_object(object: &ObjectRef) -> basis::ObjectRef {
    basis::ObjectRef {
        kind: object.kind.kind.clone(),
        namespace: object.namespace().to_owned(),
        name: object.name.clone(),
    }
}

fn encode_manager(manager: Manager) -> PbManager {
    match manager {
        Manager::Olm => PbManager::Olm,
        Manager::Operator => PbManager::Operator,
        Manager::ClusterExtension => PbManager::ClusterExtension,
        Manager::Install => PbManager::Install,
        Manager::Plan => PbManager::InstallPlan,
    }
}

fn encode_verdict(verdict: ReadinessVerdict) -> PbVerdict {
    match verdict {
        ReadinessVerdict::Ready => PbVerdict::Ready,
        ReadinessVerdict::UpdateFirst => PbVerdict::UpdateFirst,
        ReadinessVerdict::UpdateBetween => PbVerdict::UpdateBetween,
        ReadinessVerdict::SwitchChannelFirst => PbVerdict::SwitchChannelFirst,
        ReadinessVerdict::SwitchChannelAfter => PbVerdict::SwitchChannelAfter,
        ReadinessVerdict::NotReinstallable => PbVerdict::NotReinstallable,
        ReadinessVerdict::Stranded => PbVerdict::Stranded,
        ReadinessVerdict::PackageGone => PbVerdict::PackageGone,
        ReadinessVerdict::Blocked => PbVerdict::Blocked,
        ReadinessVerdict::NotChecked => PbVerdict::NotChecked,
    }
}

fn encode_updates(stage: Stage, hops: &[Node]) -> pb::ReadinessUpdates {
    pb::ReadinessUpdates {
        release: stage.to_string(),
        bundles: hops.iter().map(|hop| hop.name.to_string()).collect(),
    }
}

fn encode_step(step: &Step) -> pb::ReadinessStep {
    let Step {
        when,
        message,
        who,
        command,
        is_detail,
        change,
        goal,
    } = step;
    let manifest = change.as_ref().map(|change| change.manifest().to_string());
    let Goal {
        leaves,
        channel,
        catalog,
    } = goal;
    pb::ReadinessStep {
        when: encode_when(*when).into(),
        message: message.clone(),
        who: who.clone(),
        command: command.clone(),
        is_detail: *is_detail,
        manifest: manifest.unwrap_or_default(),
        goal: Some(pb::ReadinessGoal {
            leaves: leaves.clone(),
            channel: channel.clone(),
            catalog: catalog.clone(),
        }),
    }
}

fn encode_when(when: When) -> PbWhen {
    match when {
        When::Before => PbWhen::Before,
        When::Blocks => PbWhen::Blocks,
        When::Between => PbWhen::Between,
        When::After => PbWhen::After,
        When::Note => PbWhen::Note,
        When::NotChecked => PbWhen::NotChecked,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn request(target: Option<PbTarget>, from: &str) -> pb::ListReadinessRequest {
        pb::ListReadinessRequest {
            target,
            from: from.to_owned(),
            ..pb::ListReadinessRequest::default()
        }
    }

    #[test]
    fn request_has_a_target_and_a_current_release() {
        let target = PbTarget::Openshift("4.22".to_owned());
        let asked = decode(&request(Some(target), "4.20"));
        let expected = AskedReadiness {
            namespace: None,
            target: Some(TargetRelease::Openshift(Minor::new(4, 22))),
            from: Some(Minor::new(4, 20)),
        };
        assert_eq!(asked, Ok(expected));
    }

    #[rstest]
    #[case::of_openshift(PbTarget::Openshift("four".to_owned()), "", "openshift")]
    #[case::of_kubernetes(PbTarget::Kubernetes(String::new()), "", "kubernetes")]
    #[case::current(PbTarget::Kubernetes("1.35".to_owned()), "1.35.1", "from")]
    #[case::very_long(PbTarget::Openshift("4".repeat(1000)), "", "openshift")]
    fn invalid_release_names_its_field(
        #[case] target: PbTarget,
        #[case] from: &str,
        #[case] expected: &str,
    ) {
        let refused = decode(&request(Some(target), from));
        let is_expected =
            matches!(&refused, Err(RequestError::Field { field, .. }) if *field == expected);
        assert!(is_expected, "{refused:?}");
    }
}
