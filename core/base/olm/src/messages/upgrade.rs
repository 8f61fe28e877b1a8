//! Messages of OpenShift about operators that block the upgrade to the next minor release.

use std::collections::BTreeSet;

/// Returns the operators in the message of the condition `Upgradeable` of a ClusterOperator. OLM v0
/// (v0.46) names ClusterServiceVersions, such as `docks/ferry.v1.0.0`. OpenShift's operator for OLM
/// v1 names ClusterExtensions.
pub fn upgrade_blockers(message: &str) -> BTreeSet<String> {
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

    #[test]
    fn finds_operators_in_messages() {
        let olm_v0 = "ClusterServiceVersions blocking minor version upgrades to 4.23 or major version \
                      upgrades to 5.0:\n- apis/bad.v1.0.0 has invalid olm.maxOpenShiftVersion \
                      properties: empty\n- maximum supported OCP version for apis/gauge.v0.11.0 is \
                      4.20";
        let expected = ["apis/bad.v1.0.0", "apis/gauge.v0.11.0"];
        assert!(upgrade_blockers(olm_v0).iter().eq(expected));
        let olm_v1 = "Found ClusterExtensions that require upgrades prior to upgrading cluster to \
                      version 4.21: bundle \"a.v1\" for ClusterExtension \"a\"\nbundle \"b.v1\" for \
                      ClusterExtension \"b\".";
        assert!(upgrade_blockers(olm_v1).iter().eq(["a", "b"]));
    }
}
