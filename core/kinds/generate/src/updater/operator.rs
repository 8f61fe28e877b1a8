//! An Operator, as far as it bears on its updates.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::operator::{ConditionType, Operator, Reason, Status, UPDATES};
use portolan_core_names::Version;
use serde_json::{Value, json};

use crate::updater::owners::Owners;

/// An Operator as it was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenOperator {
    pub name: String,
    pub package: String,
    /// The document that questions about it have: metadata, spec, and what is installed.
    pub document: Value,
    /// `spec.version`; empty if there is none.
    pub version: String,
    /// The version that is installed.
    pub installed: Option<String>,
    pub phase: Phase,
    pub owners: Owners,
    pub generation: Option<i64>,
    /// The condition that the updater has written of it so far.
    pub condition: Option<Condition>,
}

/// The phase of an Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// It has the version that it shall have, and works.
    Ready,
    /// It is on its way, waits, or does not work; and why, in the words of its status.
    Waits(String),
    /// The version that it shall have did not come to its end; and why.
    Failed(String),
    /// It is being deleted.
    Leaving,
}

// === impl SeenOperator ===

impl SeenOperator {
    /// Reads the state that an Operator shows.
    pub fn of(operator: &Operator) -> Self {
        let (metadata, spec) = (&operator.metadata, operator.spec.as_json());
        let status = operator.status.clone().unwrap_or_default();
        let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
        let version = text("version");
        let installed = status.versions.installed.clone();
        let leaves = metadata.deletion_timestamp.is_some();
        let phase = match &installed {
            _ if leaves => Phase::Leaving,
            None => Phase::Waits("nothing of it is installed yet".to_owned()),
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

    /// Whether a name of the configuration means it.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.package == name
    }
}

fn phase(status: &Status, generation: Option<i64>, version: &str, installed: &str) -> Phase {
    let said = |type_| status.condition(type_);
    let words = |type_| said(type_).map_or("", |condition| condition.message.as_str());
    let installing = said(ConditionType::Installing).map_or("", |it| it.reason.as_str());
    if status.observed_generation != generation {
        return Phase::Waits("its controller has not looked at its spec yet".to_owned());
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

/// Whether one version is written, and another one is installed. A range that is written has been met
/// once anything of it is installed.
fn is_elsewhere(version: &str, installed: &str) -> bool {
    let versions = (Version::parse(version), Version::parse(installed));
    matches!(versions, (Ok(written), Ok(installed)) if written != installed)
}
