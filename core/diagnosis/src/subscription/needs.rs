//! Bundles that need what is not there.

use portolan_core_catalog::Package;
use portolan_core_names::VersionRange;
use portolan_core_names::text::{cite, listed};
use portolan_core_olm::Subscription;

use crate::case::Case;
use crate::trouble::package_of;
use crate::{Cause, Code, Cure, Evidence, Object, State, evidence};

/// The most versions that are named.
const NAMED: usize = 6;

/// What a bundle needs, in the words of OLM, and no bundle that is visible here fulfills.
pub(crate) fn cause(case: Case<'_>, bundle: &str, what: &str) -> Cause {
    let namespace = case.situation().name();
    let (code, message) = match package_of(what) {
        None => (
            Code::DependencyMissing,
            format!(
                "{bundle} needs an operator {}, and namespace {namespace} sees none that can be \
                 installed beside all else.",
                cite(what)
            ),
        ),
        Some((package, range)) => of_package(case, bundle, package, range),
    };
    let guilty = match case.subscription {
        Some(subscription) => Object::from(&subscription.observed.object),
        None => case.subject(),
    };
    let who = format!(
        "Whoever runs the catalogs of namespace {namespace} has to offer what {bundle} needs, or \
         whoever publishes {bundle} has to need something else."
    );
    let cause = Cause::new(code, State::Stuck, guilty, &message).cured(Cure::External(who));
    let needs = Object::new("Bundle", "", bundle);
    let cause = cause.shown([Evidence::at(needs, "requires", what)]);
    let Some(subscription) = case.subscription else {
        return cause;
    };
    let cause = cause.shown(evidence::subscription(subscription));
    cause.shown(evidence::said(
        subscription,
        Subscription::RESOLUTION_FAILED,
    ))
}

fn of_package(case: Case<'_>, bundle: &str, package: &str, range: &str) -> (Code, String) {
    let situation = case.situation();
    let claim = format!("{bundle} needs package {package} in the range {range}");
    let installed = situation.namespace.csvs.objects.iter();
    let mut installed: Vec<_> = installed
        .filter(|csv| csv.package().as_deref() == Some(package))
        .collect();
    installed.sort();
    if let Some(csv) = installed.first() {
        let message = format!(
            "{claim}, and {} is installed in version {}.",
            csv.observed.object, csv.spec.version
        );
        return (Code::DependencyOutOfRange, message);
    }
    let visible = situation.visible();
    let having = visible.iter().filter_map(|offer| {
        let offered = offer.content.offered()?;
        Some((offer.object(), offered.catalog.packages.get(package)?))
    });
    let having: Vec<_> = having.collect();
    let Some((object, offered)) = having.first() else {
        let is_whole = visible
            .iter()
            .all(|offer| offer.content.offered().is_some());
        let message = if is_whole {
            format!(
                "{claim}, and no catalog that namespace {} sees has that package.",
                situation.name()
            )
        } else {
            format!("{claim}, and OLM finds none that it can install.")
        };
        let near = near(case, package).map(|near| format!(" The nearest name is {near}."));
        return (Code::DependencyMissing, message + &near.unwrap_or_default());
    };
    if fits(offered, range) {
        (
            Code::DependencyMissing,
            format!("{claim}. {object} has it, and it cannot be installed beside all else."),
        )
    } else {
        (
            Code::DependencyOutOfRange,
            format!(
                "{claim}, and {object} has it only in {}.",
                versions(offered)
            ),
        )
    }
}

fn near<'a>(case: Case<'a>, package: &str) -> Option<&'a str> {
    let visible = case.situation().visible();
    let offered = visible.iter().filter_map(|offer| offer.content.offered());
    let names: Vec<&str> = offered
        .flat_map(|offered| offered.catalog.packages.keys())
        .map(|name| name.as_str())
        .collect();
    portolan_core_names::nearest(package, names.iter()).copied()
}

fn fits(package: &Package, range: &str) -> bool {
    let Ok(range) = VersionRange::parse(range) else {
        return false;
    };
    let mut bundles = package.bundles.values();
    bundles.any(|bundle| range.matches(&bundle.version))
}

fn versions(package: &Package) -> String {
    let mut versions: Vec<_> = package
        .bundles
        .values()
        .map(|bundle| &bundle.version)
        .collect();
    versions.sort();
    let first = versions.len().saturating_sub(NAMED);
    listed(&versions[first..])
}
