//! Finds missing Secrets and ConfigMaps without which a container cannot be created.

use portolan_core_olm::messages::{MissingReference, missing_reference};

use crate::cure::{Cure, administrator};
use crate::rollout::Absent;
use crate::{Cause, Code, Object};

/// Returns the cause with the missing or incomplete Secret or ConfigMap as the object at fault.
/// Does not change other causes.
pub(crate) fn named_reference(cause: Cause) -> Cause {
    let is_of_container = cause.code == Code::ContainerNotCreated;
    let Some(missing) = cause
        .texts()
        .find_map(missing_reference)
        .filter(|_| is_of_container)
    else {
        return cause;
    };
    let MissingReference { kind, name, key } = missing;
    let object = Object::new(kind, &cause.at_fault.namespace, name);
    let (key, message) = (key.map(str::to_owned), cause.message.clone());
    let Some(key) = key else {
        let absent = Absent::new(object);
        let message = absent.message(&message);
        return Cause {
            at_fault: absent.object().clone(),
            message,
            ..cause.cured(absent.cure()).shown([absent.evidence()])
        };
    };
    let message = format!("{object} lacks a key. {message}");
    let action =
        format!("Add key {key} to {object}. Kubernetes then starts the container by itself.");
    let who = administrator(&object);
    Cause {
        at_fault: object,
        message,
        ..cause.cured(Cure::external(&who, &action))
    }
}
