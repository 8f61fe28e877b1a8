//! Secrets and ConfigMaps without which a container cannot be created.

use portolan_core_olm::messages::{MissingReference, missing_reference};

use crate::cure::{Cure, administrator};
use crate::{Cause, Code, Evidence, Object};

/// Returns the cause with the missing or incomplete Secret or ConfigMap as the object at fault. Other
/// causes stay the same.
pub(crate) fn named_reference(cause: Cause) -> Cause {
    let is_of_container = cause.code == Code::ContainerNotCreated;
    let message = cause.message.clone();
    let Some(missing) = missing_reference(&message).filter(|_| is_of_container) else {
        return cause;
    };
    let MissingReference { kind, name, key } = missing;
    let object = Object::new(kind, &cause.at_fault.namespace, name);
    let (problem, action) = match key {
        None => ("does not exist", format!("Create {object}.")),
        Some(key) => {
            let action = format!("Add key {key} to {object}.");
            ("lacks a key", action)
        }
    };
    let message = format!("{message} {object} {problem}.");
    let action = format!("{action} Kubernetes then starts the container by itself.");
    let who = administrator(&object);
    let absent = key.is_none().then(|| Evidence::absent(object.clone()));
    Cause {
        at_fault: object,
        message,
        ..cause.cured(Cure::external(&who, &action)).shown(absent)
    }
}
