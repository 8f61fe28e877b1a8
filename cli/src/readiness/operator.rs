//! The readiness of one operator, in the form in which a report prints it.

use portolan_api::inventory::Manager;
use portolan_core_route::readiness::{REQUESTS_REMOVED_API, ReadinessVerdict};
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::operator_readiness::{
    Manager as PbManager, Verdict as PbVerdict,
};
use serde::{Serialize, Serializer};

use crate::print::words;

/// The readiness of one operator.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OperatorReadiness {
    namespace: String,
    name: String,
    pub(super) manager: String,
    package: String,
    catalog: String,
    pub(super) installed: String,
    #[serde(serialize_with = "word")]
    pub(super) verdict: ReadinessVerdict,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonOutput>,
    /// The bundles to install before the upgrade and at each release in between.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    updates: Vec<Updates>,
    /// The bundles to install after the upgrade. None if no path leads to the head of the channel.
    after: Option<Vec<String>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    channel_then: String,
    /// The first release that the operator blocks. Empty if the operator blocks no release.
    #[serde(skip_serializing_if = "String::is_empty")]
    blocks: String,
    /// The operators of the same namespace that prevent OLM from updating this operator after the
    /// upgrade.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    held_up_by: Vec<String>,
    /// The operator in the form that steps use.
    #[serde(skip)]
    pub(super) located: String,
    /// True if the operator requests APIs that the cluster upgrade removes.
    #[serde(skip)]
    pub(super) has_requests: bool,
}

#[derive(Debug, Serialize)]
struct ReasonOutput {
    code: String,
    message: String,
    /// The object that forbids or delays an update. Empty if the reason is not an object.
    #[serde(skip_serializing_if = "String::is_empty")]
    object: String,
}

#[derive(Debug, Serialize)]
struct Updates {
    release: String,
    bundles: Vec<String>,
}

// === impl OperatorReadiness ===

impl OperatorReadiness {
    pub(super) fn of(operator: pb::OperatorReadiness) -> Self {
        let (manager, verdict) = (operator.manager(), decode_verdict(operator.verdict()));
        let pb::OperatorReadiness {
            subject,
            manager: _,
            namespace,
            package,
            catalog,
            installed,
            verdict: _,
            reasons,
            updates,
            after,
            channel_then,
            blocks,
            held_up_by,
            steps: _,
        } = operator;
        let subject = subject.unwrap_or_default();
        let mut codes = reasons.iter().map(|reason| reason.code.as_str());
        let has_requests = codes.any(|code| code == REQUESTS_REMOVED_API);
        let reasons = reasons.into_iter().map(|reason| ReasonOutput {
            code: reason.code,
            message: reason.message,
            object: reason
                .object
                .as_ref()
                .map(words::object)
                .unwrap_or_default(),
        });
        let updates = updates.into_iter().map(|updates| Updates {
            release: updates.release,
            bundles: updates.bundles,
        });
        Self {
            located: words::located(&subject.namespace, &subject.name),
            namespace,
            name: subject.name,
            manager: decode_manager(manager).to_owned(),
            package,
            catalog,
            installed,
            verdict,
            reasons: reasons.collect(),
            updates: updates.collect(),
            after: after.map(|it| it.bundles),
            channel_then,
            blocks,
            held_up_by,
            has_requests,
        }
    }
}

fn decode_manager(manager: PbManager) -> &'static str {
    match manager {
        PbManager::Olm => Manager::Olm.as_str(),
        PbManager::Operator => Manager::Operator.as_str(),
        PbManager::ClusterExtension => Manager::ClusterExtension.as_str(),
        PbManager::Install => Manager::Install.as_str(),
        PbManager::InstallPlan => Manager::Plan.as_str(),
        // A value of a newer server.
        PbManager::Unspecified => "unknown",
    }
}

/// Decodes a verdict. A verdict that this version does not know counts as unknown.
fn decode_verdict(verdict: PbVerdict) -> ReadinessVerdict {
    match verdict {
        PbVerdict::Ready => ReadinessVerdict::Ready,
        PbVerdict::UpdateFirst => ReadinessVerdict::UpdateFirst,
        PbVerdict::UpdateBetween => ReadinessVerdict::UpdateBetween,
        PbVerdict::SwitchChannelFirst => ReadinessVerdict::SwitchChannelFirst,
        PbVerdict::SwitchChannelAfter => ReadinessVerdict::SwitchChannelAfter,
        PbVerdict::NotReinstallable => ReadinessVerdict::NotReinstallable,
        PbVerdict::Stranded => ReadinessVerdict::Stranded,
        PbVerdict::PackageGone => ReadinessVerdict::PackageGone,
        PbVerdict::Blocked => ReadinessVerdict::Blocked,
        PbVerdict::NotChecked | PbVerdict::Unspecified => ReadinessVerdict::NotChecked,
    }
}

/// Serializes a verdict as one word.
pub(super) fn word<S: Serializer>(
    verdict: &ReadinessVerdict,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.as_str())
}
