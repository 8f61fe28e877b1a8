//! Who made an object.

use kube_core::ObjectMeta;

/// The uid of the owner that controls the object. There is at most one.
pub(crate) fn controller_uid(metadata: &ObjectMeta) -> Option<&str> {
    let mut owners = metadata.owner_references.iter().flatten();
    let owner = owners.find(|owner| owner.controller == Some(true));
    owner.map(|owner| owner.uid.as_str())
}
