//! What Subscriptions stay at when OLM has nothing more to do, and why.

use crate::chain::chain;
use crate::formula::{Draft, Rule, Wish};
use crate::shelf::{Entry, Shelves};
use crate::solve::{self, Outcome};
use crate::state::State;
use crate::{Cause, Reason, Stay, Subscription};

/// One for each Subscription, by name.
pub(crate) fn stays(
    draft: &Draft,
    shelves: &Shelves<'_>,
    state: &State<'_>,
    patience: u64,
) -> Vec<Stay> {
    let subscriptions = state.subscriptions.iter().zip(&draft.wishes);
    let stays = subscriptions.map(|(subscription, wish)| {
        let installed = subscription.installed_csv.as_ref();
        let current = wish.as_ref().and_then(|wish| wish.current);
        let cause = match (installed, wish, current) {
            (Some(csv), _, None) if state.is_copied(csv) => Cause::Copied,
            (_, Some(wish), Some(current)) => {
                cause(draft, wish, shelves, subscription, current, patience)
            }
            (_, _, _) => Cause::Gone,
        };
        Stay {
            subscription: subscription.name.clone(),
            installed: installed.filter(|csv| state.is_there(csv)).cloned(),
            cause,
        }
    });
    stays.collect()
}

fn cause(
    draft: &Draft,
    wish: &Wish,
    shelves: &Shelves<'_>,
    subscription: &Subscription,
    current: usize,
    patience: u64,
) -> Cause {
    let name = shelves.entries[current].name;
    let successors = wish.choices.iter().map(|at| shelves.entries[*at].name);
    let mut successors: Vec<_> = successors.filter(|other| *other != name).cloned().collect();
    successors.dedup();
    if !successors.is_empty() {
        let reasons = refusals(draft, wish, patience);
        return Cause::Refused {
            successors,
            reasons,
        };
    }
    if is_head(shelves, subscription, &shelves.entries[current]) {
        Cause::Head
    } else {
        Cause::NoEdge
    }
}

/// What keeps out all that could take over: the reasons why it cannot be had without what is
/// installed. None where it could, and OLM prefers something else over it.
fn refusals(draft: &Draft, wish: &Wish, patience: u64) -> Vec<Reason> {
    let mut formula = draft.formula.clone();
    let clause = &mut formula.clauses[wish.clause];
    if let Rule::AnyOf(_, choices) = &mut clause.rule {
        choices.truncate(wish.choices.len());
    }
    if let Reason::SubscriptionRequires { choices, .. } = &mut clause.reason {
        choices.pop();
    }
    match solve::solve(&formula, patience) {
        Ok(Outcome::Unsatisfiable(reasons)) => reasons,
        Ok(Outcome::Chosen(_)) | Err(_) => Vec::new(),
    }
}

/// Whether the entry leads a channel that the Subscription follows.
fn is_head(shelves: &Shelves<'_>, subscription: &Subscription, installed: &Entry<'_>) -> bool {
    let Some(shelf) = shelves.of_catalog(&subscription.catalog) else {
        return false;
    };
    let entries = shelves.on(shelf).iter();
    let mut channels = std::collections::BTreeMap::<_, Vec<&Entry<'_>>>::new();
    for entry in entries.filter(|entry| entry.package() == Some(&subscription.package)) {
        let is_followed =
            subscription.channel.is_none() || entry.channel == subscription.channel.as_ref();
        if is_followed {
            channels.entry(entry.channel).or_default().push(entry);
        }
    }
    let heads = channels
        .values()
        .filter_map(|entries| chain(entries).ok()?.first().copied());
    let mut heads = heads.map(|head| head.name);
    heads.any(|head| head == installed.name)
}
