//! The state of an Operator, as far as the updater needs it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::operator::{ConditionType, Operator, Reason, Status, UPDATES};
use portolan_core_names::Version;
use serde_json::{Value, json};

use crate::updater::owners::Owners;

/// The observed state of an Operator.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenOperator {
    pub name: String,
    pub package: String,
    /// The Operator as a document for questions to the resolver. It contains the metadata, the spec
    /// and the installed version.
    pub document: Value,
    /// The value of `spec.version`. Empty if it is missing.
    pub version: String,
    /// The installed version. None if nothing is installed.
    pub installed: Option<String>,
    pub phase: Phase,
    pub owners: Owners,
    pub generation: Option<i64>,
    /// The condition that the updater has written. None if it has written no condition.
    pub condition: Option<Condition>,
}

/// The state of an Operator that decides if it may be updated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// The Operator is ready in the requested version.
    Ready,
    /// The Operator is being upgraded, is waiting, or is not ready. Contains the message of its
    /// status.
    Waits(String),
    /// The requested version has failed. Contains the message of its status.
    Failed(String),
    /// The Operator is being deleted.
    Leaving,
}

// === impl SeenOperator ===

impl SeenOperator {
    /// Reads the state from an Operator.
    pub fn of(operator: &Operator) -> Self {
        let (metadata, spec) = (&operator.metadata, operator.spec.as_json());
        let status = operator.status.clone().unwrap_or_default();
        let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
        let version = text("version");
        let installed = status.versions.installed.clone();
        let leaves = metadata.deletion_timestamp.is_some();
        let phase = match &installed {
            _ if leaves => Phase::Leaving,
            None => Phase::Waits("the Operator is not installed yet".to_owned()),
            Some(installed) => phase(&status, metadata.generation, &version, installed),
        };
        let mut conditions = status.conditions.iter();
        Self {
            name: metadata.name.clone().unwrap_or_default(),
            package: text("packageName"),
            document: json!({
                "apiVersion": "operators.operatorframework.io/v1alpha1",
                "kind": "Operator",
                "metadata": {"name": metadata.name, "annotations": metadata.annotations},
                "spec": spec,
                "status": {"versions": {"installed": installed}},
            }),
            version,
            installed,
            phase,
            owners: Owners::of(metadata),
            generation: metadata.generation,
            condition: conditions.find(|it| it.type_ == UPDATES).cloned(),
        }
    }

    /// Returns true if a name in the configuration means this Operator. The name may also be its
    /// package.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.package == name
    }
}

fn phase(status: &Status, generation: Option<i64>, version: &str, installed: &str) -> Phase {
    let said = |type_| status.condition(type_);
    let words = |type_| said(type_).map_or("", |condition| condition.message.as_str());
    let installing = said(ConditionType::Installing).map_or("", |it| it.reason.as_str());
    if status.observed_generation != generation {
        return Phase::Waits("the controller has not reconciled its spec yet".to_owned());
    }
    let failed = [Reason::InstallFailed, Reason::Reverted];
    if failed.iter().any(|reason| reason.as_str() == installing) {
        return Phase::Failed(words(ConditionType::Installing).to_owned());
    }
    if is_elsewhere(version, installed) {
        return Phase::Waits(words(ConditionType::Installing).to_owned());
    }
    match said(ConditionType::Ready) {
        Some(ready) if ready.status == "True" => Phase::Ready,
        Some(_) | None => Phase::Waits(words(ConditionType::Ready).to_owned()),
    }
}

/// Returns true if the spec names another version than the installed one. If the spec contains a
/// range, returns false.
fn is_elsewhere(version: &str, installed: &str) -> bool {
    let versions = (Version::parse(version), Version::parse(installed));
    matches!(versions, (Ok(written), Ok(installed)) if written != installed)
}
