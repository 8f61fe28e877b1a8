//! Policies. What they say is said twice, as neither side may know the other.

use portolan_api::Standing;
use portolan_core_approval::{Allows, Policy, PolicyId, Says, Withheld};

pub(crate) fn policy(standing: Standing) -> Policy {
    let Standing {
        id: policy,
        package,
        namespace,
        cluster: _,
        says: said,
    } = standing;
    Policy {
        id: id(policy),
        package,
        namespace,
        says: says(said),
    }
}

fn says(says: portolan_api::Says) -> Says {
    match says {
        portolan_api::Says::Allows(allows) => {
            let portolan_api::Allows {
                consents,
                field,
                catalog,
                updates,
                dependencies,
            } = allows;
            Says::Allows(Allows {
                consents,
                field,
                catalog,
                updates,
                dependencies,
            })
        }
        portolan_api::Says::Withholds(why) => Says::Withholds(withheld(why)),
    }
}

fn withheld(why: portolan_api::Withheld) -> Withheld {
    match why {
        portolan_api::Withheld::Leaving => Withheld::Leaving,
        portolan_api::Withheld::Invalid(sentences) => Withheld::Invalid(sentences),
        portolan_api::Withheld::Inform => Withheld::Inform,
        portolan_api::Withheld::MustNotHave => Withheld::MustNotHave,
        portolan_api::Withheld::Overlaps(others) => {
            Withheld::Overlaps(others.into_iter().map(id).collect())
        }
    }
}

fn id(id: portolan_api::PolicyId) -> PolicyId {
    let portolan_api::PolicyId {
        namespace,
        name,
        uid,
        generation,
    } = id;
    PolicyId {
        namespace,
        name,
        uid,
        generation,
    }
}
