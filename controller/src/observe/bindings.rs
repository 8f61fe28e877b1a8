//! PolicyBindings, each parsed once: whether one names a policy.

use std::collections::BTreeMap;

use portolan_api::policy::{Binding, PolicyBinding, SubjectKind};
use portolan_world::{Followed, Key};

/// Those that can be read. What they allow is for approval to say, and a binding that is not seen binds
/// nobody here: it is only about whether approval is asked.
#[derive(Debug, Default)]
pub(super) struct Bindings(BTreeMap<Key, Binding>);

impl Bindings {
    /// Takes over these as they are now, and says whether any is another one: a status is nothing to it.
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

    /// Whether one of them names a policy.
    pub(super) fn bind(&self, policy: &Key) -> bool {
        let (kind, Key { namespace, name }) = (SubjectKind::OperatorPolicy, policy);
        self.0.values().any(|it| it.names(kind, namespace, name))
    }
}
