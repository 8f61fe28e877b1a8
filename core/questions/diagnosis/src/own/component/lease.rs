//! The Lease of the controller, which shows whether a controller runs.

use super::told;
use crate::command::everywhere_labeled;
use crate::cure::Cure;
use crate::headline::Impact;
use crate::own::is_unwritten;
use crate::{Cause, Code, Diagnosis, Evidence, Object, State, Step};

/// The Lease that a running controller of Portolan holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerLease {
    /// The namespace of the Lease.
    pub namespace: String,
    /// The name of the Lease.
    pub name: String,
    /// The process that holds or held the Lease. Empty if the Lease was released.
    pub holder: String,
    /// The time of the last renewal. Empty if the Lease was never held.
    pub renewed: String,
    /// True if the Lease is held. False if it was released or has expired.
    pub is_held: bool,
}

/// Diagnoses the controller of a Lease. Without objects of Portolan, a stopped controller is no
/// problem.
pub(super) fn of_lease(lease: &ControllerLease, has_objects: bool) -> Diagnosis {
    let is_missed = has_objects && !lease.is_held;
    let cause = is_missed.then(|| lease.cause(""));
    let mut diagnosis = told(lease.object(), cause, Impact::of(&lease.object()));
    if is_missed {
        EFFECT.clone_into(&mut diagnosis.headline);
    }
    diagnosis
}

/// The effect if no controller holds the Lease.
const EFFECT: &str = "No controller of Portolan runs, so nothing is installed, upgraded or repaired. What is installed \
                      keeps running.";

/// Sets the Lease as the object at fault in the diagnoses of objects that wait for the controller.
/// Does nothing if a controller holds a Lease.
pub(in crate::own) fn name_stopped_controller(
    diagnoses: &mut [Diagnosis],
    leases: Option<&[ControllerLease]>,
) {
    let Some(leases) = leases else {
        return;
    };
    if leases.iter().any(|lease| lease.is_held) {
        return;
    }
    let waiting = diagnoses.iter_mut().filter(|it| {
        let root = it.cause.as_ref();
        let is_named = !it.subject.object.name.is_empty();
        is_named && (is_unwritten(it) || root.is_some_and(|it| it.code == Code::InProgress))
    });
    for diagnosis in waiting {
        match leases.first() {
            Some(lease) => blame(diagnosis, lease),
            None => diagnosis.unknowns.push(
                "No Lease portolan-controller exists, so no controller with the default settings \
                 runs."
                    .to_owned(),
            ),
        }
    }
}

fn blame(diagnosis: &mut Diagnosis, lease: &ControllerLease) {
    let before = diagnosis.cause.take();
    let reported = before.as_ref().filter(|it| it.code != Code::NotObserved);
    let reported = reported.map_or_else(String::new, |it| {
        format!(" The last controller reported: {}", it.message)
    });
    let cause = lease.cause(&reported);
    let evidence = before.map(|cause| cause.evidence).unwrap_or_default();
    diagnosis.state = cause.state;
    let impact = Impact::of(&diagnosis.subject.object);
    diagnosis.headline = impact.headline(cause.state, Some(&cause));
    diagnosis.cause = Some(cause.shown(evidence));
}

// === impl ControllerLease ===

impl ControllerLease {
    fn object(&self) -> Object {
        Object::new("Lease", self.namespace.clone(), self.name.clone())
    }

    /// Returns the cause for a Lease that no controller holds. Appends the text in `reported` to
    /// its message.
    fn cause(&self, reported: &str) -> Cause {
        let object = self.object();
        let why = match (self.holder.as_str(), self.renewed.as_str()) {
            ("", _) => format!("no controller holds {object}"),
            (holder, "") => format!("{holder} has never renewed {object}"),
            (holder, renewed) => format!("{holder} has not renewed {object} since {renewed}"),
        };
        let message = format!("No controller runs: {why}.{reported}");
        let cause = Cause::new(
            Code::ControllerNotRunning,
            State::Stuck,
            object.clone(),
            &message,
        );
        let evidence = [
            Evidence::at(object.clone(), "spec.holderIdentity", &self.holder),
            Evidence::at(object, "spec.renewTime", &self.renewed),
        ];
        let cure = Cure::external(
            "the administrator of Portolan",
            "Start the controller. If its Deployment exists, check the Pods to find out why the \
             controller does not run.",
        );
        let label = "app.kubernetes.io/component=controller";
        let look = Step::new(
            "Show the Pods of controllers",
            everywhere_labeled("pods", label),
        );
        cause.cured(cure).looked([look]).shown(evidence)
    }
}
