//! Repeats the forecast to find all problems. Each round omits the objects at fault that the
//! previous rounds found.

use portolan_core_catalog::Catalog;
use portolan_core_forecast::{Approval, End, Forecast, Namespace, Purpose, Source, Stay, forecast};
use portolan_core_health::{self as health, Probe, judge_catalog};
use portolan_core_names::CatalogName;

use super::culprit::{Culprit, Matter, Trouble, troubles};
use super::reachable::within_reach;
use crate::Situation;
use crate::situation::{Content, Offer};
use crate::trouble::of_failure;

/// The maximum number of objects at fault to find.
const MOST: usize = 16;

/// The next action of OLM, the Subscriptions that this action does not change, and the problems
/// that block OLM completely.
pub(super) struct Ahead {
    pub(super) first: Forecast,
    /// The bundles at which Subscriptions stay, if the first InstallPlan installs nothing for them.
    pub(super) stays: Vec<Stay>,
    pub(super) troubles: Vec<Trouble>,
}

/// Forecasts OLM's actions.
///
/// # Errors
///
/// Returns the reason if the forecast is unknown.
pub(super) fn ahead(situation: &Situation<'_>) -> Result<Ahead, String> {
    let mut namespace = situation.resolved.clone()?;
    for subscription in &mut namespace.subscriptions {
        // A forecast ends at an InstallPlan that needs approval. Manual approval is set because the
        // first InstallPlan is sufficient.
        subscription.approval = Approval::Manual;
    }
    let offers = read(situation)?;
    let known: Vec<&Catalog> = offers
        .iter()
        .filter_map(|(_, content)| content.as_ref().ok().copied())
        .collect();
    let kept = within_reach(&known, &namespace);
    let sources = sources(&offers, &kept);
    let global = &situation.global_namespace;
    let first = forecast(&namespace, &sources, global);
    let troubles = troubles_of(&first, &namespace, &sources, situation);
    let stays = stays(&first, &namespace, &sources, global);
    Ok(Ahead {
        first,
        stays,
        troubles,
    })
}

/// Returns the bundles at which Subscriptions stay, if the first InstallPlan installs nothing for
/// them. The result is valid while OLM executes this InstallPlan.
fn stays(
    first: &Forecast,
    namespace: &Namespace,
    sources: &[Source<'_>],
    global: &str,
) -> Vec<Stay> {
    if let End::Settled(stays) = &first.end {
        return stays.clone();
    }
    let Some(pass) = first.passes.first() else {
        return Vec::new();
    };
    let mut rest = namespace.clone();
    for install in &pass.installs {
        if let Purpose::Subscribed(names) = &install.purpose {
            let subscriptions = rest.subscriptions.iter_mut();
            for subscription in
                subscriptions.filter(|subscription| names.contains(&subscription.name))
            {
                subscription.current_csv = Some(install.bundle.clone());
                subscription.has_plan = true;
                subscription.plan_failed = false;
            }
        }
    }
    match forecast(&rest, sources, global).end {
        End::Settled(stays) => stays,
        End::Failed(_)
        | End::Silent(_)
        | End::AwaitsApproval { .. }
        | End::AwaitsPlans { .. }
        | End::Circles { .. }
        | End::Endless
        | End::GaveUp { .. } => Vec::new(),
    }
}

/// Returns the problems that make the resolution fail. The problems of the first forecast come
/// first. Then come the problems of forecasts without the objects that were already found.
fn troubles_of(
    first: &Forecast,
    namespace: &Namespace,
    sources: &[Source<'_>],
    situation: &Situation<'_>,
) -> Vec<Trouble> {
    let (mut namespace, mut sources) = (namespace.clone(), sources.to_vec());
    let mut found: Vec<Trouble> = Vec::new();
    let mut next = first.clone();
    while let (End::Failed(failure), true) = (&next.end, found.len() < MOST) {
        if !next.passes.is_empty() {
            break;
        }
        let mut new = troubles(&of_failure(failure), situation);
        new.retain(|trouble| !found.contains(trouble));
        if new.is_empty() {
            break;
        }
        for trouble in &new {
            remove(trouble, &mut namespace, &mut sources);
        }
        found.append(&mut new);
        next = forecast(&namespace, &sources, &situation.global_namespace);
    }
    found
}

/// Catalogs with their content, or with the reason why OLM cannot query them.
type Read<'s, 'a> = Vec<(&'s Offer<'a>, AsOlm<'a>)>;

/// Returns the content of each visible catalog as OLM reads it. Returns an error if this program
/// cannot read a catalog that OLM may be able to read, because the forecast is then unknown.
fn read<'s, 'a>(situation: &'s Situation<'a>) -> Result<Read<'s, 'a>, String> {
    let visible = situation.visible().into_iter();
    visible.map(|offer| Ok((offer, content(offer)?))).collect()
}

/// Returns the catalogs as input of a forecast. Catalogs that OLM can query have their reduced
/// content.
fn sources<'k>(offers: &Read<'_, '_>, kept: &'k [Catalog]) -> Vec<Source<'k>> {
    let mut kept = kept.iter();
    let mut sources = Vec::new();
    for (offer, content) in offers {
        let content = match content {
            Ok(_) => kept.next().ok_or_else(String::new),
            Err(why) => Err(why.clone()),
        };
        if let Ok(name) = CatalogName::parse(&offer.key()) {
            sources.push(Source {
                name,
                priority: offer.registry.source.spec.priority.into(),
                content,
            });
        }
    }
    sources
}

type AsOlm<'a> = Result<&'a Catalog, String>;

fn content<'a>(offer: &Offer<'a>) -> Result<AsOlm<'a>, String> {
    if let Some(why) = lost(offer) {
        return Ok(Err(why));
    }
    match &offer.content {
        Content::Known(offered) | Content::Stale(offered, _) => Ok(Ok(offered.catalog)),
        Content::Unavailable(why) => Err(format!(
            "the content of {} is not available: {why}",
            offer.object()
        )),
    }
}

/// Returns the reason why OLM cannot query a catalog. Returns None if it is not certain that OLM
/// cannot query it.
pub(crate) fn lost(offer: &Offer<'_>) -> Option<String> {
    let judged = judge_catalog(&offer.registry);
    let is_asked = match &offer.registry.probe {
        Probe::Unreachable(_) | Probe::NotServing | Probe::Silent(_) | Probe::Failing(_) => true,
        Probe::NotProbed | Probe::Pending | Probe::Answered { .. } | Probe::NameUnknown(_) => false,
    };
    let is_lost = offer.registry.source.has_lost_connection();
    let reason = judged.verdict.reasons.first();
    let is_no = judged.verdict.state == health::State::No;
    (is_no && (is_asked || is_lost))
        .then(|| reason.map_or_else(String::new, |why| why.message.clone()))
}

/// Removes an object at fault from the input of the forecast. Installed operators of a Subscription
/// are kept, because other operators may need them.
fn remove(trouble: &Trouble, namespace: &mut Namespace, sources: &mut Vec<Source<'_>>) {
    match &trouble.culprit {
        Culprit::Subscription(name) => {
            namespace
                .subscriptions
                .retain(|subscription| subscription.name != *name);
        }
        Culprit::Csv(name) => {
            let old = if let Matter::Upgrade { old } = &trouble.matter {
                old.as_str()
            } else {
                ""
            };
            let is_it = |csv: &str| csv == name || csv == old;
            namespace.csvs.retain(|csv| !is_it(csv.name.as_str()));
            namespace.subscriptions.retain(|subscription| {
                let named = [&subscription.current_csv, &subscription.installed_csv];
                let mut named = named.into_iter().flatten();
                !named.any(|csv| is_it(csv.as_str()))
            });
        }
        Culprit::Catalog(key) => {
            let before = namespace.subscriptions.len();
            if let Matter::Unusable { package, .. } = &trouble.matter {
                namespace
                    .subscriptions
                    .retain(|subscription| subscription.package.as_str() != package);
            }
            if namespace.subscriptions.len() < before {
                return;
            }
            sources.retain(|source| source.name.to_string() != *key);
            namespace
                .subscriptions
                .retain(|subscription| subscription.catalog.to_string() != *key);
        }
    }
}
