//! Explains bundles with a dependency that OLM cannot satisfy.

use portolan_core_catalog::{Bundle, Package};
use portolan_core_names::VersionRange;
use portolan_core_names::text::{cite, listed, listed_up_to};
use portolan_core_olm::Subscription;

use crate::case::Case;
use crate::cure::Cure;
use crate::trouble::package_of;
use crate::{Cause, Code, Evidence, Object, State, evidence};

/// The maximum number of versions that a sentence contains.
const NAMED: usize = 6;

/// Returns the cause for a bundle with a dependency that no visible bundle satisfies. `what` is the
/// dependency in the words of OLM.
pub(crate) fn cause(case: Case<'_>, bundle: &str, what: &str) -> Cause {
    let namespace = case.situation().name();
    let package = package_of(what).map(|(package, _)| package);
    let (code, message) = match package_of(what) {
        None => (
            Code::DependencyMissing,
            format!(
                "{bundle} requires an operator {}. No catalog that is visible in namespace {namespace} has such an \
                 operator that fits the other operators.",
                cite(what)
            ),
        ),
        Some((package, range)) => of_package(case, bundle, package, range),
    };
    let package = package.filter(|package| !is_installed(case, package));
    let at_fault = match package {
        Some(package) => Object::new("Package", "", package),
        None => case.subject(),
    };
    let missing = package.filter(|package| is_nowhere(case, package));
    let missing = missing.map(|_| Evidence::absent(at_fault.clone()));
    let cure = Cure::external(
        &format!("the administrator of the catalogs of namespace {namespace}"),
        &format!(
            "Add a bundle that {bundle} requires to a catalog. Otherwise, the publisher of \
             {bundle} must change its dependencies."
        ),
    );
    let cause = Cause::new(code, State::Stuck, at_fault, &message).cured(cure);
    let needs = Object::new("Bundle", "", bundle);
    let cause = cause.shown([Evidence::at(needs, "requires", what)]);
    let cause = cause.shown(missing);
    let Some(subscription) = case.subscription else {
        return cause;
    };
    let cause = cause.shown(evidence::subscription(subscription));
    cause.shown(evidence::condition_evidence(
        subscription,
        Subscription::RESOLUTION_FAILED,
    ))
}

fn is_installed(case: Case<'_>, package: &str) -> bool {
    let mut csvs = case.situation().namespace.csvs.objects.iter();
    csvs.any(|csv| csv.package().as_deref() == Some(package))
}

/// Returns true if no visible catalog contains the package. Returns false if a catalog was not
/// read.
fn is_nowhere(case: Case<'_>, package: &str) -> bool {
    let visible = case.situation().visible();
    visible.iter().all(|offer| {
        let offered = offer.content.offered();
        offered.is_some_and(|offered| {
            !offered.catalog.packages.contains_key(package) && offered.hidden_by(package).is_none()
        })
    })
}

fn of_package(case: Case<'_>, bundle: &str, package: &str, range: &str) -> (Code, String) {
    let situation = case.situation();
    let claim = format!(
        "{bundle} requires package {package} in the range {range}{}",
        others(case, bundle, (package, range))
    );
    let installed = situation.namespace.csvs.objects.iter();
    let mut installed: Vec<_> = installed
        .filter(|csv| csv.package().as_deref() == Some(package))
        .collect();
    installed.sort();
    if let Some(csv) = installed.first() {
        let message = format!(
            "{claim}, but {} is installed in version {}.{}",
            csv.observed.object,
            csv.spec.version,
            fitting(case, package, range)
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
        let mut contents = visible.iter().filter_map(|offer| offer.content.offered());
        let hidden = contents.find_map(|offered| offered.hidden_by(package));
        let message = if let Some(fault) = hidden {
            format!(
                "{claim}, but no readable catalog has this package. This error may hide the \
                 package: {fault}."
            )
        } else if is_whole {
            format!(
                "{claim}, but no catalog that is visible in namespace {} has this package.",
                situation.name()
            )
        } else {
            format!("{claim}, but OLM finds no such bundle that it can install.")
        };
        let near = near(case, package).map(|near| format!(" The nearest name is {near}."));
        return (Code::DependencyMissing, message + &near.unwrap_or_default());
    };
    if fits(offered, range) {
        (
            Code::DependencyMissing,
            format!(
                "{claim}. {object} has this package, but no allowed version can be installed \
                 together with the other operators."
            ),
        )
    } else {
        (
            Code::DependencyOutOfRange,
            format!(
                "{claim}, but {object} has only {} of this package.{}",
                versions(offered),
                nearest_versions(offered, range)
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

/// Returns a part of a sentence about the other bundles of the channel that lack the same
/// dependency. Empty if there are no such bundles.
fn others(case: Case<'_>, bundle: &str, (package, range): (&str, &str)) -> String {
    let situation = case.situation();
    let graph = case.subscription.and_then(|one| situation.graph(one));
    let channel = case.subscription.and_then(|one| situation.head(one));
    let Some((graph, (channel, _))) = graph.zip(channel) else {
        return String::new();
    };
    let all = graph.package();
    let entries = all.channels.get(&channel).into_iter();
    let mut lacking: Vec<_> = entries
        .flat_map(|channel| channel.entries.keys())
        .filter_map(|name| all.bundles.get(name))
        .filter(|one| one.name.as_str() != bundle)
        .filter_map(|one| Some((one, lacked(case, one, package)?)))
        .collect();
    lacking.sort_by(|(a, _), (b, _)| b.version.cmp(&a.version));
    let named = lacking.iter().map(|(one, needed)| match *needed {
        needed if needed == range => one.name.to_string(),
        needed => format!("{} in the range {needed}", one.name),
    });
    match lacking.len() {
        0 => String::new(),
        1 => format!(" (so does {})", listed(named)),
        _ => format!(" (so do {})", listed_up_to(NAMED, named)),
    }
}

/// Returns the version range of the dependency if no visible bundle has a version in this range.
fn lacked<'a>(case: Case<'_>, bundle: &'a Bundle, package: &str) -> Option<&'a str> {
    let requires = bundle.requires.packages.iter();
    let own = requires.filter(|required| required.package.as_str() == package);
    let mut lacked = own.filter(|required| {
        let offers = case.situation().visible();
        let mut offered = offers.iter().filter_map(|offer| offer.content.offered());
        !offered.any(|offered| {
            let package = offered.catalog.packages.get(package);
            package.is_some_and(|package| fits(package, &required.text))
        })
    });
    lacked.next().map(|required| &*required.text)
}

/// Returns a sentence about a bundle in the required range. If no known catalog has such a bundle,
/// the sentence reports this.
fn fitting(case: Case<'_>, package: &str, range: &str) -> String {
    let Ok(range) = VersionRange::parse(range) else {
        return String::new();
    };
    let visible = case.situation().visible();
    let fitting = visible.iter().find_map(|offer| {
        let offered = offer.content.offered()?;
        let bundles = offered.catalog.packages.get(package)?.bundles.values();
        let fitting = bundles.filter(|bundle| range.matches(&bundle.version));
        let newest = fitting.max_by(|a, b| a.version.cmp(&b.version))?;
        Some((offer.object(), newest.name.clone()))
    });
    match fitting {
        Some((catalog, bundle)) => format!(
            " {catalog} has {bundle}, which satisfies the \
                                            requirement."
        ),
        None => " None of the known catalogs has a matching bundle.".to_owned(),
    }
}

/// Returns a sentence with the nearest versions outside of a range: one below and one above.
fn nearest_versions(package: &Package, range: &str) -> String {
    let range = VersionRange::parse(range).ok();
    let first = range.as_ref().and_then(|range| range.spans().next());
    let Some((start, _)) = first else {
        return String::new();
    };
    let versions = || package.bundles.values().map(|bundle| &bundle.version);
    let below = versions().filter(|version| *version < start).max();
    let above = versions().filter(|version| *version > start).min();
    match (below, above) {
        (Some(below), Some(above)) => format!(" The nearest versions are {below} and {above}."),
        (Some(only), None) | (None, Some(only)) => format!(" The nearest version is {only}."),
        (None, None) => String::new(),
    }
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
