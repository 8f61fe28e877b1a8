//! Generates impossible texts for fields of objects. A dump may contain such texts.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::kit::step;
use crate::Namespace;

/// Generates texts that no cluster contains.
pub(super) fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        select(
            &[
                "",
                " ",
                "a.v1",
                "a",
                "\u{1b}[2J",
                "\u{202e}",
                "a/b",
                "*",
                "Subscription"
            ][..]
        )
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

/// Sets a field of an object to a text.
pub(super) fn twist(all: &mut Namespace, text: String, which: &Index, field: i32) {
    let at = |count: usize| which.index(count.max(1));
    let place = at(all.plans.len());
    let plan = &mut all.plans[place];
    match field {
        0 => all.name = text,
        1 => plan.name = text,
        2 => plan.phase = text,
        3 => plan.csvs.push(text),
        4 => plan.steps.push(step(&text, "Subscription", "")),
        5 => plan.steps.push(step("", &text, &text)),
        6 => plan.steps.push(step(&text, "ClusterServiceVersion", &text)),
        7 => plan
            .bundles
            .iter_mut()
            .for_each(|one| one.name.clone_from(&text)),
        8 => plan
            .bundles
            .iter_mut()
            .for_each(|one| one.identity = Some(Err(text.clone()))),
        9 => plan
            .bundles
            .iter_mut()
            .for_each(|one| one.replaces.clone_from(&text)),
        10 => all
            .subscriptions
            .iter_mut()
            .for_each(|one| one.current.clone_from(&text)),
        11 => all
            .subscriptions
            .iter_mut()
            .for_each(|one| one.installed.clone_from(&text)),
        12 => all
            .installed
            .iter_mut()
            .for_each(|one| one.name.clone_from(&text)),
        13 => all
            .policies
            .iter_mut()
            .for_each(|one| one.id.name.clone_from(&text)),
        14 => all.unseen.push(text),
        _ => {
            all.plans.extend(all.plans.clone());
            all.subscriptions.extend(all.subscriptions.clone());
            all.policies.extend(all.policies.clone());
        }
    }
}
