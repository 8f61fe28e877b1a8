//! What is not seen as it is now.

use portolan_core_operatorpolicy::Blind;
use portolan_world::State;

use super::kinds::Kinds;

/// The kinds whose objects are not seen as they are now: all of them, or one in the namespace that
/// was not read whole, of which nothing may be concluded.
pub(super) fn blind(kinds: &Kinds, namespace: Option<&str>) -> Vec<Blind> {
    let states = kinds.states().into_iter();
    let mut all: Vec<_> = states
        .filter_map(|(kind, state)| of_state(kind, state))
        .collect();
    all.extend(kinds.lacking().map(|kind| Blind {
        kind,
        since: None,
        why: "the cluster has no such kind now, though it has others of OLM".to_owned(),
    }));
    let odd = namespace.map(|name| kinds.odd_within(name));
    for (kind, why) in odd.into_iter().flatten() {
        if !all.iter().any(|blind| blind.kind == kind) {
            let since = None;
            all.push(Blind { kind, since, why });
        }
    }
    all
}

fn of_state(kind: &'static str, state: &State) -> Option<Blind> {
    let (since, why) = match state {
        State::Synced | State::NotServed => return None,
        State::Pending => (None, state.to_string()),
        State::Unknown { trouble, since } | State::Stale { trouble, since } => {
            (Some(*since), trouble.to_string())
        }
    };
    Some(Blind { kind, since, why })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use portolan_world::Trouble;
    use rstest::rstest;

    use super::*;

    fn trouble() -> Trouble {
        Trouble::Forbidden("no".to_owned())
    }

    fn blind(since: Option<Timestamp>, why: &str) -> Option<Blind> {
        Some(Blind {
            kind: "Subscription",
            since,
            why: why.to_owned(),
        })
    }

    const EPOCH: Timestamp = Timestamp::UNIX_EPOCH;

    #[rstest]
    #[case::seen(State::Synced, None)]
    #[case::not_served(State::NotServed, None)]
    #[case::on_its_way(State::Pending, blind(None, "not read yet"))]
    #[case::never_seen(
        State::Unknown { trouble: trouble(), since: EPOCH },
        blind(Some(EPOCH), "forbidden: no")
    )]
    #[case::old(
        State::Stale { trouble: trouble(), since: EPOCH },
        blind(Some(EPOCH), "forbidden: no")
    )]
    fn a_kind_is_not_seen_as_it_is(#[case] state: State, #[case] expected: Option<Blind>) {
        assert_eq!(of_state("Subscription", &state), expected);
    }
}
