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
    pub message: String,
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
            ("False", INCOMPATIBLE) => blockers(&self.message),
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

/// Returns the operators that a message names.
fn blockers(message: &str) -> BTreeSet<String> {
    let of_olm_v0 = message.lines().filter_map(|line| {
        let line = line.trim().strip_prefix("- ")?;
        let name = match line.strip_prefix("maximum supported OCP version for ") {
            Some(rest) => rest.split(" is ").next(),
            None => line.split(" has ").next(),
        };
        name.map(str::to_owned)
    });
    let of_olm_v1 = message.split("ClusterExtension \"").skip(1);
    let of_olm_v1 = of_olm_v1.filter_map(|rest| rest.split('"').next());
    of_olm_v0.chain(of_olm_v1.map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages are those of OLM v0.46 and of OpenShift's operator for OLM v1.
    #[test]
    fn finds_operators_in_messages() {
        let olm_v0 = "ClusterServiceVersions blocking minor version upgrades to 4.23 or major version \
                      upgrades to 5.0:\n- apis/bad.v1.0.0 has invalid olm.maxOpenShiftVersion \
                      properties: empty\n- maximum supported OCP version for apis/gauge.v0.11.0 is \
                      4.20";
        let expected = ["apis/bad.v1.0.0", "apis/gauge.v0.11.0"];
        assert!(blockers(olm_v0).iter().eq(expected));
        let olm_v1 = "Found ClusterExtensions that require upgrades prior to upgrading cluster to \
                      version 4.21: bundle \"a.v1\" for ClusterExtension \"a\"\nbundle \"b.v1\" for \
                      ClusterExtension \"b\".";
        assert!(blockers(olm_v1).iter().eq(["a", "b"]));
    }
}
