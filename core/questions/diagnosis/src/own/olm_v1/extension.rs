//! ClusterExtensions.

use portolan_core_olm::messages::ExtensionMessage;
use portolan_core_olm::{ClusterCatalog, ClusterExtension, Condition};

use super::meaning::{Case, Meaning};
use super::{
    BLOCKED, Impact, OwnKind, PROGRESSING, RETRYING, extension_object, impact, not_observed,
    of_status, outdated, shown,
};
use crate::{Cause, Code, Diagnosis, Evidence, State, Subject, words};

/// The reason of Progressing when the desired state is reached.
const SUCCEEDED: &str = "Succeeded";
/// True if a bundle is installed.
const INSTALLED: &str = "Installed";
/// The conditions about deprecations, and the deprecated thing.
const DEPRECATIONS: [(&str, &str); 3] = [
    ("PackageDeprecated", "package"),
    ("ChannelDeprecated", "channel"),
    ("BundleDeprecated", "bundle"),
];

/// Diagnoses a ClusterExtension by its conditions, and by the ClusterCatalogs that it may use.
/// `all` may contain any ClusterExtensions.
///
/// # Guarantees
///
/// - OLM v1 reports no state of workloads, so that an installed bundle counts as working.
/// - A deprecation is no problem. The headline contains it.
pub fn diagnose_extension(
    extension: &ClusterExtension,
    catalogs: &[&ClusterCatalog],
    all: &[&ClusterExtension],
) -> Diagnosis {
    let object = extension_object(extension);
    let conditions = &extension.status.conditions;
    let progress = Condition::about(conditions, PROGRESSING);
    let message = ExtensionMessage::of(progress.map_or("", |it| &it.message));
    let install = extension.status.install.as_ref();
    let case = Case {
        extension,
        object: &object,
        installed: install.map_or("", |it| &it.bundle.name),
        message,
        catalogs,
        all,
    };
    let cause = if conditions.is_empty() {
        let who = OwnKind::ClusterExtension.unwritten_cure();
        Some(not_observed(&object, who))
    } else {
        cause(&case)
    };
    let names = |name: &str| Some(name.to_owned()).filter(|it| !it.is_empty());
    let next = case.message.bundle.filter(|it| *it != case.installed);
    let impact = Impact {
        running: names(case.installed),
        next: next.and_then(names),
        effect: deprecations(conditions),
        ..impact(&object, conditions)
    };
    let subject = Subject {
        object: object.clone(),
        package: extension.spec.source.catalog.package_name.clone(),
        csv: case.installed.to_owned(),
    };
    let unknown = outdated(extension.metadata.generation, conditions);
    of_status(subject, Vec::from_iter(cause), unknown, (impact, &[]))
}

/// Returns a sentence for each deprecation that OLM v1 reports.
fn deprecations(conditions: &[Condition]) -> String {
    let all = DEPRECATIONS.iter().filter_map(|(type_, thing)| {
        let said = Condition::about(conditions, type_).filter(|it| it.is_true())?;
        let said = words::sentence(said.message.trim());
        Some(format!("The {thing} is deprecated: {said}"))
    });
    all.collect::<Vec<_>>().join(" ")
}

fn cause(case: &Case<'_>) -> Option<Cause> {
    let (extension, object) = (case.extension, case.object);
    let conditions = &extension.status.conditions;
    let working = |code, message: &str| Cause::new(code, State::Working, object.clone(), message);
    if extension.metadata.deletion_timestamp.is_some() {
        let message = "The ClusterExtension is being deleted.";
        return Some(working(Code::InProgress, message));
    }
    let installed = Condition::about(conditions, INSTALLED);
    let Some(progress) = Condition::about(conditions, PROGRESSING) else {
        let said = installed.filter(|said| !said.is_true())?;
        let message = format!("Nothing is installed: {}", words::sentence(said.words()));
        return Some(working(Code::NotObserved, &message));
    };
    if ![RETRYING, BLOCKED].contains(&&*progress.reason) && !progress.is_false() {
        let is_done = progress.reason == SUCCEEDED && installed.is_none_or(Condition::is_true);
        let message = format!("It is in progress: {}", words::sentence(progress.words()));
        return (!is_done).then(|| working(Code::InProgress, &message));
    }
    Some(failure(case, progress))
}

/// Returns the cause of a ClusterExtension that OLM v1 does not install or upgrade.
fn failure(case: &Case<'_>, progress: &Condition) -> Cause {
    let impact = match case.installed {
        "" => "OLM v1 installs nothing".to_owned(),
        bundle => format!("OLM v1 does not upgrade {bundle}"),
    };
    let Meaning {
        code,
        at_fault,
        is_missing,
        means,
        retry,
        cure,
        look,
        later,
    } = case.meaning();
    let retry = match progress.reason.as_str() {
        BLOCKED => "OLM v1 does not retry until the ClusterExtension changes.".to_owned(),
        _ => retry,
    };
    let said = words::sentence(progress.words());
    let message = [format!("{impact}: {said}"), means, retry];
    let message = message.into_iter().filter(|it| !it.is_empty());
    let message = message.collect::<Vec<_>>().join(" ");
    let absent = is_missing.then(|| Evidence::absent(at_fault.clone()));
    let cause = Cause::new(code, State::Stuck, at_fault, &message).cured(cure);
    let cause = cause.shown(absent);
    let cause = shown(cause, case.object, progress, OwnKind::ClusterExtension);
    cause.looked(look).followed(later)
}
