//! Solves one request in a large catalog by trying every relevant choice.
//!
//! The search tries the bundles of the request in their order of preference, and chooses the first
//! bundle whose requirements can all be satisfied. Starting with this bundle, the search tries
//! every choice for one requirement after the other. It ignores bundles that no requirement needs,
//! because they would only make a solution worse. A branch ends when it is worse than the best
//! solution so far, because additional operators never reduce a count.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use portolan_core_catalog::Requirement;
use portolan_core_names::{BundleName, ChannelName, PackageName, Version};

use crate::board::{Operator, Place, candidates, worth};
use crate::world::Offer;

/// The maximum number of operators to try for one request. Real requests need far fewer.
const MOST: u32 = 200_000;

pub(super) struct Alone<'a> {
    offer: &'a Offer,
    operators: Vec<Operator<'a>>,
    /// The bundles that satisfy a requirement, by the text of the requirement.
    met_by: RefCell<BTreeMap<String, Rc<[usize]>>>,
    tried: Cell<u32>,
}

/// The result of the search.
#[derive(Debug)]
pub(super) enum Found<'a> {
    Best(BTreeSet<(Option<&'a PackageName>, &'a BundleName)>),
    Nothing,
}

/// The objective for the extras of a single catalog. It contains the counts, and the extras with
/// the last extra first.
type Merit = ([usize; 4], Vec<usize>);

// === impl Alone ===

impl<'a> Alone<'a> {
    pub(super) fn of(offer: &'a Offer) -> Self {
        Self {
            offer,
            operators: candidates(&[offer]),
            met_by: RefCell::default(),
            tried: Cell::new(0),
        }
    }

    pub(super) fn best(&self, package: &PackageName, channel: &ChannelName) -> Found<'a> {
        self.tried.set(0);
        for pick in self.picks(package, channel) {
            if self.operators[pick].is_prohibited {
                continue;
            }
            let mut best = None;
            self.walk(&mut vec![pick], &mut best);
            if let Some((_, extras)) = best {
                let names = extras.into_iter().chain([pick]).map(|at| {
                    let operator = &self.operators[at];
                    (operator.package, operator.name)
                });
                return Found::Best(names.collect());
            }
        }
        Found::Nothing
    }

    /// Returns the bundles that the request permits, best first.
    fn picks(&self, package: &PackageName, channel: &ChannelName) -> Vec<usize> {
        let content = &self.offer.catalog.packages[package];
        let operators = self.operators.iter().enumerate();
        let of_package = operators.filter(|(_, one)| one.package == Some(package));
        let placed = of_package.filter_map(|(at, one)| {
            let place = Place::of(content, one.name, channel)?;
            let is_release = !one.version.is_some_and(Version::is_prerelease);
            (is_release || !place.is_behind).then_some((place, at))
        });
        let mut placed: Vec<_> = placed.collect();
        placed.sort_by(|(one, left), (other, right)| {
            let worths = (
                worth(&self.operators[*left]),
                worth(&self.operators[*right]),
            );
            (one, worths.0).cmp(&(other, worths.1))
        });
        placed.into_iter().map(|(_, at)| at).collect()
    }

    fn walk(&self, chosen: &mut Vec<usize>, best: &mut Option<Merit>) {
        self.tried.set(self.tried.get() + 1);
        let merit = self.merit(chosen);
        assert!(
            self.tried.get() < MOST,
            "there is too much to try: {chosen:?}"
        );
        if best.as_ref().is_some_and(|(counts, _)| merit.0 > *counts) {
            return;
        }
        let Some(wanted) = self.unmet(chosen) else {
            if best.as_ref().is_none_or(|least| merit < *least) {
                *best = Some(merit);
            }
            return;
        };
        for at in wanted.iter() {
            if self.fits(chosen, *at) {
                chosen.push(*at);
                self.walk(chosen, best);
                chosen.pop();
            }
        }
    }

    fn merit(&self, chosen: &[usize]) -> Merit {
        let mut extras = chosen[1..].to_vec();
        extras.sort_unstable_by(|one, other| other.cmp(one));
        let counted = |counts: &dyn Fn(&Place) -> bool| {
            let places = extras
                .iter()
                .filter_map(|at| self.operators[*at].offer.as_ref());
            places.filter(|(_, place)| counts(place)).count()
        };
        let deprecated = extras
            .iter()
            .filter(|at| self.operators[**at].deprecation.is_some());
        let counts = [
            counted(&|place| place.is_elsewhere),
            counted(&|place| place.is_behind),
            deprecated.count(),
            extras.len(),
        ];
        (counts, extras)
    }

    /// Returns the candidates for the first unsatisfied requirement. Returns None if all
    /// requirements are satisfied.
    fn unmet(&self, chosen: &[usize]) -> Option<Rc<[usize]>> {
        let requirements = chosen
            .iter()
            .flat_map(|at| self.operators[*at].requires.each());
        let mut wanted = requirements.map(|requirement| self.met_by(requirement));
        wanted.find(|wanted| !chosen.iter().any(|at| wanted.contains(at)))
    }

    fn met_by(&self, requirement: Requirement<'_>) -> Rc<[usize]> {
        let mut known = self.met_by.borrow_mut();
        let met_by = known.entry(format!("{requirement:?}")).or_insert_with(|| {
            let operators = self.operators.iter().enumerate();
            let meeting = operators.filter(|(_, one)| requirement.is_met_by(&one.offered()));
            meeting.map(|(at, _)| at).collect()
        });
        Rc::clone(met_by)
    }

    fn fits(&self, chosen: &[usize], at: usize) -> bool {
        let operator = &self.operators[at];
        let mut others = chosen.iter().map(|at| &self.operators[*at]);
        !operator.is_prohibited && others.all(|other| operator.is_beside(other))
    }
}
