//! What OLM says of the Subscription, as conditions of the policy.
//!
//! Whoever may write the status of a Subscription may write anything there. An API server refuses a
//! whole status because of one condition that it does not take, and etcd one that is too large.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition as StatusCondition, Time};
use portolan_api::ConditionType;

use crate::desired::Status;
use crate::phrase::cut;
use crate::words;

/// Which conditions OLM v0 writes, but for the one that has a name of ours. They go before others.
const OF_OLM: [&str; 10] = [
    "BundleDeprecated",
    "BundleUnpackFailed",
    "BundleUnpacking",
    "ChannelDeprecated",
    "Deprecated",
    "InstallPlanFailed",
    "InstallPlanMissing",
    "InstallPlanPending",
    "PackageDeprecated",
    "ResolutionFailed",
];
/// How many are taken over.
const MOST: usize = 20;
/// The longest message of one, in bytes.
const LONGEST: usize = 4096;

/// Those that a status can hold, which have no name of ours, by type.
pub(super) fn conditions(
    olm: &[portolan_core_olm::Condition],
    now: Timestamp,
) -> Vec<StatusCondition> {
    let mut taken: Vec<_> = olm.iter().filter(|each| is_taken(&each.r#type)).collect();
    taken.sort_by_key(|each| (!OF_OLM.contains(&each.r#type.as_str()), &each.r#type));
    taken.dedup_by_key(|each| &each.r#type);
    taken.truncate(MOST);
    taken.sort_by_key(|each| &each.r#type);
    taken.into_iter().map(|each| condition(each, now)).collect()
}

fn is_taken(name: &str) -> bool {
    words::is_type(name) && ConditionType::parse(name).is_none()
}

fn condition(olm: &portolan_core_olm::Condition, now: Timestamp) -> StatusCondition {
    StatusCondition {
        type_: olm.r#type.clone(),
        status: Status::parse(&olm.status).as_str().to_owned(),
        reason: words::reason(&olm.reason).to_owned(),
        message: cut(olm.message.clone(), LONGEST),
        last_transition_time: olm.last_transition_time.clone().unwrap_or(Time(now)),
        observed_generation: None,
    }
}
