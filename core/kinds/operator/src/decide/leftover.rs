//! CRDs that remain in the cluster after OLM removed an operator. OLM labels its CRDs and never
//! deletes them.

use portolan_core_install::is_claimed;
use serde_json::Value;

use super::live::{definitions, there};
use super::{Halt, OperatorContext};
use crate::fleet::{Fleet, Installer};

/// Returns true if an Operator that has installed nothing yet may take over the existing objects in
/// its manifests. All of these must be CRDs that OLM left: OLM labeled them, no other owner claims
/// them, and no ClusterServiceVersion provides their kinds any more. A Namespace may exist too.
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
    Ok(there(case, others.collect())?.is_empty())
}

fn is_marked(definition: &Value) -> bool {
    definition["metadata"]["labels"]["olm.managed"] == "true"
}

/// Returns true if a ClusterServiceVersion of OLM provides the kind of a CRD.
fn is_provided(fleet: &Fleet, definition: &Value) -> bool {
    let spec = &definition["spec"];
    let by_olm = fleet.present.iter().filter(|it| it.by == Installer::Olm);
    let mut provided = by_olm.flat_map(|it| &it.installs.provides);
    provided.any(|api| spec["group"] == api.group && spec["names"]["kind"] == api.kind)
}
