//! Tests of dependencies between many Operators.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::operator::{Operator, UserStatus};
use portolan_core_operator::{
    Fleet, FleetMember, HopFacts, HopState, Installation, Ledger, OperatorHop, Requirements,
};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::touched::Numbers;

const MANY: usize = 2000;

fn name(at: usize) -> String {
    format!("op-{at:04}")
}

/// Returns an installed Operator that requires other packages.
fn member(at: usize, required: &[usize]) -> Arc<FleetMember> {
    let name = name(at);
    let range = || ">=1.0.0".to_owned();
    let packages = required.iter().map(|other| (self::name(*other), range()));
    let installs = Installation {
        package: name.clone(),
        bundle: format!("{name}.v1.0.0"),
        version: "1.0.0".to_owned(),
        requires: Requirements {
            packages: packages.collect(),
            ..Requirements::default()
        },
        ..Installation::default()
    };
    let hop = OperatorHop {
        namespace: "portolan".to_owned(),
        plan: format!("{name}-1"),
        uid: name.clone(),
        version: "1".to_owned(),
        service_account: "installer".to_owned(),
        facts: HopFacts {
            number: 1,
            installs,
            ..HopFacts::default()
        },
        state: HopState::Begun {
            is_applied: true,
            ready_since: None,
            problem: None,
            message: String::new(),
        },
        is_terminating: false,
        is_suspended: false,
        edited: None,
        is_owned: false,
        is_retired: false,
        is_handed_over: false,
        owns_found: false,
        beside: BTreeSet::new(),
    };
    let operator = Operator::new(&name, json!({"packageName": name}).into());
    Arc::new(FleetMember::of(&operator, vec![hop], "portolan"))
}

fn fleet(members: impl IntoIterator<Item = Arc<FleetMember>>) -> Fleet {
    let members = members.into_iter();
    Fleet {
        members: members.map(|it| (it.name.clone(), it)).collect(),
        ..Fleet::default()
    }
}

fn terminating(member: &Arc<FleetMember>) -> Arc<FleetMember> {
    Arc::new(FleetMember {
        is_terminating: true,
        ..FleetMember::clone(member)
    })
}

/// Each Operator requires the previous Operator. For this number of Operators, a comparison of all
/// pairs would take hours.
#[test]
fn deletion_at_the_end_of_a_chain_affects_all_dependencies() {
    let chain: Vec<_> = (0..MANY)
        .map(|at| member(at, &at.checked_sub(1).into_iter().collect::<Vec<_>>()))
        .collect();
    let mut ledger = Ledger::default();
    let before = fleet(chain.iter().cloned());
    assert_eq!(before.users(&chain[0]).len(), 1);
    assert_eq!(ledger.see(before).len(), MANY);
    let last = terminating(&chain[MANY - 1]);
    let touched = ledger.see(fleet(chain[..MANY - 1].iter().cloned().chain([last])));
    assert_eq!(touched.len(), MANY);
    let others: Vec<_> = chain[..MANY - 1].iter().map(terminating).collect();
    let half = others.iter().step_by(2).cloned();
    let half = half.chain(chain[1..].iter().step_by(2).cloned());
    assert_eq!(ledger.see(fleet(half)).len(), MANY);
}

#[test]
fn common_dependency_has_all_operators_as_users() {
    let base = member(0, &[]);
    let others = (1..MANY).map(|at| member(at, &[0]));
    let fleet = fleet([base.clone()].into_iter().chain(others));
    let users = fleet.users(&base);
    assert_eq!(users.len(), MANY - 1);
    assert!(
        users
            .iter()
            .all(|user| !user.mutual && user.version == "1.0.0")
    );
}

/// Returns the users of an Operator. Compares each member with every other member, as the
/// definition of a user says.
fn users(required: &BTreeMap<usize, BTreeSet<usize>>, of: usize) -> Vec<UserStatus> {
    let leads = |from: usize| {
        let mut found = BTreeSet::new();
        let mut open: Vec<_> = required[&from].iter().copied().collect();
        while let Some(one) = open.pop() {
            if found.insert(one) {
                open.extend(&required[&one]);
            }
        }
        found
    };
    let direct = required.iter().filter(|(_, needed)| needed.contains(&of));
    let direct = direct.filter(|(user, _)| **user != of);
    let users = direct.map(|(user, _)| UserStatus {
        name: name(*user),
        version: "1.0.0".to_owned(),
        mutual: leads(of).contains(user),
        ..UserStatus::default()
    });
    users.collect()
}

#[test]
fn users_match_a_slow_reference_for_random_requirements() {
    for seed in 0..200 {
        let mut numbers = Numbers(seed);
        let count = 2 + numbers.below(6);
        let mut required: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for at in 0..count {
            let some = (0..numbers.below(3)).map(|_| numbers.below(count));
            required.insert(at, some.collect());
        }
        let members = required.iter().map(|(at, needed)| {
            let needed: Vec<_> = needed.iter().copied().collect();
            member(*at, &needed)
        });
        let fleet = fleet(members);
        for at in 0..count {
            let told = fleet.users(&fleet.members[&name(at)]);
            assert_eq!(told, users(&required, at), "{at} of {seed}");
        }
    }
}
