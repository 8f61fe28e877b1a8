//! Diagnoses ClusterExtensions.

use portolan_core_names::text::listed;
use portolan_core_olm::messages::{ExtensionMessage, ExtensionProblem};
use portolan_core_olm::{ClusterCatalog, ClusterExtension, Condition};

use super::governed::UpgradePolicies;
use super::meaning::{Case, Meaning};
use super::{
    BLOCKED, Impact, OwnKind, PROGRESSING, RETRYING, extension_object, impact, installed,
    not_observed, of_status, outdated, shown,
};
use crate::own::ServedPackage;
use crate::webhook::FailingWebhook;
use crate::{
    Cause, Code, Confidence, Diagnosis, Evidence, Quote, State, Subject, Workloads, words,
};

/// The reason of Progressing when the desired state is reached.
const SUCCEEDED: &str = "Succeeded";
/// The condition type that is True if a bundle is installed.
const INSTALLED: &str = "Installed";
/// The condition types for deprecations, each with a noun for the deprecated object.
const DEPRECATIONS: [(&str, &str); 3] = [
    ("PackageDeprecated", "package"),
    ("ChannelDeprecated", "channel"),
    ("BundleDeprecated", "bundle"),
];

/// The other objects that explain a ClusterExtension.
#[derive(Debug, Clone, Copy)]
pub(in crate::own) struct ExtensionFacts<'a> {
    /// The ClusterCatalogs of the cluster.
    pub(in crate::own) catalogs: &'a [&'a ClusterCatalog],
    /// The ClusterExtensions of the cluster.
    pub(in crate::own) all: &'a [&'a ClusterExtension],
    /// The packages that were read from the catalogs.
    pub(in crate::own) packages: &'a [ServedPackage],
    /// The observed workloads, including the workloads of other ClusterExtensions.
    pub(in crate::own) workloads: &'a Workloads,
    /// The Policies of the cluster.
    pub(in crate::own) policies: &'a UpgradePolicies,
}

/// Diagnoses a ClusterExtension by its conditions and by the ClusterCatalogs that it may use. `all`
/// may contain unrelated ClusterExtensions.
///
/// # Guarantees
///
/// A deprecation is not a problem. The headline mentions the deprecation.
pub fn diagnose_extension(
    extension: &ClusterExtension,
    catalogs: &[&ClusterCatalog],
    all: &[&ClusterExtension],
) -> Diagnosis {
    let facts = ExtensionFacts {
        catalogs,
        all,
        packages: &[],
        workloads: &Workloads::default(),
        policies: &UpgradePolicies::default(),
    };
    among(extension, facts)
}

/// Diagnoses a ClusterExtension like [`diagnose_extension`]. In addition, uses the workloads of the
/// ClusterExtension and the packages in its catalogs, because OLM v1 does not report them.
pub(in crate::own) fn among(extension: &ClusterExtension, facts: ExtensionFacts<'_>) -> Diagnosis {
    let object = extension_object(extension);
    let conditions = &extension.status.conditions;
    let progress = Condition::about(conditions, PROGRESSING);
    let message = ExtensionMessage::of(progress.map_or("", |it| &it.message));
    let case = Case {
        extension,
        object: &object,
        installed: installed(extension),
        message,
        raw: progress.map_or("", |it| &it.message),
        facts,
    };
    let cause = if conditions.is_empty() {
        let who = OwnKind::ClusterExtension.unwritten_cure();
        Some(not_observed(&object, who))
    } else {
        cause(&case)
    };
    let stopped = case.stopped();
    let partly = stopped.as_ref().filter(|_| case.has_ready_workload());
    let partly = partly.map(|it| it.object.clone());
    let names = |name: &str| Some(name.to_owned()).filter(|it| !it.is_empty());
    let next = case.message.bundle.filter(|it| *it != case.installed);
    let usual = impact(&object, conditions);
    let since = stopped.as_ref().map(|it| it.since.clone());
    let impact = Impact {
        running: names(case.installed),
        newest: names(case.installed),
        next: next.and_then(names),
        effect: remarks(&case),
        stopped: partly,
        since: since.unwrap_or(usual.since.clone()),
        ..usual
    };
    let subject = Subject {
        object: object.clone(),
        package: extension.spec.source.catalog.package_name.clone(),
        csv: case.installed.to_owned(),
    };
    let unknown = outdated(extension.metadata.generation, conditions);
    let stopped = stopped.map(|it| it.cause);
    // If a workload does not run, work in progress is not reported as a second cause.
    let cause = cause.filter(|it| stopped.is_none() || it.state > State::Working);
    let causes = stopped.into_iter().chain(cause).collect();
    let mut diagnosis = of_status(subject, causes, unknown, (impact, &[]));
    if case.installed.is_empty() && diagnosis.state == State::Stuck {
        diagnosis.headline += " It has never been installed.";
    }
    diagnosis
}

/// Returns true if OLM v1 finds no upgrade for an installed bundle.
pub(in crate::own) fn lacks_upgrade(extension: &ClusterExtension) -> bool {
    let problem = failure_message(extension).map(|said| ExtensionMessage::of(said).problem);
    problem == Some(ExtensionProblem::BundleMissing) && extension.status.install.is_some()
}

/// Returns the error message of a ClusterExtension that OLM v1 cannot install or upgrade. Returns
/// None if there is no error.
pub(in crate::own) fn failure_message(extension: &ClusterExtension) -> Option<&str> {
    let progress = Condition::about(&extension.status.conditions, PROGRESSING)?;
    is_failing(progress).then_some(&progress.message)
}

/// Sets `blocked_by` of each ClusterExtension that waits for a broken workload of another
/// ClusterExtension. Adds the waiting ClusterExtensions to the diagnosis of the other one.
pub(in crate::own) fn point_to_broken(all: &mut [Diagnosis]) {
    let broken = all.iter().filter(|it| it.state == State::Broken);
    let broken = broken.filter_map(|it| {
        let root = it.cause.as_ref()?;
        Some((it.subject.object.clone(), root.at_fault.clone()))
    });
    for (owner, at_fault) in broken.collect::<Vec<_>>() {
        let mut victims = Vec::new();
        for diagnosis in all.iter_mut() {
            let subject = &diagnosis.subject.object;
            let root = diagnosis.cause.as_mut();
            let root = root.filter(|it| it.state == State::Stuck && it.at_fault == at_fault);
            if let Some(root) = root.filter(|_| *subject != owner) {
                root.blocked_by = Some(owner.clone());
                victims.push(subject.clone());
            }
        }
        let owner = all.iter_mut().find(|it| it.subject.object == owner);
        if let Some(owner) = owner.filter(|_| !victims.is_empty()) {
            owner.headline += &format!(
                " Because of this, the API server refuses objects that its webhook must check, and OLM v1 cannot \
                 install or upgrade {}. OLM v1 retries by itself.",
                listed(&victims)
            );
            owner.victims.extend(victims);
        }
    }
}

/// Returns sentences about the ClusterExtension that are no problem of it.
fn remarks(case: &Case<'_>) -> String {
    let extension = case.extension;
    let deprecations = deprecations(&extension.status.conditions);
    let not_enforced = case.facts.policies.not_enforced(extension);
    let remarks = [deprecations, not_enforced].into_iter();
    let remarks: Vec<_> = remarks.filter(|it| !it.is_empty()).collect();
    remarks.join(" ")
}

/// Returns a sentence for each deprecation that OLM v1 reports.
fn deprecations(conditions: &[Condition]) -> String {
    let all = DEPRECATIONS.iter().filter_map(|(type_, thing)| {
        let said = Condition::about(conditions, type_).filter(|it| it.is_true())?;
        let said = words::sentence(said.message.trim());
        let is_sentence = said.starts_with(&format!("{thing} "));
        Some(if is_sentence {
            format!("Note: {said}")
        } else {
            format!("Note: the {thing} is deprecated: {said}")
        })
    });
    all.collect::<Vec<_>>().join(" ")
}

fn is_failing(progress: &Condition) -> bool {
    [RETRYING, BLOCKED].contains(&&*progress.reason) || progress.is_false()
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
    if !is_failing(progress) {
        let is_done = progress.reason == SUCCEEDED && installed.is_none_or(Condition::is_true);
        let message = format!("It is in progress: {}", words::sentence(progress.words()));
        return (!is_done).then(|| working(Code::InProgress, &message));
    }
    Some(failure(case, progress))
}

/// Returns the cause why OLM v1 cannot install or upgrade a ClusterExtension.
fn failure(case: &Case<'_>, progress: &Condition) -> Cause {
    let impact = match case.installed {
        "" => "OLM v1 installs nothing".to_owned(),
        bundle => format!("OLM v1 does not upgrade {bundle}"),
    };
    if let Some(webhook) = FailingWebhook::of(case.raw) {
        let cause = of_webhook(case, webhook, &impact);
        return shown(cause, case.object, progress);
    }
    let Meaning {
        code,
        at_fault,
        is_missing,
        means,
        retry,
        cure,
        confidence,
        look,
        later,
    } = case.meaning();
    let retry = match progress.reason.as_str() {
        BLOCKED => "OLM v1 does not retry until the ClusterExtension changes.".to_owned(),
        _ => retry,
    };
    let said = words::sentence(progress.words());
    let (message, quote) = match means.as_str() {
        "" => (format!("{impact}: {said} {retry}"), None),
        means => (
            format!("{impact}. {means} {retry}"),
            Quote::of("OLM v1", progress.words()),
        ),
    };
    let absent = is_missing.then(|| Evidence::absent(at_fault.clone()));
    let cause = Cause::new(code, State::Stuck, at_fault, &message);
    let cause = cause.quoting(quote).cured(cure);
    let confidence = confidence.unwrap_or(cause.confidence.clone());
    let cause = Cause {
        confidence,
        ..cause
    };
    let cause = cause.shown(absent);
    let cause = shown(cause, case.object, progress);
    cause.looked(look).followed(later)
}

/// Returns the cause if the API server rejects the objects of a ClusterExtension because it cannot
/// call a webhook.
fn of_webhook(case: &Case<'_>, webhook: FailingWebhook<'_>, impact: &str) -> Cause {
    let object = case.object;
    let refused = match case.message.bundle {
        Some(bundle) => format!("an object of {bundle}"),
        None => "an object of the bundle".to_owned(),
    };
    let innocent = format!("{object} needs no change: OLM v1 retries by itself.");
    let webhook = webhook.refusing(refused, &innocent);
    let workloads = case.facts.workloads;
    let code = webhook.code(workloads).unwrap_or(Code::ExtensionFailing);
    let cause = Cause::new(code, State::Stuck, webhook.object(), "");
    let cause = Cause {
        confidence: Confidence::refused(),
        ..cause
    };
    let cause = webhook.explain(cause, workloads);
    Cause {
        message: format!("{impact}. {}", cause.message),
        ..cause
    }
}
