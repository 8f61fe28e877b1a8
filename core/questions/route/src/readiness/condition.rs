//! The condition in which OpenShift reports operators that block the upgrade to the next minor
//! release.
//!
//! OLM v0 (v0.46) sets the condition `Upgradeable` of ClusterOperator `operator-lifecycle-manager`.
//! OpenShift's operator for OLM v1 sets this condition of ClusterOperator `olm`. In both cases, the
//! message names the operators, and the condition is only about the next minor release.

use std::collections::BTreeSet;

use super::judge::Case;
use super::{Installer, Question};

/// The reason of the condition if operators block the next minor release.
const INCOMPATIBLE: &str = "IncompatibleOperatorsInstalled";

/// The condition `Upgradeable` of a ClusterOperator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpgradeableCondition {
    pub status: String,
    pub reason: String,
    /// The operators that the message of the condition names.
    pub named: BTreeSet<String>,
}

/// The result of comparing the condition with the limits of bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// The condition and the limits name the same operators. The set may be empty.
    Same(BTreeSet<String>),
    /// Some operators are named only by the condition, or only by the limits.
    Different {
        only_condition: BTreeSet<String>,
        only_limits: BTreeSet<String>,
    },
    /// The condition has another reason, so its message does not name the blocking operators.
    OtherReason,
}

// === impl UpgradeableCondition ===

impl UpgradeableCondition {
    /// Compares the condition with the limits of the installed bundles of one installer. `names`
    /// contains the names of all operators, in the order of the question. OLM v0 names an operator
    /// by its ClusterServiceVersion, such as `docks/ferry.v1.0.0`. OLM v1 names an operator by its
    /// ClusterExtension.
    pub fn compare(
        &self,
        question: &Question,
        installer: Installer,
        names: &[String],
    ) -> Agreement {
        let condition = match (self.status.as_str(), self.reason.as_str()) {
            ("True", _) => BTreeSet::new(),
            ("False", INCOMPATIBLE) => self.named.clone(),
            (_, _) => return Agreement::OtherReason,
        };
        let limits = limited(question, installer, names);
        if condition == limits {
            return Agreement::Same(limits);
        }
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
        Agreement::Different {
            only_condition: only(&condition, &limits),
            only_limits: only(&limits, &condition),
        }
    }
}

/// Returns the names of the operators whose limit does not permit the next release.
fn limited(question: &Question, installer: Installer, names: &[String]) -> BTreeSet<String> {
    let operators = question.operators.iter().zip(names);
    let limited = operators.filter(|(subject, _)| {
        let case = Case::of(&question.stages, subject);
        let installed = subject.installed.as_ref();
        subject.installer == installer
            && installed.is_some_and(|installed| !case.permits_stage(&installed.name, 1))
    });
    limited.map(|(_, name)| name.clone()).collect()
}
