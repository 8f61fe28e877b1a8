//! Checks if all clauses can be satisfied, regardless of preferences. If they cannot, returns the
//! reasons.

use super::trail::{Core, Trail};
use super::{GaveUp, Var};
use crate::Reason;
use crate::formula::{Formula, Rule};

/// Returns the true variables of a solution, or a contradiction. Leaves the trail in the state
/// after [`Trail::start`].
pub(super) fn model(trail: &mut Trail<'_>) -> Result<Result<Vec<Var>, Core>, GaveUp> {
    match trail.start()? {
        Ok(()) => complete(trail),
        Err(core) => Ok(Err(core)),
    }
}

/// Returns a solution that keeps all current values, or a contradiction. Does not change the trail.
pub(super) fn complete(trail: &mut Trail<'_>) -> Result<Result<Vec<Var>, Core>, GaveUp> {
    let formula = trail.formula;
    trail.pay(formula.clauses.len())?;
    let Some((at, choices)) = open_choice(trail, formula) else {
        let vars = 0..formula.vars;
        return Ok(Ok(vars
            .filter(|var| trail.value(*var) == Some(true))
            .collect()));
    };
    let mut whole = Core::new();
    for choice in choices {
        if trail.value(*choice) == Some(false) {
            continue;
        }
        let mark = trail.mark();
        let attempt = match trail.assume(*choice, true)? {
            Ok(()) => complete(trail)?,
            Err(core) => Err(core),
        };
        trail.back(mark);
        match attempt {
            Ok(model) => return Ok(Ok(model)),
            Err(core) => whole.extend(core),
        }
    }
    whole.extend(trail.contradiction(at));
    Ok(Err(whole))
}

/// Returns the first requirement without a chosen candidate, as the index of its clause and its
/// candidates. Returns None if all requirements are satisfied.
fn open_choice<'f>(trail: &Trail<'_>, formula: &'f Formula) -> Option<(usize, &'f [Var])> {
    let is = |var: &Var, value| trail.value(*var) == Some(value);
    let clauses = formula.clauses.iter().enumerate();
    let mut active = clauses.filter(|(at, _)| trail.is_active[*at]);
    active.find_map(|(at, clause)| match &clause.rule {
        Rule::AnyOf(var, choices)
            if is(var, true) && !choices.iter().any(|choice| is(choice, true)) =>
        {
            Some((at, choices.as_slice()))
        }
        Rule::AnyOf(..) | Rule::Must(_) | Rule::Never(_) | Rule::AtMostOne(_) => None,
    })
}

/// Removes unnecessary clauses from a contradiction, and returns the reasons of the remaining
/// clauses. Tries to remove the least helpful reasons first.
pub(super) fn reasons(trail: &mut Trail<'_>, mut core: Core) -> Result<Vec<Reason>, GaveUp> {
    let clauses = &trail.formula.clauses;
    let mut order: Vec<_> = core.iter().copied().collect();
    order.sort_by_key(|at| (weight(&clauses[*at].reason), *at));
    for at in order {
        if !core.contains(&at) {
            continue;
        }
        let kept = |other: &usize| *other != at && core.contains(other);
        let is_active = (0..clauses.len()).map(|other| kept(&other));
        trail.is_active = is_active.collect();
        if let Err(smaller) = model(trail)? {
            core = smaller;
        }
    }
    trail.is_active.fill(true);
    let reasons = core.iter().map(|at| clauses[*at].reason.clone());
    let mut reasons: Vec<_> = reasons.collect();
    reasons.sort_by_cached_key(ToString::to_string);
    Ok(reasons)
}

fn weight(reason: &Reason) -> u8 {
    match reason {
        Reason::Conflict { .. } => 0,
        Reason::OneProvider { .. } => 1,
        Reason::OnePackage { .. } => 2,
        Reason::BundleRequires { .. } | Reason::SubscriptionRequires { .. } => 3,
        Reason::Deprecated { .. } | Reason::NothingFound { .. } => 4,
        Reason::SubscriptionExists { .. } | Reason::Unreferenced { .. } => 5,
    }
}
