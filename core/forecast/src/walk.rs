//! Pass by pass.

use std::collections::BTreeSet;

use portolan_core_names::{CatalogName, ChannelName, PackageName};

use crate::failure::blames;
use crate::formula::{Draft, draft};
use crate::shelf::{Entry, Shelves};
use crate::solve::{self, GaveUp, Outcome};
use crate::state::State;
use crate::stay::stays;
use crate::{
    Approval, End, Failure, Forecast, Hindrance, Install, Namespace, Origin, Pass, Purpose,
    Refusal, Silence, Source, Subscription,
};

/// The most passes that are followed.
const MOST_PASSES: usize = 100;

/// Tells what OLM will do in a namespace.
///
/// The sources are all that are known; what the namespace does not see of them is left out here.
/// `global` is the namespace of the catalogs that all namespaces see.
///
/// # Assumptions
///
/// Whatever OLM installs succeeds, plans that need no approval are carried out, what is replaced
/// is gone before the next pass, and catalogs stay as they are.
///
/// # Guarantees
///
/// The same input has the same answer, in whatever order its parts come.
pub fn forecast<'a>(namespace: &'a Namespace, sources: &'a [Source<'a>], global: &str) -> Forecast {
    let ended = |end| Forecast {
        passes: Vec::new(),
        end,
    };
    if namespace.subscriptions.is_empty() {
        return ended(End::Silent(Silence::NoSubscription));
    }
    let [group] = namespace.operator_groups.as_slice() else {
        let found = namespace.operator_groups.len();
        return ended(End::Silent(Silence::OperatorGroups { found }));
    };
    let sees = |name: &CatalogName| match name.namespace() {
        Some(place) if place == namespace.name => true,
        place => place == Some(global) && !group.excludes_global_catalogs,
    };
    let seen = sources.iter().filter(|source| sees(&source.name));
    let mut seen: Vec<_> = seen.collect();
    seen.sort_by(|left, right| left.name.cmp(&right.name));
    Walk {
        sources: &seen,
        all: sources,
        patience: solve::PATIENCE,
        most: MOST_PASSES,
    }
    .run(State::of(namespace, *group))
}

/// What stays the same in all passes.
#[derive(Debug)]
pub(crate) struct Walk<'w, 'a> {
    pub(crate) sources: &'w [&'a Source<'a>],
    /// Those as well that the namespace does not see.
    pub(crate) all: &'a [Source<'a>],
    pub(crate) patience: u64,
    pub(crate) most: usize,
}

/// What a resolution comes to.
enum Step<'a> {
    Next(Vec<(Install, Entry<'a>)>),
    Last(End),
}

// === impl Walk ===

impl<'a> Walk<'_, 'a> {
    pub(crate) fn run(&self, mut state: State<'a>) -> Forecast {
        let mut passes: Vec<Pass> = Vec::new();
        let mut prints = vec![state.print()];
        let end = loop {
            if passes.len() == self.most {
                break End::Endless;
            }
            let installs = match self.step(&state) {
                Step::Next(installs) => installs,
                Step::Last(end) => break end,
            };
            for (install, entry) in &installs {
                state.install(install, entry);
            }
            let installs = installs.into_iter().map(|(install, _)| install);
            passes.push(Pass {
                installs: installs.collect(),
            });
            let manual = state.subscriptions.iter();
            let manual = manual.filter(|each| each.approval == Approval::Manual);
            let manual: Vec<_> = manual.map(|each| each.name.clone()).collect();
            if !manual.is_empty() {
                break End::AwaitsApproval { manual };
            }
            let print = state.print();
            if let Some(from) = prints.iter().position(|known| *known == print) {
                break End::Circles { from };
            }
            prints.push(print);
        };
        Forecast { passes, end }
    }

    fn step(&self, state: &State<'a>) -> Step<'a> {
        let waiting = state.subscriptions.iter().filter(|each| state.waits(each));
        let waiting: Vec<_> = waiting.map(|each| each.name.clone()).collect();
        if waiting.len() == state.subscriptions.len() {
            return Step::Last(End::AwaitsPlans {
                subscriptions: waiting,
            });
        }
        let shelves = Shelves::of(state, self.sources);
        let draft = match draft(&shelves, &state.subscriptions, self.broken()) {
            Ok(draft) => draft,
            Err(hindrances) => {
                let refusal = Refusal::Errors(hindrances);
                return Step::Last(self.failed(refusal, state, &shelves));
            }
        };
        let chosen = match solve::solve(&draft.formula, self.patience) {
            Err(GaveUp) => {
                let steps = self.patience;
                return Step::Last(End::GaveUp { steps });
            }
            Ok(Outcome::Unsatisfiable(reasons)) => {
                let refusal = Refusal::Unsatisfiable(reasons);
                return Step::Last(self.failed(refusal, state, &shelves));
            }
            Ok(Outcome::Chosen(chosen)) => chosen,
        };
        let installs = self.installs(&chosen, &draft, &shelves, state);
        if installs.is_empty() {
            return Step::Last(End::Settled(stays(&draft, &shelves, state, self.patience)));
        }
        Step::Next(installs)
    }

    /// The catalogs that cannot be asked. They fail the namespace, whoever uses them.
    fn broken(&self) -> Vec<Hindrance> {
        let broken = self.sources.iter().filter_map(|source| {
            let why = source.content.as_ref().err()?.clone();
            let name = source.name.clone();
            Some(Hindrance::Catalog { name, why })
        });
        broken.collect()
    }

    fn failed(&self, refusal: Refusal, state: &State<'a>, shelves: &Shelves<'a>) -> End {
        let blames = blames(&refusal, state, shelves, self.all);
        End::Failed(Failure { refusal, blames })
    }

    /// The plan for what was chosen. There is none unless a Subscription decides on something new:
    /// what only other operators need is not installed by itself.
    fn installs(
        &self,
        chosen: &BTreeSet<usize>,
        draft: &Draft,
        shelves: &Shelves<'a>,
        state: &State<'a>,
    ) -> Vec<(Install, Entry<'a>)> {
        let bundles = draft.bundles.iter().filter(|(_, var)| chosen.contains(var));
        let mut entries: Vec<_> = bundles.map(|(at, _)| shelves.entries[*at]).collect();
        entries.sort_by_cached_key(|entry| shelves.id(entry).to_string());
        let mut is_decided = false;
        let mut installs = Vec::new();
        for entry in entries {
            let Origin::Offered { catalog, channel } = shelves.id(&entry).origin else {
                continue;
            };
            let Some((package, version)) = entry.package().zip(entry.candidate.version) else {
                continue;
            };
            let followers = state.subscriptions.iter().filter(|each| {
                each.package == *package
                    && each
                        .channel
                        .as_ref()
                        .is_none_or(|wanted| *wanted == channel)
                    && each.catalog == catalog
            });
            let followers: Vec<_> = followers.collect();
            let decides = |each: &&Subscription| each.current_csv.as_ref() != Some(entry.name);
            is_decided |= followers.iter().any(decides);
            let is_done = !followers.is_empty()
                && !followers.iter().any(decides)
                && state.is_there(entry.name);
            if is_done {
                continue;
            }
            let replaced = draft.replaced.get(&entry.at).or(entry.replaces);
            let install = Install {
                bundle: entry.name.clone(),
                version: version.clone(),
                package: package.clone(),
                purpose: purpose(&followers, package, &channel, &catalog),
                channel,
                catalog,
                replaces: replaced.cloned(),
            };
            installs.push((install, entry));
        }
        if is_decided { installs } else { Vec::new() }
    }
}

fn purpose(
    followers: &[&Subscription],
    package: &PackageName,
    channel: &ChannelName,
    catalog: &CatalogName,
) -> Purpose {
    if followers.is_empty() {
        let namespace = catalog.namespace().unwrap_or_default();
        let catalog = catalog.object();
        return Purpose::Needed {
            subscription: format!("{package}-{channel}-{catalog}-{namespace}"),
        };
    }
    let names = followers.iter().map(|each| each.name.clone());
    Purpose::Subscribed(names.collect())
}
