//! Judges the operators of a namespace.

use std::collections::BTreeSet;

use portolan_api::inventory::Manager;
use portolan_core_olm::Subscription;

use crate::case::Case;
use crate::chain::Links;
use crate::fact::all_say_as;
use crate::objects::Objects;
use crate::{Csv, Fact, HealthCode, Item, Namespace, Object, Verdict, group, unseen, verdict};

/// An operator with its facts and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The object that manages the operator. For OLM v0, this is the Subscription or, without a
    /// Subscription, the ClusterServiceVersion.
    pub subject: Object,
    /// The manager that installed the operator.
    pub manager: Manager,
    /// The OperatorPolicy that manages the operator's Subscription, as `namespace/name`. Empty if
    /// no OperatorPolicy manages the Subscription.
    pub policy: String,
    /// The package. Empty if it is unknown.
    pub package: String,
    /// The newest ClusterServiceVersion of the operator. Empty if the operator has no
    /// ClusterServiceVersion.
    pub csv: String,
    /// The installed bundle. Empty if no bundle is installed, or if the bundle is unknown.
    pub bundle: String,
    /// The version of `csv` or, if `csv` is empty, the version of `bundle`.
    pub version: String,
    /// The ClusterServiceVersion that `csv` replaces. Empty if `csv` replaces no existing
    /// ClusterServiceVersion.
    pub replaces: String,
    /// The ClusterServiceVersions of the operator, newest first.
    pub csvs: Vec<String>,
    /// The phase of `csv`, as OLM writes it. For other managers, this is the condition that
    /// determines the verdict, such as `Ready=False`.
    pub phase: String,
    /// The reason for the phase, as the manager writes it.
    pub phase_reason: String,
    /// The message for the phase, as the manager writes it.
    pub phase_message: String,
    /// The catalog that the Subscription names, as `namespace/name`. Empty if the operator has no
    /// Subscription.
    pub catalog: String,
    /// The channel that the Subscription names. Empty if the operator has no Subscription.
    pub channel: String,
    /// The ClusterServiceVersion in `status.installedCSV` of the Subscription. Empty if the
    /// operator has no Subscription.
    pub installed: String,
    /// The facts about the objects of the operator.
    pub facts: Vec<Fact>,
    /// The verdict, computed from the facts.
    pub verdict: Verdict,
}

// === impl Operator ===

impl Operator {
    /// Returns true if both operators are equal. Ignores details and object versions.
    pub fn says_as(&self, other: &Self) -> bool {
        let Self {
            subject,
            manager,
            policy,
            package,
            csv,
            bundle,
            version,
            replaces,
            csvs,
            phase,
            phase_reason,
            phase_message,
            catalog,
            channel,
            installed,
            facts,
            verdict: _,
        } = self;
        *subject == other.subject
            && *manager == other.manager
            && *policy == other.policy
            && *package == other.package
            && *csv == other.csv
            && *bundle == other.bundle
            && *version == other.version
            && *replaces == other.replaces
            && *csvs == other.csvs
            && *phase == other.phase
            && *phase_reason == other.phase_reason
            && *phase_message == other.phase_message
            && *catalog == other.catalog
            && *channel == other.channel
            && *installed == other.installed
            && all_say_as(facts, &other.facts)
    }
}

/// Judges the operators of a namespace: one operator for each Subscription, and one operator for
/// each chain of ClusterServiceVersions without a Subscription. The result is sorted by `subject`.
///
/// The result depends neither on the order of objects nor on the time. No registry is probed. The
/// same objects result in the same Verdicts, whether they come from files or from a cluster.
pub fn judge(namespace: &Namespace) -> Vec<Operator> {
    let objects = Objects::of(namespace);
    let mut operators: Vec<Operator> = cases(&objects).iter().map(judge_case).collect();
    operators.sort_by(|a, b| a.subject.cmp(&b.subject));
    operators
}

/// Returns the operators of a namespace before they are judged.
fn cases<'a>(objects: &'a Objects<'a>) -> Vec<Case<'a>> {
    let links = Links::among(objects.csvs.all());
    let mut cases = Vec::new();
    let mut asked_for = BTreeSet::new();
    for subscription in objects.subscriptions.all() {
        let chain = links.chain_of(subscription);
        asked_for.extend(chain.all().iter().map(|csv| csv.name()));
        cases.push(Case {
            objects,
            subscription: Some(subscription),
            chain,
        });
    }
    for csv in objects.csvs.all() {
        if !asked_for.contains(csv.name()) {
            let chain = links.chain(&[csv.name()]);
            asked_for.extend(chain.all().iter().map(|csv| csv.name()));
            cases.push(Case {
                objects,
                subscription: None,
                chain,
            });
        }
    }
    cases.retain(|case| case.subscription.is_some() || case.is_installed());
    cases
}

fn judge_case(case: &Case<'_>) -> Operator {
    let newest = case.chain.newest();
    let older = case.chain.older().first();
    let said = |word: fn(&Csv) -> &str| newest.map_or("", word).to_owned();
    let csvs = case.chain.all().iter();
    let subscription = case.subscription;
    let package = match subscription {
        Some(subscription) => subscription.spec.package.clone(),
        None => newest.and_then(|csv| csv.package()).unwrap_or_default(),
    };
    let facts = facts(case, &package);
    let subject = subscription.map(|one| &one.observed);
    Operator {
        subject: subject.or(newest.map(|csv| &csv.observed)).map_or_else(
            || case.objects.csvs.whole().object,
            |seen| seen.object.clone(),
        ),
        manager: Manager::Olm,
        policy: subscription.map_or_else(String::new, policy),
        package,
        csv: said(|csv| csv.name()),
        bundle: said(|csv| csv.name()),
        version: said(|csv| &csv.spec.version),
        replaces: older.map_or("", |csv| csv.name()).to_owned(),
        csvs: csvs.map(|csv| csv.name().to_owned()).collect(),
        phase: said(|csv| csv.status.phase.as_str()),
        phase_reason: said(|csv| &csv.status.reason),
        phase_message: said(|csv| &csv.status.message),
        catalog: subscription.map_or_else(String::new, |one| one.catalog()),
        channel: subscription.map_or_else(String::new, |one| one.spec.channel.clone()),
        installed: subscription.map_or_else(String::new, |one| one.status.installed_csv.clone()),
        verdict: verdict(&facts),
        facts,
    }
}

/// Returns the OperatorPolicy that manages a Subscription, as `namespace/name`. The annotation of
/// the Subscription names this OperatorPolicy. Empty if the annotation is missing.
fn policy(subscription: &Item<Subscription>) -> String {
    let mark = portolan_api::MARK
        .of(&subscription.metadata)
        .unwrap_or_default();
    // The first dot separates namespace and name, because the name of a namespace contains no dots.
    let policy = mark.split_once('.');
    policy.map_or_else(String::new, |(namespace, name)| {
        format!("{namespace}/{name}")
    })
}

fn facts(case: &Case<'_>, package: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    match case.subscription {
        Some(subscription) => facts.push(subscription.judge(case)),
        None => facts.extend(group::judge(case)),
    }
    facts.extend(case.chain.all().iter().map(|csv| csv.judge(case)));
    if case.subscription.is_none() && case.objects.subscriptions.is_clear() {
        let newest = case.chain.newest();
        facts.extend(newest.map(|csv| orphaned(csv, package, case)));
    }
    facts.extend(unseen::judge(case));
    facts
}

/// Returns the remark that an operator has no Subscription. OLM keeps such an operator running. An
/// example is packageserver, which never has a Subscription.
fn orphaned(csv: &Csv, package: &str, case: &Case<'_>) -> Fact {
    let object = &csv.observed.object;
    let mut subscriptions = case.objects.subscriptions.all().iter();
    let rival = subscriptions.find(|one| !package.is_empty() && one.spec.package == package);
    let message = match rival {
        Some(rival) => format!(
            "{object} blocks {}, because both are for the same package. OLM does not adopt the \
             existing ClusterServiceVersion. Set its name in status.currentCSV of the {}, or \
             delete the ClusterServiceVersion. OLM then installs the operator again.",
            rival.observed.object, rival.observed.object.kind
        ),
        None => format!("{object} has no Subscription, so the operator gets no updates."),
    };
    Fact::remark(&csv.observed, HealthCode::Orphaned, &message)
}

#[cfg(test)]
pub(crate) mod tests;
