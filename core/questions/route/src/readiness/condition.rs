//! The condition of OpenShift about operators that block its next minor release.
//!
//! OLM v0 sets `Upgradeable` of ClusterOperator `operator-lifecycle-manager` (v0.46), and OpenShift's
//! operator for OLM v1 sets it of ClusterOperator `olm`. Both name the operators in the message, and
//! look only at the next minor release.

use std::collections::BTreeSet;

use super::judge::Case;
use super::{Installer, Question};

/// The reason of the condition if operators block the next release.
const INCOMPATIBLE: &str = "IncompatibleOperatorsInstalled";

/// The condition `Upgradeable` of a ClusterOperator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpgradeableCondition {
    pub status: String,
    pub reason: String,
    /// The operators that its message names.
    pub named: BTreeSet<String>,
}

/// The operators that the condition and the limits of bundles name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// Both name these operators, perhaps none.
    Same(BTreeSet<String>),
    /// Only one of them names these operators.
    Different {
        only_condition: BTreeSet<String>,
        only_limits: BTreeSet<String>,
    },
    /// The condition has another reason, so it does not name the operators that block.
    OtherReason,
}

// === impl UpgradeableCondition ===

impl UpgradeableCondition {
    /// Compares the condition with the installed bundles of one installer. OLM v0 names an operator
    /// by its ClusterServiceVersion, as in `docks/ferry.v1.0.0`, and OLM v1 by its ClusterExtension.
    /// `names` are these names, in the order of the question.
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

/// Returns the names of the operators whose limit is below the next release.
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
