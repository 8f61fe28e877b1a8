//! Tests that find the Operators that a change affects. New decisions about only these Operators
//! must have the same result as new decisions about all Operators.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::operator::APPROVE;
use portolan_core_names::Gvk;
use portolan_core_operator::{
    Answer, Basis, Decision, Fleet, Installation, Installer, Ledger, Observation, Policies,
    Present, Requirements, Survey,
};
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, definition, wish};

const PACKAGES: [&str; 5] = ["barge", "buoy", "ferry", "rope", "tug"];
/// The names and packages of the Operators. Two of these Operators have the same package.
const OPERATORS: [(&str, &str); 6] = [
    ("a-tug", "tug"),
    ("barge", "barge"),
    ("buoy", "buoy"),
    ("ferry", "ferry"),
    ("rope", "rope"),
    ("tug", "tug"),
];

/// A random number generator with a fixed sequence.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A simulated controller that makes new decisions only about affected Operators.
#[derive(Default)]
struct Sparing {
    ledger: Ledger,
    decisions: BTreeMap<String, Decision>,
    surveys: u64,
    /// The state of each Operator as last seen by the controller.
    seen: BTreeMap<String, String>,
    /// The number of decisions so far.
    count: usize,
}

impl Sparing {
    /// Makes new decisions about the Operators that the changes affect. If `is_surveyed` is false,
    /// the routes are not updated in this call.
    fn turn(&mut self, cluster: &Cluster, is_surveyed: bool) {
        let mut touched = self.ledger.see(cluster.fleet());
        touched.append(&mut self.others(cluster));
        self.surveys += 1;
        if is_surveyed {
            touched.append(&mut self.ledger.learn(&self.survey(cluster, self.surveys)));
        }
        self.decisions
            .retain(|name, _| cluster.operators.contains_key(name));
        while let Some(name) = touched.pop_first() {
            if !cluster.operators.contains_key(&name) {
                continue;
            }
            let (decision, observed) = cluster.decide_by(&name);
            self.decisions.insert(name.clone(), decision);
            self.count += 1;
            if self.ledger.decided(&name, &basis(&observed, self.surveys)) {
                touched.insert(name);
            }
        }
    }

    /// Returns the Operators that were changed since the last call. The watch sends an event for
    /// each of them.
    fn others(&mut self, cluster: &Cluster) -> BTreeSet<String> {
        let now = cluster.operators.iter();
        let now: BTreeMap<_, _> = now
            .map(|(name, operator)| (name.clone(), json!(operator).to_string()))
            .collect();
        let is_other = |(name, text): &(&String, &String)| self.seen.get(*name) != Some(*text);
        let others = now
            .iter()
            .filter(is_other)
            .map(|(name, _)| name.clone())
            .collect();
        self.seen = now;
        others
    }

    fn survey(&self, cluster: &Cluster, number: u64) -> Survey {
        let fleet = self.ledger.fleet().clone();
        let routes = cluster.routes(&fleet);
        Survey {
            number,
            fleet,
            offers: Answer::Unavailable("of no matter here".to_owned()),
            routes: Answer::Known(routes),
        }
    }
}

fn basis(observed: &Observation, number: u64) -> Basis {
    let fleet = observed.fleet.clone();
    let survey = observed.routes.clone().map(|routes| Survey {
        number,
        fleet: fleet.clone(),
        offers: Answer::Unavailable("of no matter here".to_owned()),
        routes,
    });
    Basis { fleet, survey }
}

/// Makes a random change. Users, operators, OLM and the plan controller can make such changes.
fn change(cluster: &mut Cluster, numbers: &mut Numbers) {
    let (name, package) = numbers.of(&OPERATORS);
    let bundle = format!("{package}.v{}", numbers.of(&["1.0.0", "1.1.0", "1.2.0"]));
    let is_there = cluster.operators.contains_key(name);
    match numbers.below(17) {
        0 | 1 => cluster.put(name, spec(package, numbers)),
        2 if is_there => cluster.annotate(name, APPROVE, &bundle),
        3 if is_there && numbers.below(3) == 0 => cluster.delete(name),
        4 => toggle(&mut cluster.sick, bundle),
        5 => toggle(&mut cluster.together, package),
        6 => match cluster.present.pop() {
            Some(_) if numbers.below(2) == 0 => {}
            _ => cluster.present.push(present(package, numbers)),
        },
        7 => {
            let conditions = &mut cluster.conditions;
            conditions.are_served |= numbers.below(8) == 0;
            let object = format!("harbor/{bundle}");
            if conditions.not_upgradeable.remove(&object).is_none() {
                conditions
                    .not_upgradeable
                    .insert(object, "it is busy".to_owned());
            }
        }
        8 => cluster.policies = policies(name, numbers),
        9 => toggle(&mut cluster.failing, bundle),
        10 => cluster.is_updater_gone ^= numbers.below(8) == 0,
        11 | 12 => cluster.carry_out(),
        13 => {
            let plans: Vec<_> = cluster.plans.keys().cloned().collect();
            if !plans.is_empty() && numbers.below(2) == 0 {
                cluster.delete_plan(&plans[numbers.below(plans.len())]);
            }
        }
        _ => drop(cluster.turn(name, 1 + numbers.below(2))),
    }
}

fn spec(package: &str, numbers: &mut Numbers) -> Value {
    let wishes = ["1.0.0", "1.1.0", "1.2.0", ">=1.0.0", ">=1.0.0 <1.2.0", ""];
    let mut spec = wish(package, numbers.of(&wishes));
    if numbers.below(4) == 0 {
        spec["approval"] = json!("Manual");
    }
    if numbers.below(4) == 0 {
        spec["onFailure"] = json!("Revert");
    }
    spec
}

fn present(package: &str, numbers: &mut Numbers) -> Present {
    let needed = numbers.of(&PACKAGES).to_owned();
    Present {
        object: format!("ClusterServiceVersion olm/{package}.v1.0.0"),
        by: numbers.of(&[Installer::Olm, Installer::ClusterExtension]),
        installs: Installation {
            package: package.to_owned(),
            bundle: format!("{package}.v1.0.0"),
            version: "1.0.0".to_owned(),
            requires: Requirements {
                packages: [(needed, ">=1.0.0".to_owned())].into(),
                ..Requirements::default()
            },
            ..Installation::default()
        },
        csv: None,
    }
}

fn policies(name: &str, numbers: &mut Numbers) -> Policies {
    match numbers.below(6) {
        0 => Policies::NotServed,
        1 => Policies::Unseen,
        _ => Policies::Seen(BTreeMap::from([(name.to_owned(), BTreeSet::new())])),
    }
}

fn toggle<T: Ord>(set: &mut BTreeSet<T>, item: T) {
    if let Some(item) = set.take(&item) {
        drop(item);
    } else {
        set.insert(item);
    }
}

fn cluster() -> Cluster {
    let mut cluster = Cluster::new();
    for package in PACKAGES {
        let versions = vec!["1.0.0", "1.1.0", "1.2.0"];
        cluster.packages.insert(package.to_owned(), versions);
    }
    for (bundle, required) in [("ferry.v1.1.0", "rope"), ("barge.v1.0.0", "ferry")] {
        let required = (required.to_owned(), ">=1.0.0".to_owned());
        cluster.requires.insert(bundle.to_owned(), required);
    }
    cluster
}

#[test]
fn decision_of_unaffected_operators_is_unchanged() {
    let (mut decided, mut all) = (0, 0);
    for seed in 0..20 {
        let (mut cluster, mut numbers) = (cluster(), Numbers(seed));
        let mut sparing = Sparing::default();
        for at in 0..60 {
            change(&mut cluster, &mut numbers);
            let is_surveyed = numbers.below(3) > 0;
            sparing.turn(&cluster, is_surveyed);
            all += cluster.operators.len();
            if !is_surveyed {
                continue;
            }
            for name in cluster.operators.keys() {
                let (known, now) = (&sparing.decisions[name], cluster.decide(name));
                assert_eq!(known, &now, "{name} after change {at} of {seed}");
            }
        }
        decided += sparing.count;
    }
    println!("decided {decided} times instead of {all}");
    assert!(decided * 2 < all, "{decided} decisions instead of {all}");
}

/// Returns a cluster with three Operators that have no pending work, and a controller that has made
/// the decisions about them.
fn at_rest() -> (Cluster, Sparing) {
    let mut cluster = cluster();
    for name in ["buoy", "ferry", "rope"] {
        cluster.put(name, wish(name, "1.0.0"));
    }
    cluster.settle();
    let mut sparing = Sparing::default();
    sparing.turn(&cluster, true);
    (cluster, sparing)
}

fn touched(cluster: &Cluster, sparing: &mut Sparing) -> Vec<String> {
    let mut touched = sparing.ledger.see(cluster.fleet());
    let survey = sparing.survey(cluster, sparing.surveys + 1);
    touched.append(&mut sparing.ledger.learn(&survey));
    touched.into_iter().collect()
}

#[test]
fn changed_operator_affects_only_itself() {
    let (mut cluster, mut sparing) = at_rest();
    assert_eq!(touched(&cluster, &mut sparing), [""; 0]);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    assert_eq!(touched(&cluster, &mut sparing), ["ferry"]);
    cluster.put("tug", wish("tug", "1.0.0"));
    assert_eq!(touched(&cluster, &mut sparing), ["tug"]);
}

#[test]
fn changed_operator_affects_partners_on_its_route() {
    let (mut cluster, mut sparing) = at_rest();
    cluster.together = ["ferry", "rope"].into();
    assert_eq!(touched(&cluster, &mut sparing), ["ferry", "rope"]);
    sparing.turn(&cluster, true);
    cluster.put("rope", wish("rope", "1.1.0"));
    assert_eq!(touched(&cluster, &mut sparing), ["ferry", "rope"]);
}

/// After a move, the other operators on the route wait until the moved operator is ready. The route
/// does not contain whether an operator is ready.
#[test]
fn unhealthy_operator_affects_operators_on_its_route() {
    let (mut cluster, mut sparing) = at_rest();
    cluster.together = ["ferry", "rope"].into();
    sparing.turn(&cluster, true);
    cluster.sick.insert("rope.v1.0.0".to_owned());
    cluster.carry_out();
    assert_eq!(touched(&cluster, &mut sparing), ["ferry", "rope"]);
}

#[test]
fn newly_required_operator_is_affected() {
    let (mut cluster, mut sparing) = at_rest();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    while cluster.turn("ferry", usize::MAX) {
        cluster.carry_out();
    }
    let touched = touched(&cluster, &mut sparing);
    assert_eq!(touched, ["ferry", "rope"], "ferry 1.1.0 requires rope");
}

#[test]
fn installation_by_olm_affects_operator_of_the_package() {
    let (mut cluster, mut sparing) = at_rest();
    cluster.present.push(present("ferry", &mut Numbers(1)));
    assert_eq!(touched(&cluster, &mut sparing), ["ferry"]);
}

/// A CRD counts as left by OLM only if no ClusterServiceVersion of any package provides its kind.
#[test]
fn csv_that_provides_a_kind_affects_operator_waiting_for_crd() {
    let (mut cluster, mut sparing) = at_rest();
    let mut there = definition(&["a"]);
    there["metadata"]["labels"] = json!({"olm.managed": "true"});
    cluster.there = vec![there];
    cluster
        .definitions
        .insert("tug.v1.0.0".to_owned(), definition(&["a"]));
    let mut barge = present("barge", &mut Numbers(1));
    barge.by = Installer::Olm;
    barge.installs.provides = [Gvk {
        group: "ferry.example".to_owned(),
        version: "v1".to_owned(),
        kind: "Ship".to_owned(),
    }]
    .into();
    cluster.present.push(barge);
    let mut spec = wish("tug", "1.0.0");
    spec["approval"] = json!("Manual");
    cluster.put("tug", spec);
    cluster.settle();
    sparing.turn(&cluster, true);
    cluster.present.clear();
    assert_eq!(touched(&cluster, &mut sparing), ["tug"]);
}

/// The Fleet changes after a decision was made.
#[test]
fn outdated_decision_is_repeated_if_affected() {
    let (mut cluster, mut sparing) = at_rest();
    let of = |cluster: &Cluster, name: &str| basis(&cluster.decide_by(name).1, 9);
    let before = ["buoy", "ferry"].map(|name| (name, of(&cluster, name)));
    cluster.put("ferry", wish("ferry", "1.2.0"));
    assert_eq!(touched(&cluster, &mut sparing), ["ferry"]);
    let again = before.map(|(name, basis)| sparing.ledger.decided(name, &basis));
    assert_eq!(again, [false, true]);
}

#[test]
fn recreated_operator_does_not_reuse_a_survey() {
    let (mut cluster, _) = at_rest();
    let (_, mut observed) = cluster.decide_by("ferry");
    let survey = |fleet: Fleet, cluster: &Cluster| Survey {
        number: 1,
        routes: Answer::Known(cluster.routes(&fleet)),
        fleet: Arc::new(fleet),
        offers: Answer::Unavailable("nobody says".to_owned()),
    };
    cluster.put("rope", wish("rope", "1.2.0"));
    assert!(observed.take(&survey(cluster.fleet(), &cluster)).is_ok());
    assert_eq!(*observed.fleet, cluster.fleet());
    cluster.put("ferry", wish("ferry", "1.2.0"));
    assert!(observed.take(&survey(cluster.fleet(), &cluster)).is_err());
}
