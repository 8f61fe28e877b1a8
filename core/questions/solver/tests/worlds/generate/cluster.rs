//! Generates the installed operators and the requests.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::{Api, PackageRequirement, Requirements};
use portolan_core_names::VersionRange;
use portolan_core_solver::{InstalledOperator, OperatorFacts, RequestedPackage};

use super::{APIS, RANGES};
use crate::dice::Dice;
use crate::world::{World, parsed};

/// Generates the installed operators: at most one operator of each package, and sometimes an
/// operator that is missing in all catalogs.
pub(super) fn installed(dice: &mut Dice<'_>, packages: &[&str]) -> Vec<InstalledOperator> {
    let count = dice.pick(&[0, 1, 0, 1, 2, 3]);
    let first = dice.roll(packages.len());
    let others = packages.iter().cycle().skip(first);
    let mut installed: Vec<_> = others
        .take(count.min(packages.len()))
        .map(|package| one(dice, packages, package))
        .collect();
    if dice.is_rare(8) {
        installed.push(InstalledOperator {
            facts: Some(Arc::new(facts(dice, packages))),
            ..InstalledOperator::named(parsed("zeppelin.v1.0.0"))
        });
    }
    installed
}

/// Generates a second installed bundle of a package for which no request exists. With a request,
/// the result would be ambiguous, because no rule decides which of the two bundles is replaced.
pub(super) fn second(dice: &mut Dice<'_>, world: &World) -> Option<InstalledOperator> {
    let first = world.installed.first()?;
    let (package, version) = first.name.as_str().split_once(".v")?;
    let is_requested = world
        .requests
        .iter()
        .any(|request| request.package.as_str() == package);
    let second = one(dice, &[package], package);
    let is_same = second.name.as_str().ends_with(&format!(".v{version}"));
    (!is_requested && !is_same).then_some(second)
}

fn one(dice: &mut Dice<'_>, packages: &[&str], package: &str) -> InstalledOperator {
    let version = dice.pick(&["1.0.0", "1.1.0", "2.0.0", "0.9.0", "2.0.0-rc.1"]);
    let knows = dice.roll(4);
    InstalledOperator {
        name: parsed(&format!("{package}.v{version}")),
        version: (knows != 3).then(|| parsed(version)),
        package: (knows < 2).then(|| parsed(package)),
        facts: dice.is_rare(4).then(|| Arc::new(facts(dice, packages))),
    }
}

fn facts(dice: &mut Dice<'_>, packages: &[&str]) -> OperatorFacts {
    let provides = (0..dice.roll(3)).map(|_| api(dice.pick(&APIS[..3])));
    let provides: BTreeSet<_> = provides.collect();
    let mut requires = Requirements::default();
    if dice.is_rare(2) {
        requires.apis.insert(api(dice.pick(&APIS)));
    }
    if dice.is_rare(2) {
        let text = dice.pick(&RANGES);
        requires.packages.push(PackageRequirement {
            package: parsed(dice.pick(packages)),
            text: text.into(),
            range: VersionRange::parse(text).ok(),
        });
    }
    OperatorFacts {
        provides,
        requires,
        properties: Vec::new(),
    }
}

fn api(text: &str) -> Api {
    let [group, version, kind] = text.split('/').collect::<Vec<_>>()[..] else {
        panic!("{text} is no API");
    };
    Api {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
    }
}

pub(super) fn requests(dice: &mut Dice<'_>, packages: &[&str]) -> Vec<RequestedPackage> {
    let count = 1 + dice.roll(3);
    (0..count).map(|_| request(dice, packages)).collect()
}

fn request(dice: &mut Dice<'_>, packages: &[&str]) -> RequestedPackage {
    let package = if dice.is_rare(20) {
        "nowhere"
    } else {
        dice.pick(packages)
    };
    let range = dice.is_rare(3).then(|| dice.pick(&RANGES));
    let channel = dice
        .is_rare(6)
        .then(|| dice.pick(&["stable", "fast", "fast", "gone"]));
    let catalog = dice
        .is_rare(8)
        .then(|| dice.pick(&["one", "two", "two", "gone"]));
    RequestedPackage {
        package: parsed(package),
        range: range.map(parsed),
        channel: channel.map(parsed),
        catalog: catalog.map(parsed),
    }
}
