//! Compares the answers for generated clusters with the slow reference.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use portolan_core_catalog::Package;
use portolan_core_graph::{Charted, Installed};
use portolan_core_route::readiness::{
    Installer, Minor, Offer, Question, Readiness, ReadinessVerdict, Stage, Subject, judge,
};

use super::cluster::{channels, packages, stages};
use super::reference::Reference;
use crate::dice::Dice;

/// The number of generated clusters.
const CLUSTERS: u64 = 3000;

/// The number of bundles of a package.
const BUNDLES: usize = 7;

/// Compares an answer with the reference. Every path in the answer must be valid and have the
/// fewest hops. The answer must contain a path if and only if the reference finds a path.
pub(super) fn compare(reference: &Reference<'_>, start: &Installed, answer: &Readiness) {
    let last = reference.target() - 1;
    let hops: usize = answer.legs.iter().map(|leg| leg.hops.len()).sum();
    let mut at = start.name.clone();
    for leg in &answer.legs {
        for hop in &leg.hops {
            assert!(
                reference.is_update(leg.stage, &at, &hop.name),
                "{at} {answer:?}"
            );
            at = hop.name.clone();
        }
    }
    let fits = reference.fits(0, &start.name);
    let before = reference.nearest(&start.name, 0);
    let between = reference.nearest(&start.name, last);
    match answer.verdict {
        ReadinessVerdict::Ready => {
            assert!(fits && reference.offers(&start.name), "{answer:?}");
        }
        ReadinessVerdict::NotReinstallable => {
            assert!(fits && !reference.offers(&start.name), "{answer:?}");
        }
        ReadinessVerdict::UpdateFirst => {
            assert!(
                !fits && answer.legs.iter().all(|leg| leg.stage == 0),
                "{answer:?}"
            );
            assert_eq!(before, Some(hops), "{answer:?}");
        }
        ReadinessVerdict::UpdateBetween => {
            assert_eq!((before, between), (None, Some(hops)), "{answer:?}");
        }
        ReadinessVerdict::SwitchChannelFirst
        | ReadinessVerdict::SwitchChannelAfter
        | ReadinessVerdict::Stranded
        | ReadinessVerdict::PackageGone
        | ReadinessVerdict::Blocked => assert_eq!((before, between), (None, None), "{answer:?}"),
        ReadinessVerdict::NotChecked => panic!("every catalog was read: {answer:?}"),
    }
    let Some(after) = &answer.after else {
        return;
    };
    let from = at.clone();
    for hop in after {
        assert!(
            reference.is_update(reference.target(), &at, &hop.name),
            "{at} {answer:?}"
        );
        at = hop.name.clone();
    }
    assert_eq!(
        reference.hops_after(&from, &at),
        Some(after.len()),
        "{answer:?}"
    );
}

#[test]
fn every_path_is_a_shortest_path() {
    let mut counts = BTreeMap::<ReadinessVerdict, u64>::new();
    for number in 0..CLUSTERS {
        let mut dice = Dice::of(number);
        let releases = dice.pick(&["4.21 4.22", "4.20 4.21 4.22"]);
        let stages = stages(releases);
        let facts = facts(&mut dice);
        let shops: Vec<_> = stages.iter().map(|_| shop(&mut dice, &facts)).collect();
        let start = dice.roll(BUNDLES);
        let start = Installed {
            name: format!("a.v1.{start}.0").parse().expect("a name"),
            version: format!("1.{start}.0").parse().ok(),
        };
        let Some(answer) = answer(&stages, &shops, &start) else {
            continue;
        };
        let reference = Reference {
            stages: (stages.iter().zip(&shops))
                .map(|(stage, shop)| {
                    (
                        pair(stage.openshift),
                        pair(Some(stage.kubernetes)),
                        shop.as_deref(),
                    )
                })
                .collect(),
            channels: channels(["stable"]),
        };
        compare(&reference, &start, &answer);
        *counts.entry(answer.verdict).or_default() += 1;
    }
    let expected = [
        ReadinessVerdict::Ready,
        ReadinessVerdict::NotReinstallable,
        ReadinessVerdict::UpdateFirst,
        ReadinessVerdict::UpdateBetween,
        ReadinessVerdict::Stranded,
        ReadinessVerdict::PackageGone,
        ReadinessVerdict::Blocked,
    ];
    let rare: Vec<_> = expected
        .iter()
        .filter(|it| counts.get(it).is_none_or(|n| *n < 20))
        .collect();
    assert!(rare.is_empty(), "{rare:?} are too rare in {counts:?}");
}

fn answer(
    stages: &[Stage],
    shops: &[Option<Arc<Package>>],
    start: &Installed,
) -> Option<Readiness> {
    let mut known = shops.iter().flatten();
    // If no catalog contains the bundle, its limit is unknown, so the case is skipped.
    known.find(|shop| shop.bundles.contains_key(&start.name))?;
    let subject = Subject {
        installer: Installer::OlmV1,
        namespace: String::new(),
        installed: Some(start.clone()),
        is_followed: true,
        channels: channels(["stable"]),
        allowed: None,
        limit: None,
        contents: BTreeMap::new(),
        restraints: Vec::new(),
        requests: Vec::new(),
        offers: shops
            .iter()
            .map(|shop| Offer {
                package: shop.clone().map(|shop| Arc::new(Charted::new(shop))),
                gap: None,
            })
            .collect(),
    };
    let question = Question {
        stages: stages.to_vec(),
        operators: vec![subject],
    };
    judge(&question).pop()
}

fn pair(release: Option<Minor>) -> (u64, u64) {
    release.map(|it| (it.major, it.minor)).expect("a release")
}

/// Generates the lines about each bundle. A bundle has the same content in all catalogs.
fn facts(dice: &mut Dice) -> Vec<String> {
    let facts = (0..BUNDLES).map(|bundle| {
        let mut lines = String::new();
        if dice.is_in(30) {
            let last = dice.pick(&["4.20", "4.21", "4.22"]);
            let _ = writeln!(lines, "limit a.v1.{bundle}.0 {last}");
        }
        if dice.is_in(15) {
            let minimum = dice.pick(&["1.33.0", "1.34.2", "1.35.0"]);
            let _ = writeln!(lines, "kube a.v1.{bundle}.0 {minimum}");
        }
        lines
    });
    facts.collect()
}

/// Generates a package with some of the bundles. Returns None if the catalog does not contain the
/// package.
fn shop(dice: &mut Dice, facts: &[String]) -> Option<Arc<Package>> {
    if dice.is_in(8) {
        return None;
    }
    let mut text = String::new();
    for (bundle, fact) in facts.iter().enumerate() {
        if dice.is_in(25) {
            continue;
        }
        let _ = writeln!(text, "a: 1.{bundle}.0");
        if bundle > 0 && dice.is_in(70) {
            let _ = writeln!(text, "a: 1.{bundle}.0 replaces 1.{}.0", dice.roll(bundle));
        }
        if bundle > 0 && dice.is_in(20) {
            let _ = writeln!(text, "a: 1.{bundle}.0 skips 1.{}.0", dice.roll(bundle));
        }
        if bundle > 1 && dice.is_in(20) {
            let _ = writeln!(
                text,
                "a: 1.{bundle}.0 covers >=1.{}.0 <1.{bundle}.0",
                dice.roll(bundle)
            );
        }
        text += fact;
    }
    if text.is_empty() {
        return None;
    }
    packages(&text).pop()
}
