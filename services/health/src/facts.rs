//! Objects as facts: from what Kubernetes and OLM write to the values that health is judged by.
//! Nothing is decided here, and nothing is left out that the judge reads.

mod apis;
mod catalogs;
mod csv;
mod running;
mod wishes;

use portolan_core_health::{Condition, Kind, Object, Observed};
use portolan_core_olm::Identity;

pub(crate) use self::apis::{definition, served_api};
pub(crate) use self::catalogs::catalog_source;
pub(crate) use self::csv::csv;
pub use self::running::pod;
pub(crate) use self::running::{deployment, event, operator_condition, replica_set};
pub(crate) use self::wishes::{install_plan, operator_group, subscription};

/// Which object, and in which state it was looked at.
pub fn observed(kind: Kind, identity: Identity) -> Observed {
    let Identity {
        namespace,
        name,
        uid,
        resource_version,
    } = identity;
    Observed {
        object: Object {
            kind,
            namespace: namespace.unwrap_or_default(),
            name,
        },
        uid: uid.unwrap_or_default(),
        resource_version: resource_version.unwrap_or_default(),
    }
}

fn conditions(conditions: &[portolan_core_olm::Condition]) -> Vec<Condition> {
    conditions.iter().map(condition).collect()
}

fn condition(condition: &portolan_core_olm::Condition) -> Condition {
    let portolan_core_olm::Condition {
        r#type,
        status,
        reason,
        message,
        observed_generation,
        last_transition_time: _,
    } = condition;
    Condition {
        kind: r#type.clone(),
        status: status.clone(),
        reason: reason.clone(),
        message: message.clone(),
        generation: observed_generation.unwrap_or_default(),
    }
}
