//! Tests properties that hold for every namespace: for random small namespaces, for all scenarios,
//! and for impossible namespaces.

use std::collections::BTreeMap;

use portolan_core_names::PackageName;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use super::absurd::{texts, twist};
use super::generate::{namespaces, policy};
use super::kit::*;
use super::{reference, worlds};
use crate::*;

/// Returns the policies that allow each bundle of each plan, with the length of the chain of
/// dependents.
fn allowed(reviews: &[Review]) -> BTreeMap<&str, reference::Allowed> {
    let of_bundle = |bundle: &BundleReview| {
        let by = bundle.allowances.iter();
        let by = by.map(|one| (one.policy.clone(), one.needed_by.len()));
        (bundle.name.clone(), by.collect())
    };
    let of_plan = |review: &Review| review.bundles.iter().map(of_bundle).collect();
    reviews
        .iter()
        .map(|review| (review.plan.as_str(), of_plan(review)))
        .collect()
}

/// Returns the policies without the lengths of the chains.
fn names(allowed: &reference::Allowed) -> BTreeMap<&str, Vec<&PolicyId>> {
    allowed
        .iter()
        .map(|(bundle, by)| (bundle.as_str(), by.keys().collect()))
        .collect()
}

fn plan_of<'a>(all: &'a Namespace, review: &Review) -> &'a Plan {
    all.plans
        .iter()
        .find(|plan| plan.name == review.plan)
        .unwrap()
}

/// Returns the same namespace with all lists in another order.
fn shuffled(all: &Namespace, by: &[Index]) -> Namespace {
    fn turn<T>(things: &mut [T], by: &[Index]) {
        for (place, index) in by.iter().enumerate().take(things.len()) {
            let other = index.index(things.len());
            things.swap(place, other);
        }
    }
    let mut all = all.clone();
    turn(&mut all.plans, by);
    turn(&mut all.subscriptions, by);
    turn(&mut all.installed, by);
    turn(&mut all.policies, by);
    turn(&mut all.unseen, by);
    for plan in &mut all.plans {
        turn(&mut plan.csvs, by);
        turn(&mut plan.bundles, by);
        turn(&mut plan.steps, by);
    }
    all
}

/// Returns true if the text has no control characters and no direction overrides.
fn is_harmless(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() || "\u{202e}\u{2066}\u{feff}\u{200b}".contains(c))
        && text.chars().count() < 2100
}

/// Returns true if the state of a Verdict is the worst state of its reasons, and the reasons are
/// sorted.
fn is_sound(verdict: &Verdict) -> bool {
    let worst = verdict.reasons.iter().map(|reason| reason.state).max();
    let order = |reason: &Reason| (std::cmp::Reverse(reason.state), reason.code);
    verdict.state == worst.unwrap_or(State::Yes)
        && verdict.reasons.is_sorted_by_key(order)
        && verdict
            .reasons
            .iter()
            .all(|reason| reason.state != State::Yes)
}

/// Checks the properties of every Review.
fn claims(review: &Review) {
    assert!(is_sound(&review.verdict), "{review:#?}");
    assert!(
        review.policies.is_sorted_by(|a, b| a.id < b.id),
        "{review:#?}"
    );
    assert!(
        review
            .remarks
            .iter()
            .all(|remark| remark.state == State::Yes)
    );
    for bundle in &review.bundles {
        assert!(is_sound(&bundle.verdict), "{bundle:#?}");
        let is_told = |reason| review.verdict.reasons.contains(reason);
        assert!(bundle.verdict.reasons.iter().all(is_told), "{review:#?}");
        let is_allowed = bundle.verdict.state == State::Yes;
        assert!(!is_allowed || !bundle.allowances.is_empty() && bundle.fixes.is_empty());
        let has_say = |id: &PolicyId| review.policies.iter().any(|policy| policy.id == *id);
        assert!(
            bundle.allowances.iter().all(|one| has_say(&one.policy)),
            "{review:#?}"
        );
        assert!(bundle.fixes.iter().all(|fix| is_harmless(&fix.message)));
    }
    let reasons = review.verdict.reasons.iter().chain(&review.remarks);
    reasons.for_each(|reason| assert!(is_harmless(&reason.message), "{}", reason.message));
}

/// Returns the namespace after the fixes of a bundle are applied to the policies. Fixes that the
/// test cannot apply are skipped. Returns None if no fix was applied.
fn mended(all: &Namespace, bundle: &BundleReview) -> Option<Namespace> {
    let mut all = all.clone();
    let mut is_mended = false;
    for fix in &bundle.fixes {
        let of = |policy: &&mut Standing| {
            fix.policy.as_ref() == Some(&(policy.id.namespace.clone(), policy.id.name.clone()))
        };
        let policy = all.policies.iter_mut().find(of);
        match (fix.field, policy.map(|policy| &mut policy.says)) {
            ("spec.versions", Some(Says::Allows(allows))) => {
                allows.consents.push(fix.value.parse().unwrap());
            }
            ("spec.upgradeApproval", Some(Says::Allows(allows))) => allows.updates = true,
            ("spec.subscription.name", None) => {
                let line = format!("p/new: {} allows {} with updates", fix.value, bundle.name);
                all.policies.push(super::kit::policy(&line));
            }
            ("spec" | "spec.remediationAction" | "spec.complianceType", Some(_)) => continue,
            other => panic!("nothing is known of {other:?}"),
        }
        is_mended = true;
    }
    is_mended.then_some(all)
}

/// Returns the packages that the plan or the installed bundles give for a bundle name.
fn packages(all: &Namespace, review: &Review, name: &str) -> Vec<PackageName> {
    let brought = review.bundles.iter().filter(|bundle| bundle.name == name);
    let installed = all.installed.iter().filter(|one| one.name == name);
    let installed = installed.filter_map(|one| Some(one.identity.as_ref()?.package.clone()));
    brought
        .filter_map(|bundle| bundle.package.clone())
        .chain(installed)
        .collect()
}

proptest! {
    #![proptest_config(Config::with_cases(512))]

    #[test]
    fn allowing_policies_equal_the_reference(all in namespaces()) {
        let reviews = review(&all);
        for (plan, found) in allowed(&reviews) {
            let plan = all.plans.iter().find(|one| one.name == plan).unwrap();
            let expected = reference::allowed(&all, plan);
            prop_assert_eq!(names(&found), names(&expected));
            // If all policies are known, the chain is also the shortest chain.
            if all.policies.iter().all(|policy| policy.namespace.is_some()) {
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn approved_plan_violates_no_policy(all in namespaces()) {
        for review in review(&all) {
            let broken = reference::broken(&all, plan_of(&all, &review));
            let is_yes = review.verdict.state == State::Yes;
            prop_assert!(!is_yes || broken.is_empty(), "{review:#?} {broken:?}");
        }
    }

    #[test]
    fn every_review_is_valid(all in namespaces()) {
        review(&all).iter().for_each(claims);
    }

    #[test]
    fn each_bundle_in_a_chain_is_required_by_the_previous_bundle(all in namespaces()) {
        for review in review(&all) {
            let of = |name: &str| reference::is_needed_by(&all, plan_of(&all, &review), name);
            for bundle in &review.bundles {
                for one in &bundle.allowances {
                    let mut chain = one.needed_by.clone();
                    chain.push(bundle.name.clone());
                    for link in chain.windows(2) {
                        prop_assert!(of(&link[1]).contains(&link[0]), "{chain:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn order_of_input_has_no_effect(all in namespaces(), by in prop::collection::vec(any::<Index>(), 8)) {
        similar_asserts::assert_eq!(review(&shuffled(&all, &by)), review(&all));
    }

    #[test]
    fn no_plan_is_approved_while_objects_are_hidden(mut all in namespaces()) {
        all.unseen.push("the rest".to_owned());
        for review in review(&all) {
            prop_assert_eq!(review.verdict.state, State::NotYet);
            for bundle in &review.bundles {
                prop_assert_eq!(bundle.verdict.state, State::NotYet);
            }
        }
    }

    #[test]
    fn additional_policy_removes_only_allowances_of_its_package(all in namespaces(), one in policy()) {
        let mut more = all.clone();
        more.policies.push(one.clone());
        let (before, after) = (review(&all), review(&more));
        if one.namespace.as_deref().is_some_and(|place| place != HOME) {
            prop_assert_eq!(&before, &after);
        }
        for old in &before {
            let new = after.iter().find(|new| new.plan == old.plan).unwrap();
            for (was, is) in old.bundles.iter().zip(&new.bundles) {
                let is_kept = |id: &PolicyId| is.allowances.iter().any(|one| one.policy == *id);
                for lost in was.allowances.iter().filter(|one| !is_kept(&one.policy)) {
                    let on_its_way = lost.needed_by.iter().skip(1).chain([&was.name]);
                    let mut packages = on_its_way.flat_map(|name| packages(&all, old, name));
                    let manages = one.namespace.as_deref() == Some(HOME)
                        && !lost.needed_by.is_empty()
                        && packages.any(|package| package == one.package);
                    prop_assert!(manages, "{lost:#?}");
                }
            }
        }
    }

    #[test]
    fn unrelated_policy_changes_no_review(
        all in namespaces(),
        one in policy(),
    ) {
        let mut more = all.clone();
        more.policies.push(Standing { package: package("unrelated"), ..one });
        prop_assert_eq!(review(&all), review(&more));
    }

    #[test]
    fn fix_allows_the_bundle(all in namespaces()) {
        for old in review(&all) {
            for bundle in &old.bundles {
                if let Some(mended) = mended(&all, bundle) {
                    let reviews = review(&mended);
                    let new = reviews.iter().find(|new| new.plan == old.plan).unwrap();
                    let now = new.bundles.iter().find(|now| now.name == bundle.name).unwrap();
                    prop_assert!(!now.allowances.is_empty(), "{bundle:#?} {now:#?}");
                }
            }
        }
    }

    #[test]
    fn hostile_texts_give_valid_reviews(
        mut all in namespaces(),
        absurd in prop::collection::vec((texts(), any::<Index>(), 0..16), 1..12),
    ) {
        for (text, which, field) in absurd {
            twist(&mut all, text, &which, field);
        }
        review(&all).iter().for_each(claims);
    }
}

#[test]
fn every_scenario_satisfies_the_properties() {
    for (name, World(all)) in worlds() {
        for review in review(&all) {
            claims(&review);
            let broken = reference::broken(&all, plan_of(&all, &review));
            assert!(
                review.verdict.state != State::Yes || broken.is_empty(),
                "{name} {broken:?}"
            );
        }
    }
}

/// Checks that the random namespaces cover many different cases. Otherwise, the property tests
/// would prove little.
#[test]
fn generated_namespaces_cover_many_cases() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..2000 {
        let all = namespaces().new_tree(&mut runner).unwrap().current();
        for review in review(&all) {
            *seen
                .entry(format!("{:?}", review.verdict.state))
                .or_default() += 1;
            for bundle in &review.bundles {
                for one in &bundle.allowances {
                    *seen
                        .entry(format!("through {}", one.needed_by.len()))
                        .or_default() += 1;
                }
                for reason in &bundle.verdict.reasons {
                    *seen.entry(reason.code.as_str().to_owned()).or_default() += 1;
                }
            }
        }
    }
    let often = ["Yes", "NotYet", "No", "through 0", "through 1", "through 2"];
    assert!(
        often
            .iter()
            .all(|what| seen.get(*what).is_some_and(|count| *count > 20)),
        "{seen:#?}"
    );
}
