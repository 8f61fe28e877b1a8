//! The updates of everything that is installed.

use portolan_proto::resolver::v1::{CatalogRef, ListUpgradesRequest, ListUpgradesResponse};
use serde::Serialize;
use tonic::{Code, Status};

use super::hops_to;
use crate::facts::ResolverConnection;
use crate::failure::Failure;
use crate::hops::{self, HopArgs, HopChanges};
use crate::print::names;
use crate::print::{Detail, Page, Span, Table, words};
use crate::subscribed::{Start, Subscribed};

/// An answer about each.
#[derive(Debug, Serialize)]
pub(super) struct AllUpgrades {
    operators: Vec<OperatorUpgrades>,
    /// The namespace of the question. Empty for all.
    #[serde(skip)]
    namespace: String,
}

#[derive(Debug, Serialize)]
struct OperatorUpgrades {
    namespace: String,
    /// The name of the Subscription.
    name: String,
    package: String,
    catalog: String,
    channel: String,
    installed: String,
    /// None where there is no answer.
    upgrades: Option<ListUpgradesResponse>,
    /// The reason why no upgrade is available.
    reason: String,
    /// True if the query failed, so the upgrades are unknown.
    #[serde(skip)]
    is_unknown: bool,
    /// The changes of the next update, if they are asked for and there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<HopChanges>>,
}

/// The reason why nothing is recommended that is no trouble.
const AT_HEAD: &str = "AtHead";

impl AllUpgrades {
    /// Returns the names of the Subscriptions.
    pub(super) fn names(&self) -> Vec<String> {
        let operators = self.operators.iter();
        let names = operators.map(|each| names::of_kind("Subscription", &each.name));
        names.collect()
    }

    /// Returns the upgrades of operators with an answer.
    pub(super) fn answers(&self) -> impl Iterator<Item = &ListUpgradesResponse> {
        let operators = self.operators.iter();
        operators.filter_map(|each| each.upgrades.as_ref())
    }

    /// Returns true if an operator whose query failed may have an upgrade.
    pub(super) fn are_incomplete(&self) -> bool {
        self.operators.iter().any(|each| each.is_unknown)
    }

    /// Returns the changes of their next updates.
    pub(super) fn changes(&self) -> impl Iterator<Item = &[HopChanges]> {
        let operators = self.operators.iter();
        operators.filter_map(|each| each.changes.as_deref())
    }

    /// Returns the catalogs that the answers were made from, each once.
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

/// Returns the question about one of them.
pub(super) fn request(start: Start) -> ListUpgradesRequest {
    let Start {
        package,
        channel,
        catalog,
        bundle,
        version,
    } = start;
    ListUpgradesRequest {
        catalog,
        package,
        channel,
        installed: bundle,
        installed_version: version,
    }
}

/// Returns true if a refusal is an answer: the catalog does not have what was asked for.
fn is_answer(status: &Status) -> bool {
    matches!(status.code(), Code::NotFound | Code::InvalidArgument)
}

/// Returns true if every other question to this server fails as well.
fn is_of_server(status: &Status) -> bool {
    let has_cause = std::error::Error::source(status).is_some();
    match status.code() {
        // Without a cause, the server is available but lacks the content of this catalog.
        Code::Unavailable => has_cause,
        Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => true,
        _ => false,
    }
}

/// Asks about all of them. A question that fails leaves the answers to the others.
pub(super) async fn ask(
    resolver: &mut ResolverConnection,
    (all, namespace): (Vec<Subscribed>, &str),
    hops: &HopArgs,
) -> Result<AllUpgrades, Failure> {
    let mut operators = Vec::new();
    for installed in all {
        let asked = request(installed.start.clone());
        let mut is_unknown = false;
        let (upgrades, reason) = match resolver.try_query(asked).await {
            Ok(answer) => (Some(answer), String::new()),
            Err(status) if is_of_server(&status) && operators.is_empty() => {
                return Err(resolver.failure(&status));
            }
            Err(status) => {
                is_unknown = !is_answer(&status);
                (None, status.message().to_owned())
            }
        };
        let changes = match &upgrades {
            Some(answer) => {
                let next = Some(&*answer.recommended).filter(|next| !next.is_empty());
                let next = hops_to(&installed.start.package, answer, next.into_iter());
                hops.ask(resolver, next).await
            }
            None => None,
        };
        let Subscribed { key, start } = installed;
        let Start {
            package,
            channel,
            catalog,
            bundle,
            version: _,
        } = start;
        operators.push(OperatorUpgrades {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            package,
            catalog,
            channel,
            installed: bundle,
            upgrades,
            reason,
            is_unknown,
            changes,
        });
    }
    Ok(AllUpgrades {
        operators,
        namespace: namespace.to_owned(),
    })
}

pub(super) fn render(answers: &AllUpgrades, detail: Detail) -> Page {
    let mut page = Page::default();
    if answers.operators.is_empty() {
        let place = words::within(&answers.namespace);
        page.text_line(format!("No installed operators found{place}."));
        return page;
    }
    page.table(
        Table::of(&answers.operators, detail)
            .text("NAMESPACE", &|each| &each.namespace)
            .text("OPERATOR", &|each| &each.name)
            .text("INSTALLED", &|each| &each.installed)
            .column("NEXT", &|each| {
                let next = each.upgrades.as_ref().map_or("", |told| &told.recommended);
                match next {
                    "" => words::NONE.into(),
                    next => Span::good(next),
                }
            })
            .text("CHANNEL", &|each| &each.channel)
            .column("NOTE", &|each| note(each.upgrades.as_ref())),
    );
    let unanswered = answers
        .operators
        .iter()
        .filter(|each| each.upgrades.is_none());
    page.lines(unanswered.map(|each| {
        let name = words::located(&each.namespace, &each.name);
        let unknown = if each.is_unknown { "unknown: " } else { "" };
        [format!("{name}: {unknown}{}", each.reason).into()]
    }));
    let looked: Vec<_> = answers.changes().flatten().collect();
    hops::list(&mut page, looked, detail);
    page
}

fn note(upgrades: Option<&ListUpgradesResponse>) -> Span {
    let Some(answer) = upgrades else {
        return Span::warning("not known");
    };
    let further = answer.reachable.iter().filter(|bundle| bundle.hops > 1);
    let further = further.count();
    let unreachable = answer.newer_unreachable.len();
    // The head needs no reasons.
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
        (is_hidden, "an error of its catalog may hide some"),
        (
            !is_hidden && !answer.faults.is_empty(),
            "its channel has faults",
        ),
        (is_deprecated, "deprecated"),
        (further > 0, &format!("{further} further")),
        (unreachable > 0, &format!("{unreachable} out of reach")),
    ]);
    let is_warning = is_deprecated || !reason.is_empty() || !answer.faults.is_empty();
    Span::warning_if(is_warning, text)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The command ends only after a failure that every other question would have, too.
    #[rstest]
    #[case::a_bug(Status::internal("a bug"), false, false)]
    #[case::too_slow(Status::deadline_exceeded("late"), false, false)]
    #[case::an_unread_catalog(Status::unavailable("not read"), false, false)]
    #[case::a_package_that_the_catalog_lacks(Status::not_found("no package"), true, false)]
    #[case::unauthenticated(Status::unauthenticated("who?"), false, true)]
    fn only_failures_of_server_end_command(
        #[case] status: Status,
        #[case] answers: bool,
        #[case] ends: bool,
    ) {
        assert_eq!((is_answer(&status), is_of_server(&status)), (answers, ends));
    }
}
