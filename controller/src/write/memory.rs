//! The data that this process keeps about policies.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::OperatorPolicy;
use portolan_runtime::ResourceRef;
use portolan_world::Key;

/// The data about each policy. It is dropped when the policy no longer exists.
#[derive(Debug, Default)]
pub(super) struct PolicyMemories(BTreeMap<Key, PolicyMemory>);

/// The data that this process keeps about one policy.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PolicyMemory {
    uid: String,
    /// True if this process has already reported about the policy. Otherwise, another process may
    /// have written the status and ended before it created the event.
    pub(super) is_told: bool,
    /// The generation for which the note that the controller is read-only was written. None if the
    /// note was not written.
    pub(super) noted_generation: Option<i64>,
    /// The objects whose fields were written for the policy.
    pub(super) objects: BTreeSet<ResourceRef>,
}

impl PolicyMemories {
    /// Returns the data about a policy. If another policy had the same name before, only the list
    /// of its objects is kept.
    pub(super) fn with(&mut self, policy: &OperatorPolicy) -> &mut PolicyMemory {
        let metadata = &policy.metadata;
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        let name = metadata.name.as_deref().unwrap_or_default();
        let uid = metadata.uid.as_deref().unwrap_or_default();
        let known = self.0.entry(Key::new(namespace, name)).or_default();
        if known.uid != uid {
            *known = PolicyMemory {
                uid: uid.to_owned(),
                objects: std::mem::take(&mut known.objects),
                ..PolicyMemory::default()
            };
        }
        known
    }

    /// Drops the data about a deleted policy. Returns the objects whose fields were written for it.
    pub(super) fn forget(&mut self, policy: &Key) -> BTreeSet<ResourceRef> {
        self.0.remove(policy).unwrap_or_default().objects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ferry(uid: &str) -> OperatorPolicy {
        let mut policy = OperatorPolicy::new("ferry", serde_json::json!({}).into());
        policy.metadata.namespace = Some("west".to_owned());
        policy.metadata.uid = Some(uid.to_owned());
        policy
    }

    fn known(uid: &str) -> PolicyMemory {
        PolicyMemory {
            uid: uid.to_owned(),
            ..PolicyMemory::default()
        }
    }

    fn hull() -> ResourceRef {
        ResourceRef::new(
            "operators.coreos.com/v1alpha1",
            "Subscription",
            "fleet",
            "hull",
        )
    }

    #[test]
    fn forget_removes_all_memory_of_a_policy() {
        let mut memories = PolicyMemories::default();
        memories.with(&ferry("1")).objects.insert(hull());
        let forgotten = memories.forget(&Key::new("west", "ferry"));
        assert_eq!(
            (forgotten, memories.0),
            (BTreeSet::from([hull()]), BTreeMap::new())
        );
    }

    #[test]
    fn new_policy_with_the_same_name_has_no_memory() {
        let mut memories = PolicyMemories::default();
        memories.with(&ferry("1")).is_told = true;
        assert_eq!(*memories.with(&ferry("2")), known("2"));
        assert_eq!(memories.0.len(), 1);
    }

    #[test]
    fn memory_of_a_replaced_policy_is_forgotten() {
        let mut memories = PolicyMemories::default();
        memories.with(&ferry("1")).objects.insert(hull());
        memories.with(&ferry("2"));
        let forgotten = memories.forget(&Key::new("west", "ferry"));
        assert_eq!(forgotten, BTreeSet::from([hull()]));
    }

    #[test]
    fn policy_is_known_after_its_first_report() {
        let mut memories = PolicyMemories::default();
        memories.with(&ferry("1")).noted_generation = Some(3);
        let expected = PolicyMemory {
            noted_generation: Some(3),
            ..known("1")
        };
        assert_eq!(*memories.with(&ferry("1")), expected);
    }
}
