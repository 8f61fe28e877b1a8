//! Diagnoses ClusterExtensions and ClusterCatalogs of OLM v1 by their conditions.
//!
//! OLM v1 retries after most errors, and reports the same reason for all of these errors. Therefore
//! the diagnosis quotes the message of OLM v1 and adds an explanation.

mod extension;
mod governed;
mod meaning;
mod steps;
mod unreachable;
mod workloads;

use portolan_core_olm::{Availability, ClusterCatalog, ClusterExtension, Condition};
use serde_json::json;

use super::{OwnKind, not_observed, subject};
use crate::command::Target;
use crate::cure::Cure;
use crate::diagnose::of_status;
use crate::headline::Impact;
use crate::{Cause, Code, Diagnosis, Evidence, Object, Procedure, State, Step, words};

pub use extension::diagnose_extension;
pub(super) use extension::{
    ExtensionFacts, among, failure_message, lacks_upgrade, point_to_broken,
};
pub(super) use governed::UpgradePolicies;

/// The condition type that is True while OLM v1 works towards the desired state, or has reached it.
const PROGRESSING: &str = "Progressing";
/// The condition type that is True if the content of a catalog is served.
const SERVING: &str = "Serving";
/// The reason of Progressing after an error that OLM v1 retries.
const RETRYING: &str = "Retrying";
/// The person who can change a ClusterCatalog.
const CATALOG_OWNER: &str = "the owner of the ClusterCatalog";
/// The reason of Progressing after an error that OLM v1 does not retry.
const BLOCKED: &str = "Blocked";

/// Diagnoses a ClusterCatalog by its conditions. `extensions` may also contain ClusterExtensions
/// that do not use the catalog.
///
/// # Guarantees
///
/// A catalog that a user has disabled is healthy.
pub fn diagnose_catalog(catalog: &ClusterCatalog, extensions: &[&ClusterExtension]) -> Diagnosis {
    let object = catalog_object(catalog);
    if catalog.spec.availability == Availability::Unavailable {
        let told = (Impact::of(&object), &[][..]);
        return of_status(subject(object, ""), Vec::new(), None, told);
    }
    let conditions = &catalog.status.conditions;
    if conditions.is_empty() {
        let cause = not_observed(&object, OwnKind::ClusterCatalog.unwritten_cure());
        let told = (Impact::of(&object), &[][..]);
        return of_status(subject(object, ""), vec![cause], None, told);
    }
    let unknown = outdated(catalog.metadata.generation, conditions);
    let cause = catalog_cause(&object, catalog);
    let is_stuck = cause.as_ref().is_some_and(|it| it.state == State::Stuck);
    let told = (impact(&object, conditions), &[][..]);
    let mut diagnosis = of_status(subject(object, ""), Vec::from_iter(cause), unknown, told);
    if is_stuck && !is_serving(catalog) {
        let users = extensions.iter();
        let users = users.filter(|it| it.spec.source.catalog.may_be_from(catalog));
        diagnosis.victims = users.map(|it| extension_object(it)).collect();
    }
    diagnosis
}

/// Returns the cause for a catalog whose content is outdated or is not served yet.
fn catalog_cause(object: &Object, catalog: &ClusterCatalog) -> Option<Cause> {
    let conditions = &catalog.status.conditions;
    let progress = Condition::about(conditions, PROGRESSING);
    let failing = progress.filter(|said| [RETRYING, BLOCKED].contains(&&*said.reason));
    let serves = is_serving(catalog);
    let Some(said) = failing else {
        let message = "OLM v1 is unpacking the content of the ClusterCatalog.";
        let cause = || Cause::new(Code::InProgress, State::Working, object.clone(), message);
        return (!serves).then(cause);
    };
    let impact = if serves {
        "The served content of the ClusterCatalog is outdated, because OLM v1 cannot read its \
         image again"
    } else {
        "OLM v1 installs and upgrades no ClusterExtension that may use this ClusterCatalog, \
         because the content of the ClusterCatalog is not served"
    };
    let next = match said.reason.as_str() {
        RETRYING => "OLM v1 retries by itself.",
        _ => "OLM v1 does not retry until the ClusterCatalog changes.",
    };
    let message = format!("{impact}: {} {next}", words::sentence(said.words()));
    let cause = Cause::new(
        Code::CatalogNotServed,
        State::Stuck,
        object.clone(),
        &message,
    );
    let action = "Make its image pullable, or correct spec.source.image.ref.";
    // While the old content is served, the catalog blocks no ClusterExtension.
    let decide = if serves {
        Vec::new()
    } else {
        vec![ignored(object)]
    };
    let cure = Cure::advised(CATALOG_OWNER, action, decide);
    let look = described(object, OwnKind::ClusterCatalog);
    Some(shown(cause.cured(cure).looked([look]), object, said))
}

/// Returns the command that makes OLM v1 ignore a catalog.
fn ignored(catalog: &Object) -> Procedure {
    let target = Target::new(OwnKind::ClusterCatalog.resource(), "", &catalog.name);
    let patch = json!({"spec": {"availabilityMode": "Unavailable"}});
    Procedure::command(
        &format!("Let OLM v1 ignore {catalog} until it is repaired."),
        target.merge(&patch),
        "No ClusterExtension is installed or upgraded from this catalog until spec.availabilityMode is \
         Available again.",
    )
}

fn is_serving(catalog: &ClusterCatalog) -> bool {
    let serving = Condition::about(&catalog.status.conditions, SERVING);
    serving.is_some_and(Condition::is_true)
}

/// Adds the condition of the object as evidence.
fn shown(cause: Cause, object: &Object, said: &Condition) -> Cause {
    let evidence =
        Evidence::of_condition(object.clone(), [&said.r#type, &said.reason, &said.message]);
    cause.shown([evidence])
}

/// Returns the command that describes an object of OLM v1.
fn described(object: &Object, kind: OwnKind) -> Step {
    let target = Target::new(kind.resource(), "", &object.name);
    Step::new(&format!("Show {object}"), target.describe())
}

/// Returns the impact on the object, with the time since which `Progressing` has its current
/// status.
fn impact(object: &Object, conditions: &[Condition]) -> Impact {
    let progress = Condition::about(conditions, PROGRESSING);
    Impact {
        since: progress.and_then(|said| said.last_transition_time.clone()),
        ..Impact::of(object)
    }
}

/// Returns a sentence if OLM v1 has written the conditions for an older generation of the object.
fn outdated(generation: Option<i64>, conditions: &[Condition]) -> Option<String> {
    let seen = conditions.iter().filter_map(|it| it.observed_generation);
    super::outdated(seen.max(), generation)
}

fn catalog_object(catalog: &ClusterCatalog) -> Object {
    let name = catalog.metadata.name.clone().unwrap_or_default();
    Object::new(OwnKind::ClusterCatalog.as_str(), "", name)
}

/// Returns the name of the installed bundle. Empty if no bundle is installed.
fn installed(extension: &ClusterExtension) -> &str {
    let install = extension.status.install.as_ref();
    install.map_or("", |it| &it.bundle.name)
}

fn extension_object(extension: &ClusterExtension) -> Object {
    let name = extension.metadata.name.clone().unwrap_or_default();
    Object::new(OwnKind::ClusterExtension.as_str(), "", name)
}

#[cfg(test)]
pub(crate) mod tests;
