//! Encodes what each policy allows, or why it allows nothing (a standing).

use portolan_core_approval::{Allows, POLICY, PolicyId, Says, Standing, withheld};
use portolan_proto::approval::v1 as pb;
use portolan_proto::basis::v1 as basis;

use super::{encode_object, encode_reason};

pub(super) fn encode_policies(policies: &[Standing]) -> Vec<pb::Standing> {
    policies.iter().map(encode_policy).collect()
}

fn encode_policy(policy: &Standing) -> pb::Standing {
    let Standing {
        id,
        package,
        namespace,
        cluster: _,
        says,
    } = policy;
    let silent = pb::Standing {
        policy: Some(encode_policy_id(id)),
        generation: id.generation,
        package: package.to_string(),
        namespace: namespace.clone().unwrap_or_default(),
        withheld: withheld(policy).as_ref().map(encode_reason),
        ..pb::Standing::default()
    };
    match says {
        Says::Withholds(_) => silent,
        Says::Allows(allows) => {
            let Allows {
                consents,
                field: _,
                catalog: _,
                updates,
                dependencies,
            } = allows;
            pb::Standing {
                consents: consents.iter().map(ToString::to_string).collect(),
                allows_updates: *updates,
                allows_dependencies: *dependencies,
                ..silent
            }
        }
    }
}

/// Encodes the identity of a policy. The resource version is left out, because it changes with each
/// status update.
pub(super) fn encode_policy_id(id: &PolicyId) -> basis::Observed {
    let PolicyId {
        namespace,
        name,
        uid,
        generation: _,
    } = id;
    basis::Observed {
        object: Some(encode_object(POLICY, namespace, name)),
        uid: uid.clone().unwrap_or_default(),
        ..basis::Observed::default()
    }
}
