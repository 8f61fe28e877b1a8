//! The upgrades of all installed operators.

use portolan_api::inventory::Manager;
use portolan_core_names::text::listed;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{
    CatalogRef, Destination, FindPathRequest, ListUpgradesRequest, ListUpgradesResponse,
    destination,
};
use serde::{Serialize, Serializer};
use tonic::{Code, Status};

use super::{hops_to, olm_v1};
use crate::facts::ResolverConnection;
use crate::failure::Failure;
use crate::hops::{self, HopArgs, HopChanges};
use crate::print::names;
use crate::print::{Detail, Page, Span, Table, words};
use crate::subscribed::{InstalledEntry, Start};

/// The upgrades of all installed operators.
#[derive(Debug, Serialize)]
pub(super) struct AllUpgrades {
    operators: Vec<OperatorUpgrades>,
    /// The namespace of the query. Empty for all namespaces.
    #[serde(skip)]
    namespace: String,
}

#[derive(Debug, Serialize)]
struct OperatorUpgrades {
    namespace: String,
    /// The name of the managing object. For OLM, this is the Subscription, or the
    /// ClusterServiceVersion if there is no Subscription.
    name: String,
    #[serde(serialize_with = "as_text")]
    manager: Manager,
    /// The kind of the managing object, with its API group for kinds that are not from OLM.
    #[serde(skip)]
    kind: String,
    /// The OperatorPolicies that manage the Subscription. For a ClusterExtension, the Policies that
    /// describe its package.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    policies: Vec<String>,
    package: String,
    catalog: String,
    channel: String,
    installed: String,
    /// The versions that the managing object allows. Empty if all versions are allowed.
    #[serde(skip_serializing_if = "String::is_empty")]
    allowed: String,
    /// The next bundle on the path to the best allowed version. Empty if there is no next bundle.
    next: String,
    /// The response of the resolver. None if the query failed.
    upgrades: Option<ListUpgradesResponse>,
    /// The reason why no upgrade is available.
    reason: String,
    /// True if the query failed, so that the upgrades are unknown.
    #[serde(skip)]
    is_unknown: bool,
    /// The changes that the next update makes. None if the user did not request the changes, or if
    /// there is no next update.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<HopChanges>>,
}

/// The code of a reason that is not a problem: the head of the channel is installed, so no update
/// is recommended.
const AT_HEAD: &str = "AtHead";

impl AllUpgrades {
    /// Returns the names of the managing objects.
    pub(super) fn names(&self) -> Vec<String> {
        let operators = self.operators.iter();
        let names = operators.map(|each| names::of_kind(&each.kind, &each.name));
        names.collect()
    }

    /// Returns the responses of the resolver. Omits operators whose query failed.
    pub(super) fn answers(&self) -> impl Iterator<Item = &ListUpgradesResponse> {
        let operators = self.operators.iter();
        operators.filter_map(|each| each.upgrades.as_ref())
    }

    /// Returns true if the query for an operator failed, so that an upgrade may be missing.
    pub(super) fn are_incomplete(&self) -> bool {
        self.operators.iter().any(|each| each.is_unknown)
    }

    /// Returns the changes that the next update of each operator makes.
    pub(super) fn changes(&self) -> impl Iterator<Item = &[HopChanges]> {
        let operators = self.operators.iter();
        operators.filter_map(|each| each.changes.as_deref())
    }

    /// Returns the catalogs that the responses depend on, without duplicates.
    pub(super) fn catalogs(&self) -> Vec<CatalogRef> {
        let mut catalogs: Vec<CatalogRef> = Vec::new();
        for catalog in self.answers().flat_map(|answer| &answer.catalogs) {
            if !catalogs.contains(catalog) {
                catalogs.push(catalog.clone());
            }
        }
        catalogs
    }
}

/// Returns the request for one operator.
pub(super) fn request(start: Start) -> ListUpgradesRequest {
    let Start {
        package,
        channel,
        catalog,
        bundle,
        version,
        range: _,
        olm_v1: _,
    } = start;
    ListUpgradesRequest {
        catalog,
        package,
        channel,
        installed: bundle,
        installed_version: version,
    }
}

/// Returns true if the error status is a valid answer, because the catalog does not contain the
/// bundle or the package.
fn is_answer(status: &Status) -> bool {
    matches!(status.code(), Code::NotFound | Code::InvalidArgument)
}

/// Returns true if all other queries to this server would fail for the same reason.
fn is_of_server(status: &Status) -> bool {
    let has_cause = std::error::Error::source(status).is_some();
    match status.code() {
        // If the status has no cause, the server responded, but it does not have the content of
        // this catalog.
        Code::Unavailable => has_cause,
        Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => true,
        _ => false,
    }
}

/// Queries the resolver for each operator. A failed query affects only one operator.
pub(super) async fn ask(
    resolver: &mut ResolverConnection,
    (all, namespace): (Vec<InstalledEntry>, &str),
    hops: &HopArgs,
) -> Result<AllUpgrades, Failure> {
    let mut operators = Vec::new();
    for installed in all {
        let answered = upgrades(resolver, &installed.start).await;
        let (upgrades, reason, is_unknown) = match answered {
            Ok(mut answer) => {
                if let Some(forecast) = &installed.start.olm_v1 {
                    olm_v1::apply(&mut answer, forecast);
                }
                (Some(answer), String::new(), false)
            }
            Err(status) if is_of_server(&status) && operators.is_empty() => {
                return Err(resolver.failure(&status));
            }
            Err(status) => {
                let is_unknown = !is_answer(&status);
                (None, status.message().to_owned(), is_unknown)
            }
        };
        let mut operator = OperatorUpgrades {
            reason,
            is_unknown,
            ..OperatorUpgrades::of(&installed)
        };
        if let Some(answer) = &upgrades {
            operator.next = next(resolver, &installed.start, answer).await;
            let next = Some(&*operator.next).filter(|next| !next.is_empty());
            let next = hops_to(&installed.start.package, answer, next.into_iter());
            operator.changes = hops.ask(resolver, next).await;
        }
        operator.upgrades = upgrades;
        operators.push(operator);
    }
    Ok(AllUpgrades {
        operators,
        namespace: namespace.to_owned(),
    })
}

/// Returns the upgrades of a bundle. If the package of the bundle is unknown, there are no
/// upgrades, because the query needs the package.
async fn upgrades(
    resolver: &mut ResolverConnection,
    start: &Start,
) -> Result<ListUpgradesResponse, Status> {
    if start.package.is_empty() {
        return Err(Status::not_found("its package is unknown"));
    }
    resolver.try_query(request(start.clone())).await
}

/// Returns the next bundle. This is the recommended bundle if the managing object allows all
/// versions. Otherwise it is the first bundle on the path to the best allowed version. Returns an
/// empty text if there is no next bundle.
async fn next(
    resolver: &mut ResolverConnection,
    start: &Start,
    answer: &ListUpgradesResponse,
) -> String {
    // For a ClusterExtension, the recommendation already respects the allowed versions.
    if start.range.is_empty() || start.olm_v1.is_some() {
        return answer.recommended.clone();
    }
    let asked = FindPathRequest {
        catalog: start.catalog.clone(),
        package: start.package.clone(),
        channel: start.channel.clone(),
        installed: start.bundle.clone(),
        installed_version: start.version.clone(),
        destination: Some(Destination {
            to: Some(destination::To::Range(start.range.clone())),
        }),
        ..FindPathRequest::default()
    };
    let path = resolver.try_query(asked).await;
    match path.ok().and_then(|path| path.answer) {
        Some(Answer::Reached(path)) => {
            let mut hops = path.hops.into_iter();
            hops.next().map(|hop| hop.to).unwrap_or_default()
        }
        Some(Answer::AlreadyThere(_) | Answer::Blocked(_)) | None => String::new(),
    }
}

impl OperatorUpgrades {
    /// Returns the operator without a response of the resolver.
    fn of(installed: &InstalledEntry) -> Self {
        let InstalledEntry {
            manager,
            object,
            namespace,
            policies,
            start,
        } = installed.clone();
        let kind = match manager {
            Manager::Olm => object.kind.kind,
            Manager::Operator | Manager::ClusterExtension | Manager::Install | Manager::Plan => {
                object.kind.to_string()
            }
        };
        Self {
            namespace,
            name: object.name,
            manager,
            kind,
            policies,
            package: start.package,
            catalog: start.catalog,
            channel: start.channel,
            installed: start.bundle,
            allowed: start.range,
            next: String::new(),
            upgrades: None,
            reason: String::new(),
            is_unknown: false,
            changes: None,
        }
    }

    /// Returns the notes about restrictions of the managing object.
    fn terms(&self) -> String {
        let recommended = self.upgrades.as_ref().map(|answer| &answer.recommended);
        let is_held = recommended.is_some_and(|it| *it != self.next);
        let allows = format!("allows {}", self.allowed);
        let is_of_olm_v1 = self.manager == Manager::ClusterExtension && !self.next.is_empty();
        let policies = listed(&self.policies);
        let not_enforced = format!("OLM v1 does not enforce {policies}");
        words::notes([
            (is_held, &*allows),
            (is_of_olm_v1, "OLM v1 also checks CRDs"),
            (is_of_olm_v1 && !policies.is_empty(), &*not_enforced),
        ])
    }
}

fn as_text<S: Serializer>(manager: &Manager, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(manager.as_str())
}

pub(super) fn render(answers: &AllUpgrades, detail: Detail) -> Page {
    let mut page = Page::default();
    if answers.operators.is_empty() {
        let place = words::within(&answers.namespace);
        page.text_line(format!("No installed operators found{place}."));
        return page;
    }
    let mut operators = answers.operators.iter();
    let has_others = operators.any(|each| each.manager != Manager::Olm);
    let mut table = Table::of(&answers.operators, detail)
        .text("NAMESPACE", &|each| &each.namespace)
        .text("OPERATOR", &|each| &each.name);
    let manager = |each: &OperatorUpgrades| each.manager.as_str().into();
    // Only wide tables have this column if OLM manages all operators, as in most clusters.
    table = if has_others {
        table.column("MANAGER", &manager)
    } else {
        table.wide("MANAGER", &manager)
    };
    page.table(
        table
            .text("INSTALLED", &|each| &each.installed)
            .column("NEXT", &|each| match &*each.next {
                "" => words::NONE.into(),
                next => Span::good(next),
            })
            .text("CHANNEL", &|each| &each.channel)
            .wide("POLICY", &|each| {
                words::names(&each.policies, detail).into()
            })
            .column("NOTE", &note),
    );
    let unanswered = answers
        .operators
        .iter()
        .filter(|each| each.upgrades.is_none());
    page.lines(unanswered.map(|each| {
        let name = match each.manager {
            Manager::Olm => words::located(&each.namespace, &each.name),
            other => format!("{other} {}", each.name),
        };
        let unknown = if each.is_unknown { "unknown: " } else { "" };
        [format!("{name}: {unknown}{}", each.reason).into()]
    }));
    let looked: Vec<_> = answers.changes().flatten().collect();
    hops::list(&mut page, looked, detail);
    page
}

fn note(operator: &OperatorUpgrades) -> Span {
    let Some(answer) = &operator.upgrades else {
        return Span::warning("unknown");
    };
    let terms = operator.terms();
    let further = answer.reachable.iter().filter(|bundle| bundle.hops > 1);
    let further = further.count();
    let unreachable = answer.newer_unreachable.len();
    // This reason is not shown, because the operator is already at the head.
    let mut reasons = answer
        .reasons
        .iter()
        .filter(|reason| reason.code != AT_HEAD);
    let reason = reasons.next().filter(|_| answer.recommended.is_empty());
    let reason = reason.map_or("", |reason| &reason.code);
    let is_deprecated = !answer.deprecations.is_empty();
    let is_hidden = words::may_hide(&answer.faults);
    let text = words::notes([
        (!reason.is_empty(), reason),
        (!terms.is_empty(), &terms),
        (is_hidden, "an error of the catalog may hide upgrades"),
        (
            !is_hidden && !answer.faults.is_empty(),
            "the channel has errors",
        ),
        (is_deprecated, "deprecated"),
        (further > 0, &format!("{further} further")),
        (unreachable > 0, &format!("{unreachable} unreachable")),
    ]);
    let is_warning = is_deprecated || !reason.is_empty() || !answer.faults.is_empty();
    Span::warning_if(is_warning, text)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The command ends early only after a failure that would also affect all other queries.
    #[rstest]
    #[case::a_bug(Status::internal("a bug"), false, false)]
    #[case::too_slow(Status::deadline_exceeded("late"), false, false)]
    #[case::an_unread_catalog(Status::unavailable("not read"), false, false)]
    #[case::a_package_that_the_catalog_lacks(Status::not_found("no package"), true, false)]
    #[case::unauthenticated(Status::unauthenticated("who?"), false, true)]
    fn only_failures_that_affect_all_queries_end_the_command(
        #[case] status: Status,
        #[case] answers: bool,
        #[case] ends: bool,
    ) {
        assert_eq!((is_answer(&status), is_of_server(&status)), (answers, ends));
    }
}
