//! Compares OpenShift's condition `Upgradeable` with the limits of bundles, and describes the
//! result as a sentence.

use std::collections::BTreeSet;

use portolan_core_names::text::{cite, listed};

use super::Advice;
use crate::readiness::{Agreement, Installer, UpgradeableCondition};

// === impl Advice ===

impl Advice<'_> {
    /// Compares the condition of a ClusterOperator with the limits of all operators of one
    /// installer. Returns the result as a sentence. `message` is the message of the condition.
    ///
    /// # Panics
    /// Panics if the lists of this advice have different lengths.
    pub fn compared(
        &self,
        installer: Installer,
        condition: &UpgradeableCondition,
        message: &str,
    ) -> String {
        let next = self.question.stages[1];
        let subjects = self.question.operators.iter();
        let names = subjects.zip(self.operators).map(|(subject, named)| {
            match installer {
                // The condition of OLM v0 names ClusterServiceVersions, and the condition of OLM v1
                // names ClusterExtensions.
                Installer::OlmV0 => format!("{}/{}", subject.namespace, named.bundle),
                Installer::OlmV1 | Installer::Other => named.object.key.name.to_string(),
            }
        });
        let names: Vec<_> = names.collect();
        match condition.compare(self.question, installer, &names) {
            Agreement::Same(blockers) if blockers.is_empty() => {
                format!("The condition Upgradeable agrees: no limit blocks the upgrade to {next}.")
            }
            Agreement::Same(blockers) => format!(
                "The condition Upgradeable agrees: the upgrade to {next} is blocked by {}.",
                listed(blockers.iter().map(|name| cite(name)))
            ),
            Agreement::OtherReason if condition.status.is_empty() => {
                "It has no condition Upgradeable.".to_owned()
            }
            Agreement::OtherReason => format!(
                "The condition Upgradeable is {} for another reason: {}: {}",
                cite(&condition.status),
                cite(&condition.reason),
                cite(message)
            ),
            Agreement::Different {
                only_condition,
                only_limits,
            } => different(&names, &only_condition, &only_limits),
        }
    }
}

/// Returns a sentence about the operators that only the condition or only the limits name, with the
/// cause.
fn different(
    names: &[String],
    only_condition: &BTreeSet<String>,
    only_limits: &BTreeSet<String>,
) -> String {
    let (limited, missing): (Vec<_>, Vec<_>) =
        only_condition.iter().partition(|name| names.contains(name));
    let parts = [
        (limited, "names {}, whose limit permits the upgrade now"),
        (missing, "names {}, which is not in this report"),
        (
            only_limits.iter().collect(),
            "does not name {} yet, whose limit blocks the upgrade",
        ),
    ];
    let parts = parts.into_iter().filter(|(names, _)| !names.is_empty());
    let parts = parts
        .map(|(names, text)| text.replace("{}", &listed(names.into_iter().map(|name| cite(name)))));
    format!(
        "The condition Upgradeable differs: it {}.",
        listed(parts.collect::<Vec<_>>())
    )
}
