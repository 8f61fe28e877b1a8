//! Finds the final bundle of each Subscription, and the reason why OLM does not upgrade it.

use crate::chain::chain;
use crate::entries::{Entry, EntryTable};
use crate::formula::{Demand, Draft, Rule};
use crate::solve::{self, Outcome};
use crate::state::State;
use crate::{Cause, Reason, Stay, Subscription};

/// Returns the final state of each Subscription, by name.
pub(crate) fn stays(
    draft: &Draft,
    table: &EntryTable<'_>,
    state: &State<'_>,
    patience: u64,
) -> Vec<Stay> {
    let subscriptions = state.subscriptions.iter().zip(&draft.demands);
    let stays = subscriptions.map(|(subscription, demand)| {
        let installed = subscription.installed_csv.as_ref();
        let current = demand.as_ref().and_then(|demand| demand.current);
        let cause = match (installed, demand, current) {
            (Some(csv), _, None) if state.is_copied(csv) => Cause::Copied,
            (_, Some(demand), Some(current)) => {
                cause(draft, demand, table, subscription, current, patience)
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
    demand: &Demand,
    table: &EntryTable<'_>,
    subscription: &Subscription,
    current: usize,
    patience: u64,
) -> Cause {
    let name = table.entries[current].name;
    let successors = demand.choices.iter().map(|at| table.entries[*at].name);
    let mut successors: Vec<_> = successors.filter(|other| *other != name).cloned().collect();
    successors.dedup();
    if !successors.is_empty() {
        let reasons = refusals(draft, demand, patience);
        return Cause::Refused {
            successors,
            reasons,
        };
    }
    if is_head(table, subscription, &table.entries[current]) {
        Cause::Head
    } else {
        Cause::NoEdge
    }
}

/// Returns the constraints that prevent all upgrades of a Subscription. Empty if OLM could install
/// an upgrade but prefers another solution, or if the search exceeds `patience`.
fn refusals(draft: &Draft, demand: &Demand, patience: u64) -> Vec<Reason> {
    let mut formula = draft.formula.clone();
    let clause = &mut formula.clauses[demand.clause];
    if let Rule::AnyOf(_, choices) = &mut clause.rule {
        choices.truncate(demand.choices.len());
    }
    if let Reason::SubscriptionRequires { choices, .. } = &mut clause.reason {
        choices.pop();
    }
    match solve::solve(&formula, patience) {
        Ok(Outcome::Unsatisfiable(reasons)) => reasons,
        Ok(Outcome::Chosen(_)) | Err(_) => Vec::new(),
    }
}

/// Returns true if the installed entry is the head of a channel that the Subscription follows.
fn is_head(table: &EntryTable<'_>, subscription: &Subscription, installed: &Entry<'_>) -> bool {
    let Some(catalog) = table.of_catalog(&subscription.catalog) else {
        return false;
    };
    let entries = table.entries_of(catalog).iter();
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
