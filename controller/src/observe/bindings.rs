//! Parses PolicyBindings, to find out which policies have a binding.

use std::collections::BTreeMap;

use portolan_api::policy::{Binding, PolicyBinding, SubjectKind};
use portolan_world::{Followed, Key};

/// The valid PolicyBindings. The approval service evaluates them. This process uses them only to
/// decide if the approval service must be queried. Therefore an unread binding has no effect here.
#[derive(Debug, Default)]
pub(super) struct Bindings(BTreeMap<Key, Binding>);

impl Bindings {
    /// Applies changed bindings. Returns true if a binding has changed. Ignores changes of only the
    /// status.
    pub(super) fn look(&mut self, found: &Followed<PolicyBinding>, keys: &[Key]) -> bool {
        let mut is_other = false;
        for key in keys {
            let binding = found.object(&key.namespace, &key.name);
            let is = binding.and_then(|binding| Binding::parse(binding).ok());
            is_other |= self.0.get(key) != is.as_ref();
            match is {
                Some(is) => drop(self.0.insert(key.clone(), is)),
                None => drop(self.0.remove(key)),
            }
        }
        is_other
    }

    /// Returns true if a binding names the policy.
    pub(super) fn bind(&self, policy: &Key) -> bool {
        let (kind, Key { namespace, name }) = (SubjectKind::OperatorPolicy, policy);
        self.0.values().any(|it| it.names(kind, namespace, name))
    }
}
