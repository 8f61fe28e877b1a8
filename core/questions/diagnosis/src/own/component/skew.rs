//! Detects components of Portolan whose versions differ.

use portolan_core_names::Version;
use portolan_core_olm::{CustomResourceDefinition, version_of_portolan};

use super::Components;
use crate::command::{DEPLOYMENTS, Target};
use crate::cure::Cure;
use crate::running::{RunningWorkload, version};
use crate::steps::describe;
use crate::{Cause, Code, Evidence, Object, Procedure, State, Step};

/// The name of the component that reads and writes the custom resources of Portolan.
const CONTROLLER: &str = "controller";

/// A Deployment or a CRD of Portolan with a known version.
#[derive(Debug, Clone)]
struct Part {
    version: Version,
    object: Object,
}

/// Returns the cause if a Deployment is older than another component, or if the CRDs are older than
/// the controller. Ignores components of unknown versions.
pub(super) fn of_deployment(workload: &RunningWorkload, components: &Components) -> Option<Cause> {
    let deployed = |workload: &RunningWorkload| {
        Some(Part {
            version: workload.version.clone()?,
            object: workload.object.clone(),
        })
    };
    let own = deployed(workload)?;
    let crds: Vec<Part> = components.crds.iter().filter_map(|crd| part(crd)).collect();
    let parts = components.workloads.all.iter().filter_map(deployed);
    let newest = parts.chain(crds.iter().cloned());
    let newest = newest.reduce(|newest, part| {
        if part.version > newest.version {
            part
        } else {
            newest
        }
    });
    match newest {
        Some(newest) if newest.version > own.version => Some(older(&own, &newest)),
        _ if workload.component == CONTROLLER => old_crds(&own, &crds),
        _ => None,
    }
}

fn part(crd: &CustomResourceDefinition) -> Option<Part> {
    let name = crd.metadata.name.as_deref().unwrap_or_default();
    Some(Part {
        version: version(version_of_portolan(&crd.metadata)?)?,
        object: Object::new("CustomResourceDefinition", "", name),
    })
}

/// Returns the cause for a Deployment that is older than another component.
fn older(own: &Part, newest: &Part) -> Cause {
    let message = format!(
        "{} runs version {}, and {} has version {}. An older component of Portolan does not know \
         the fields and requests of a newer component.",
        own.object, own.version, newest.object, newest.version
    );
    let cure = Cure::external(
        "the administrator of Portolan",
        &format!(
            "Apply all manifests of Portolan {}, or upgrade the Helm release to this version.",
            newest.version
        ),
    );
    let Object {
        namespace, name, ..
    } = &own.object;
    let look = describe(Target::new(DEPLOYMENTS, namespace, name));
    let cause = Cause::new(
        Code::ComponentOutdated,
        State::Stuck,
        own.object.clone(),
        &message,
    );
    cause
        .cured(cure)
        .looked([look])
        .shown([own.evidence(), newest.evidence()])
}

/// Returns the cause for a controller that is newer than its CRDs.
fn old_crds(own: &Part, crds: &[Part]) -> Option<Cause> {
    let mut old: Vec<_> = crds.iter().filter(|it| it.version < own.version).collect();
    old.sort_by_key(|it| (&it.version, &it.object));
    let oldest = *old.first()?;
    let others = match old.len() - 1 {
        0 => String::new(),
        1 => " and 1 other".to_owned(),
        others => format!(" and {others} others"),
    };
    let message = format!(
        "{}{others} {} of version {}, but {} runs version {}. API servers drop the fields that an \
         older CRD does not contain.",
        oldest.object,
        if old.len() == 1 { "is" } else { "are" },
        oldest.version,
        own.object,
        own.version
    );
    let title = format!(
        "Upgrade the CRDs with the portolan command of version {}.",
        own.version
    );
    let comment = title.trim_end_matches('.');
    let step = Step::new(comment, "portolan install crds".to_owned());
    let risk = "None: no CRD loses a field or a version. If Helm or kubectl manages a CRD, the \
                command does not change this CRD and prints its name: upgrade such a CRD with Helm \
                or kubectl.";
    let cause = Cause::new(
        Code::ComponentOutdated,
        State::Stuck,
        oldest.object.clone(),
        &message,
    );
    let look = Target::named(&oldest.object).map(describe);
    let cause = cause
        .cured(Cure::Safe(Procedure::of(&title, vec![step], risk)))
        .looked(look);
    let evidence = old.into_iter().chain([own]).map(Part::evidence);
    Some(cause.shown(evidence))
}

// === impl Part ===

impl Part {
    fn evidence(&self) -> Evidence {
        Evidence::at(self.object.clone(), "version", &self.version.to_string())
    }
}
