//! Finds CRDs that OLM left in the cluster, and their ClusterRoles. OLM sets its labels on these
//! objects and never deletes them.

use portolan_core_install::{crds_of_role, is_claimed};
use serde_json::Value;

use super::live::{definitions, there};
use super::{Halt, OperatorContext};
use crate::fleet::{Fleet, Installer};

/// Returns true if OLM left all existing objects of the manifests in the cluster, and the Operator
/// has installed nothing yet. In this case, the plan of the Operator may take over these objects.
/// These conditions must be met:
///
/// - Only CRDs, their ClusterRoles and a Namespace exist.
/// - All existing CRDs and ClusterRoles have OLM's labels and no other owner.
/// - No ClusterServiceVersion provides the kinds of these CRDs any more.
pub(super) fn is_left_by_olm(case: OperatorContext<'_>, manifests: &[Value]) -> Result<bool, Halt> {
    if case.member.predecessor().is_some() {
        return Ok(false);
    }
    let fleet = &case.observed.fleet;
    let found = there(case, definitions(manifests))?;
    let is_left = |it: &Value| is_marked(it) && !is_claimed(it) && !is_provided(fleet, it);
    if found.is_empty() || !found.iter().all(is_left) {
        return Ok(false);
    }
    let others = manifests.iter().filter(|it| {
        let is = |kind| it["kind"] == kind;
        !is("CustomResourceDefinition") && !is("Namespace")
    });
    let names: Vec<_> = found.iter().map(|it| &it["metadata"]["name"]).collect();
    let is_left_role = |role: &Value| {
        let crds = crds_of_role(role);
        let is_of_these = |crd: &&str| names.iter().any(|name| *name == crd);
        is_marked(role) && !is_claimed(role) && !crds.is_empty() && crds.iter().all(is_of_these)
    };
    Ok(there(case, others.collect())?.iter().all(is_left_role))
}

fn is_marked(object: &Value) -> bool {
    object["metadata"]["labels"]["olm.managed"] == "true"
}

/// Returns true if a ClusterServiceVersion of OLM provides the kind of a CRD.
fn is_provided(fleet: &Fleet, definition: &Value) -> bool {
    let spec = &definition["spec"];
    let by_olm = fleet.present.iter().filter(|it| it.by == Installer::Olm);
    let mut provided = by_olm.flat_map(|it| &it.installs.provides);
    provided.any(|api| spec["group"] == api.group && spec["names"]["kind"] == api.kind)
}
