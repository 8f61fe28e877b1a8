//! Generates small namespaces with four packages. The bundles require each other, and the policies
//! overlap.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::kit::*;
use crate::*;

const PACKAGES: [&str; 4] = ["a", "b", "c", "d"];
/// The package names to choose from. A name that is repeated is chosen more often.
const FIRST: [&str; 6] = ["a", "a", "a", "b", "b", "c"];
const RANGES: [&str; 6] = [
    ">=1.0.0",
    ">=1.0.0",
    ">=1.0.0",
    "<3.0.0",
    ">=2.0.0",
    ">=2.0.0 <3.0.0",
];

/// Generates namespaces in which most plans are current and most policies apply.
pub(super) fn namespaces() -> impl Strategy<Value = Namespace> {
    (
        vec(plans(), 1..3),
        (
            subsequence(&FIRST, 2..=6),
            vec(subscriptions(), 6),
            weighted(0.1, subscriptions()),
        ),
        vec(installed(), 0..5),
        policies(),
        prop_oneof![19 => Just(Vec::new()), 1 => Just(vec!["the dark".to_owned()])],
    )
        .prop_map(|(mut plans, wishes, installed, policies, unseen)| {
            let (packages, wishes, more) = wishes;
            let packages: BTreeSet<&str> = packages.into_iter().collect();
            let own = packages.into_iter().map(package).zip(wishes);
            let own = own.map(|(of, one)| Subscription {
                package: Some(of),
                ..one
            });
            let mut subscriptions: Vec<Subscription> = own.chain(more).collect();
            for (place, plan) in plans.iter_mut().enumerate() {
                plan.name = format!("plan-{place}");
            }
            for (place, one) in subscriptions.iter_mut().enumerate() {
                one.name = format!("sub-{place}");
            }
            follow(&mut subscriptions, &plans[0], &installed);
            Namespace {
                name: HOME.to_owned(),
                plans,
                subscriptions,
                installed,
                policies,
                unseen,
                restraints: Vec::new(),
            }
        })
}

/// Generates policies with unique names.
pub(super) fn policies() -> impl Strategy<Value = Vec<Standing>> {
    vec(policy(), 1..5).prop_map(|mut policies| {
        for (place, policy) in policies.iter_mut().enumerate() {
            policy.id = policy_id(&format!("p/policy-{place}"));
        }
        policies
    })
}

/// Generates a policy with the name newcomer.
pub(super) fn policy() -> impl Strategy<Value = Standing> {
    let places = prop_oneof![
        12 => Just(Some(HOME.to_owned())),
        1 => Just(Some("elsewhere".to_owned())),
        1 => Just(None),
    ];
    (select(&FIRST), places, any_says()).prop_map(|(of, namespace, says)| Standing {
        id: policy_id("p/newcomer"),
        package: package(of),
        namespace,
        cluster: Default::default(),
        says,
    })
}

/// Changes most Subscriptions so that they report the installed bundle, and name the bundle of the
/// plan as their next bundle.
fn follow(subscriptions: &mut [Subscription], plan: &Plan, installed: &[Installed]) {
    for one in subscriptions
        .iter_mut()
        .filter(|one| one.current.is_empty())
    {
        let of = one.package.as_ref().unwrap().as_str();
        let is_of = |name: &str| {
            name.split_once('.')
                .is_some_and(|(package, _)| package == of)
        };
        let there = installed.iter().find(|one| is_of(&one.name));
        one.installed = there.map_or_else(String::new, |there| there.name.clone());
        let next = plan.csvs.iter().find(|name| is_of(name));
        one.current = next.unwrap_or(&one.installed).clone();
    }
}

fn names() -> impl Strategy<Value = String> {
    (select(&PACKAGES), 1..4).prop_map(|(package, version)| format!("{package}.v{version}"))
}

fn needs() -> impl Strategy<Value = Need> {
    let leaf = prop_oneof![
        9 => (select(&PACKAGES), select(&RANGES)).prop_map(|(of, range)| need(&format!("{of}@{range}"))),
        2 => select(&PACKAGES).prop_map(|of| Need::Api(api(of))),
        1 => Just(Need::Opaque("true".to_owned())),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let parts = vec(inner, 0..3);
        prop_oneof![
            parts.clone().prop_map(Need::All),
            parts.clone().prop_map(Need::Any),
            parts.prop_map(Need::Not),
        ]
    })
}

/// Generates the description of a bundle from one source. The description may be missing or
/// invalid.
fn bundles() -> impl Strategy<Value = Option<Bundle>> {
    let described = (
        names(),
        vec(needs(), 1..4),
        weighted(0.3, select(&PACKAGES)),
        any::<bool>(),
    );
    let bundle = described.prop_map(|(name, needs, provides, is_step)| {
        let mut bundle = bundle(&name);
        let identity = identity_of(&mut bundle);
        identity.needs = needs;
        identity.provides.extend(provides.map(api));
        bundle.source = if is_step {
            Source::Step
        } else {
            Source::Lookup
        };
        bundle
    });
    (bundle, 0..60).prop_map(|(mut bundle, oddity)| {
        match oddity {
            0 => return None,
            1 => bundle.identity = Some(Err("no JSON".to_owned())),
            2 => bundle.identity = None,
            3 => identity_of(&mut bundle).version = None,
            4 => identity_of(&mut bundle).package = package("a"),
            5 => bundle.is_pending = true,
            _ => {}
        }
        Some(bundle)
    })
}

fn plans() -> impl Strategy<Value = Plan> {
    let phases = prop_oneof![
        12 => Just("RequiresApproval"),
        2 => select(&["Installing", "Complete", "", "Odd"]),
    ];
    let head = (weighted(0.95, 1..4_u64), phases, any::<bool>());
    let extra = (0..24, names(), select(&PACKAGES));
    let described = (
        subsequence(&PACKAGES, 1..=4),
        vec(bundles(), 4),
        weighted(0.1, bundles()),
    );
    (head, described, extra).prop_map(|((generation, phase, is_approved), described, extra)| {
        let (packages, described, more) = described;
        let own = packages
            .into_iter()
            .zip(described)
            .filter_map(|(package, bundle)| of(package, bundle?));
        let described: Vec<Bundle> = own.chain(more.flatten()).collect();
        let mut plan = Plan {
            generation,
            phase: phase.to_owned(),
            is_approved,
            csvs: described.iter().map(|bundle| bundle.name.clone()).collect(),
            ..Plan::default()
        };
        let own = described
            .iter()
            .map(|one| step(&one.name, "ClusterServiceVersion", &one.name));
        plan.steps = own.collect();
        match extra {
            (0, name, _) => plan.csvs.push(name),
            (1, _, _) => plan.steps.push(step("", "Secret", "stray")),
            (2, name, of) => plan.steps.push(generated(&name, of)),
            (3, name, of) => plan.steps.push(step(&name, "ClusterServiceVersion", of)),
            _ => {}
        }
        plan.bundles = described;
        plan
    })
}

/// Changes the package of the bundle. The name of the bundle may then contradict the package.
fn of(package: &str, bundle: Bundle) -> Option<Bundle> {
    let (old, version) = bundle.name.split_once('.')?;
    let mut moved = Bundle {
        name: format!("{package}.{version}"),
        ..bundle.clone()
    };
    if let Some(Ok(identity)) = &mut moved.identity
        && identity.package.as_str() == old
    {
        identity.package = self::package(package);
    }
    Some(moved)
}

/// Generates Subscriptions. A Subscription that names no bundle gets a bundle of the first plan
/// later.
fn subscriptions() -> impl Strategy<Value = Subscription> {
    let odd = weighted(0.05, (names(), names()));
    (select(&FIRST), any::<bool>(), odd).prop_map(|(of, is_manual, odd)| {
        let (current, installed) = odd.unwrap_or_default();
        let package = Some(package(of));
        Subscription {
            name: String::new(),
            package,
            is_manual,
            current,
            installed,
        }
    })
}

fn installed() -> impl Strategy<Value = Installed> {
    bundles().prop_map(|bundle| match bundle {
        Some(bundle) => {
            let identity = bundle.identity.and_then(Result::ok);
            Installed {
                name: bundle.name,
                identity,
            }
        }
        None => Installed {
            name: "x.v1".to_owned(),
            identity: None,
        },
    })
}

fn consents() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("*".to_owned()),
        2 => names(),
        2 => (select(&PACKAGES), select(&RANGES)).prop_map(|(of, range)| format!("{of}@{range}")),
    ]
}

fn any_says() -> impl Strategy<Value = Says> {
    let mostly = || proptest::bool::weighted(0.75);
    let allows = (vec(consents(), 0..4), mostly(), mostly());
    let allows = allows.prop_map(|(consents, updates, dependencies)| {
        Says::Allows(Allows {
            consents: consents.iter().map(|text| text.parse().unwrap()).collect(),
            field: "spec.versions",
            catalog: None,
            updates,
            dependencies,
        })
    });
    let withheld = prop_oneof![
        Just(Withheld::Inform),
        Just(Withheld::MustNotHave),
        Just(Withheld::Invalid(vec!["it is broken".to_owned()])),
        Just(Withheld::Overlaps(Overlap::of([policy_id("p/other")]))),
        Just(Withheld::Leaving),
    ];
    prop_oneof![6 => allows, 1 => withheld.prop_map(Says::Withholds)]
}
