//! Finds the object that the user wants to approve, by its name.

use std::collections::BTreeSet;

use portolan_core_names::nearest;
use portolan_core_names::text::shell_word;
use portolan_proto::approval::v1::{Bundle, Review};

use crate::named::{Kind, Named};
use crate::print::words;
use crate::program_name::ProgramName;
use crate::review::reviewed;

/// An object that can be approved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Install(String),
    /// An InstallPlan of OLM.
    Plan {
        namespace: String,
        name: String,
    },
}

/// The reason why the command has no object to approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoTarget {
    /// The object exists, but requires no approval.
    Nothing(String),
    /// No object has the name, or several objects have the name.
    Unusable(String),
}

/// Returns the only object with the name. The name of a Subscription, a package or a bundle selects
/// the pending InstallPlan with this operator.
pub(super) fn choose(
    named: &Named,
    namespace: &str,
    reviews: &[Review],
    has_install: bool,
) -> Result<Target, NoTarget> {
    let here = reviews
        .iter()
        .filter(|it| namespace.is_empty() || reviewed::names(it).0 == namespace);
    let (plans, operators): (Vec<_>, Vec<_>) = here.partition(|it| is_plan(named, it));
    let operators: Vec<_> = operators
        .into_iter()
        .filter(|it| has_operator(named, it))
        .collect();
    let pending = operators.iter().filter(|it| is_pending(it));
    let plans = plans.into_iter().chain(pending.copied()).map(plan_target);
    let install = has_install.then(|| Target::Install(named.name.clone()));
    let found: BTreeSet<Target> = plans.chain(install).collect();
    let found: Vec<Target> = found.into_iter().collect();
    match found.as_slice() {
        [target] => Ok(target.clone()),
        [] if operators.is_empty() => Err(NoTarget::Unusable(unknown(named, namespace, reviews))),
        [] => Err(NoTarget::Nothing(format!(
            "no InstallPlan of {} waits for approval{}",
            named.name,
            words::within(namespace)
        ))),
        several => Err(NoTarget::Unusable(ambiguous(named, several))),
    }
}

/// Returns true if a plan waits for an approval.
fn is_pending(review: &Review) -> bool {
    review.waits && !reviewed::is_settled(review)
}

fn is_plan(named: &Named, review: &Review) -> bool {
    matches!(named.kind, None | Some(Kind::InstallPlan)) && reviewed::names(review).1 == named.name
}

fn has_operator(named: &Named, review: &Review) -> bool {
    review.bundles.iter().any(|it| is_bundle(named, it))
}

fn is_bundle(named: &Named, bundle: &Bundle) -> bool {
    let name = &named.name;
    match named.kind {
        Some(Kind::Subscription) => bundle.subscription == *name,
        Some(Kind::Package) => bundle.package == *name,
        Some(Kind::Csv) => bundle.name == *name,
        None => [&bundle.subscription, &bundle.package, &bundle.name].contains(&name),
        Some(
            Kind::InstallPlan
            | Kind::Catalog
            | Kind::Policy
            | Kind::Plan
            | Kind::Operator
            | Kind::Install
            | Kind::Extension
            | Kind::ClusterCatalog
            | Kind::ComponentOperator
            | Kind::Component
            | Kind::UpgradePolicy
            | Kind::PolicyBinding,
        ) => false,
    }
}

fn plan_target(review: &Review) -> Target {
    let (namespace, name) = reviewed::names(review);
    Target::Plan {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

// === impl Target ===

impl Target {
    /// Returns the command that approves the target.
    pub(super) fn command(&self) -> String {
        let program = ProgramName::now().typed();
        match self {
            Self::Install(name) => {
                format!(
                    "{program} approve {}",
                    shell_word(&format!("install/{name}"))
                )
            }
            Self::Plan { namespace, name } => {
                let name = format!("installplan/{name}");
                let (name, namespace) = (shell_word(&name), shell_word(namespace));
                format!("{program} approve {name} -n {namespace}")
            }
        }
    }
}

fn ambiguous(named: &Named, targets: &[Target]) -> String {
    let commands = targets.iter().map(|it| format!("`{}`", it.command()));
    let commands: Vec<_> = commands.collect();
    format!("{} is ambiguous; use {}", named.name, commands.join(" or "))
}

fn unknown(named: &Named, namespace: &str, reviews: &[Review]) -> String {
    let what = match named.kind {
        None => "Install, InstallPlan, Subscription or package",
        Some(Kind::Subscription) => "Subscription with an InstallPlan",
        Some(Kind::Package) => "package with an InstallPlan",
        Some(Kind::Csv) => "bundle with an InstallPlan",
        Some(Kind::Install) => "Install",
        Some(
            Kind::InstallPlan
            | Kind::Catalog
            | Kind::Policy
            | Kind::Plan
            | Kind::Operator
            | Kind::Extension
            | Kind::ClusterCatalog
            | Kind::ComponentOperator
            | Kind::Component
            | Kind::UpgradePolicy
            | Kind::PolicyBinding,
        ) => "InstallPlan",
    };
    let pending = reviews.iter().filter(|it| is_pending(it));
    let known = pending.flat_map(|it| {
        let bundles = it.bundles.iter();
        let names = bundles.flat_map(|it| [it.subscription.as_str(), it.package.as_str()]);
        names.chain([reviewed::names(it).1])
    });
    let known: BTreeSet<_> = known.collect();
    let near = words::did_you_mean(nearest(&named.name, known.iter()));
    let hint = match named.kind {
        None if near.is_empty() => format!("; for an Operator use operator/{}", named.name),
        None | Some(_) => near,
    };
    format!(
        "no {what} {} found{}{hint}",
        named.name,
        words::within(namespace)
    )
}

#[cfg(test)]
mod tests {
    use portolan_proto::approval::v1::Verdict;
    use portolan_proto::basis::v1::{ObjectRef, Observed, Reason};
    use rstest::rstest;

    use super::*;

    /// Returns the review of an InstallPlan with one bundle. The Subscription of the bundle is
    /// `sub-PACKAGE`.
    fn review(namespace: &str, name: &str, package: &str, waits: bool) -> Review {
        let object = ObjectRef {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..ObjectRef::default()
        };
        let bundle = Bundle {
            name: format!("{package}.v2.0.0"),
            package: package.to_owned(),
            subscription: format!("sub-{package}"),
            ..Bundle::default()
        };
        Review {
            plan: Some(Observed {
                object: Some(object),
                ..Observed::default()
            }),
            waits,
            bundles: vec![bundle],
            ..Review::default()
        }
    }

    fn world() -> Vec<Review> {
        let superseded = Reason {
            code: "Superseded".to_owned(),
            ..Reason::default()
        };
        let mut old = review("harbor", "install-0", "ferry", true);
        old.verdict = Some(Verdict {
            reasons: vec![superseded],
            ..Verdict::default()
        });
        vec![
            old,
            review("harbor", "install-1", "ferry", true),
            review("tugs", "install-2", "tug", false),
            review("east", "install-3", "rope", true),
            review("west", "install-3", "rope", true),
            review("west", "plumbus", "other", true),
        ]
    }

    fn chosen(text: &str, namespace: &str) -> Result<Target, NoTarget> {
        let named: Named = text.parse().expect("a name");
        choose(
            &named,
            namespace,
            &world(),
            named.name == "plumbus" && named.kind.is_none(),
        )
    }

    #[rstest]
    #[case::plan("install-1", "")]
    #[case::plan_with_kind("installplan/install-1", "")]
    #[case::package("ferry", "")]
    #[case::subscription("sub-ferry", "harbor")]
    #[case::subscription_with_kind("sub/sub-ferry", "")]
    #[case::bundle("csv/ferry.v2.0.0", "")]
    fn finds_pending_plan(#[case] text: &str, #[case] namespace: &str) {
        let expected = Target::Plan {
            namespace: "harbor".to_owned(),
            name: "install-1".to_owned(),
        };
        assert_eq!(chosen(text, namespace), Ok(expected));
    }

    #[rstest]
    #[case::complete("tug")]
    #[case::complete_with_kind("package/tug")]
    fn reports_that_there_is_nothing_to_approve(#[case] text: &str) {
        let Err(NoTarget::Nothing(why)) = chosen(text, "") else {
            panic!("{text} has nothing to approve");
        };
        assert_eq!(why, "no InstallPlan of tug waits for approval");
    }

    #[rstest]
    #[case::two_namespaces(
        "rope",
        "rope is ambiguous; use `portolan approve installplan/install-3 -n east` or `portolan \
         approve installplan/install-3 -n west`"
    )]
    #[case::two_kinds(
        "plumbus",
        "plumbus is ambiguous; use `portolan approve install/plumbus` or `portolan approve \
         installplan/plumbus -n west`"
    )]
    #[case::unknown(
        "fery",
        "no Install, InstallPlan, Subscription or package fery found; did you mean ferry?"
    )]
    #[case::of_another_kind("sub/ferry", "no Subscription with an InstallPlan ferry found")]
    fn rejects_unknown_and_ambiguous_names(#[case] text: &str, #[case] expected: &str) {
        let Err(NoTarget::Unusable(why)) = chosen(text, "") else {
            panic!("{text} must be rejected");
        };
        assert!(why.starts_with(expected), "{why}");
    }

    #[test]
    fn namespace_selects_plan() {
        let expected = Target::Plan {
            namespace: "west".to_owned(),
            name: "install-3".to_owned(),
        };
        assert_eq!(chosen("rope", "west"), Ok(expected));
    }
}
