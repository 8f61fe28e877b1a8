//! Decides the next content of an Install. The routes of all Operators determine it.

use std::collections::BTreeSet;

use portolan_core_names::text::some;

use super::{
    Ask, Case, ContentAnswer, Halt, NAMED, Outcome, Traveler, UpdateRoute, WantedPackage,
    unresolvable,
};
use crate::fleet::{FleetOperator, Resident};
use crate::source::{Bundle, Move, Record};

impl Case<'_> {
    /// Returns the next content of the Install. If no update is possible now, returns the current
    /// content.
    pub(super) fn updated(&self, record: &Record, is_settled: bool) -> Result<Outcome, Halt> {
        let stays = |why: Option<String>| Outcome::Content {
            record: record.clone(),
            why,
        };
        if self.member.source.is_entrypoint_alone() {
            return Ok(stays(None));
        }
        if let Some(moves) = self.begun_elsewhere(record) {
            return self.moved(record, &moves, &[]);
        }
        if !is_settled {
            return Ok(stays(Some(
                "the content of the Install is not installed yet".to_owned(),
            )));
        }
        let routes = self.routes(&BTreeSet::new())?;
        let found = match self.first(&routes, record) {
            Ok(Some(first)) => return self.moved(record, first, &[]),
            Ok(None) => self.lacking(&routes, record)?,
            Err(why) => return Ok(stays(Some(why))),
        };
        match found {
            Some(more) => self.with_more(record, &more),
            None => Ok(stays(blocked(&routes, record))),
        }
    }

    /// Returns the routes of all operators that are installed from catalogs. The bundles in `more`
    /// count as operators that must be installed.
    fn routes(&self, more: &BTreeSet<Bundle>) -> Result<Vec<UpdateRoute>, Halt> {
        let mut operators = Vec::new();
        let mut others = self.fleet.present.clone();
        for (_, member, record) in self.fleet.holding() {
            if member.is_deleting {
                others.extend(record.bundles.iter().map(Resident::of));
                continue;
            }
            for traveler in record.bundles.iter().map(|it| member.traveler(it)) {
                let is_there = |it: &Traveler| it.package == traveler.package;
                if !operators.iter().any(is_there) {
                    operators.push(traveler);
                }
            }
        }
        operators.extend(more.iter().map(|bundle| Traveler {
            catalog: bundle.catalog.clone(),
            package: bundle.package.clone(),
            channel: bundle.channel.clone(),
            installed: None,
            stays: false,
        }));
        let said = self.answer(Ask::Route { operators, others })?;
        let ContentAnswer::Routes(routes) = said else {
            return unresolvable(said);
        };
        Ok(routes.clone())
    }

    /// Returns the moves of the next step. Returns None if the next step does not move this
    /// Operator.
    ///
    /// # Errors
    ///
    /// Returns the reason why the moves must wait.
    fn first<'r>(
        &self,
        routes: &'r [UpdateRoute],
        record: &Record,
    ) -> Result<Option<&'r [Bundle]>, String> {
        let is_own = |route: &&UpdateRoute| {
            let mut first = route.first.iter();
            first.any(|it| record.bundles.iter().any(|own| own.package == it.package))
        };
        let Some(route) = routes.iter().find(is_own) else {
            return Ok(None);
        };
        let waits = self.fleet.holding().filter(|(_, member, record)| {
            let mut bundles = record.bundles.iter();
            !member.is_settled() && bundles.any(|it| route.packages.contains(&it.package))
        });
        let waits: Vec<_> = waits.map(|(name, ..)| name).collect();
        if waits.is_empty() {
            return Ok(Some(&route.first));
        }
        Err(format!(
            "the update waits until Operator {} is installed, because both use the same packages",
            some(NAMED, &waits)
        ))
    }

    /// Returns the moves of this Operator in a step that another Operator has already begun.
    /// Returns None if there is no such step.
    fn begun_elsewhere(&self, record: &Record) -> Option<Vec<Bundle>> {
        let others = self.fleet.holding();
        let others = others.filter(|(name, member, _)| *name != self.name && !member.is_settled());
        let moves = others.flat_map(|(_, _, other)| other.moves.iter());
        let own = moves.filter_map(|it| {
            let mut bundles = record.bundles.iter();
            let own = bundles.find(|own| own.package == it.package && own.name == it.from)?;
            Some(Bundle {
                name: it.to.clone(),
                version: String::new(),
                image: String::new(),
                ..own.clone()
            })
        });
        let own: Vec<_> = own.collect();
        (!own.is_empty()).then_some(own)
    }

    /// Returns the missing bundles that this Operator needs before it can move. Returns None if
    /// missing bundles are not the reason why it cannot move.
    fn lacking(
        &self,
        routes: &[UpdateRoute],
        record: &Record,
    ) -> Result<Option<BTreeSet<Bundle>>, Halt> {
        let Some(first) = record.bundles.first() else {
            return Ok(None);
        };
        let mut blocked = routes
            .iter()
            .filter_map(|it| it.blocked.get(&first.package));
        if !blocked.any(|(_, is_lacking)| *is_lacking) {
            return Ok(None);
        }
        let source = &self.member.source;
        let mut installed = self.fleet.residents_beside(self.name);
        installed.extend(record.bundles.iter().map(Resident::of));
        let ask = Ask::Resolve {
            wish: WantedPackage {
                catalog: source.catalog.clone(),
                package: first.package.clone(),
                channel: source.channel.clone(),
                version: String::new(),
            },
            installed,
        };
        let ContentAnswer::Resolved(bundles) = self.answer(ask)? else {
            return Ok(None);
        };
        let is_new = |it: &&Bundle| record.bundles.iter().all(|own| own.package != it.package);
        let more: BTreeSet<_> = bundles.iter().filter(is_new).cloned().collect();
        let is_own = more.iter().all(|it| it.catalog == source.catalog);
        Ok(Some(more).filter(|more| is_own && !more.is_empty()))
    }

    /// Returns the next content if missing bundles must also be installed.
    fn with_more(&self, record: &Record, more: &BTreeSet<Bundle>) -> Result<Outcome, Halt> {
        let routes = self.routes(more)?;
        let come: Vec<_> = more.iter().cloned().collect();
        let wanted = Record {
            bundles: [&record.bundles[..], &come].concat(),
            moves: BTreeSet::new(),
        };
        match self.first(&routes, &wanted) {
            Ok(Some(first)) => self.moved(record, first, &come),
            Ok(None) => Ok(Outcome::Content {
                record: record.clone(),
                why: blocked(&routes, record),
            }),
            Err(why) => Ok(Outcome::Content {
                record: record.clone(),
                why: Some(why),
            }),
        }
    }

    /// Returns the content after these moves, with the bundles in `come` added. Moves of other
    /// Operators are only recorded.
    fn moved(&self, record: &Record, moves: &[Bundle], come: &[Bundle]) -> Result<Outcome, Halt> {
        let target = |package: &str| moves.iter().find(|it| it.package == package);
        let own = record.bundles.iter().map(|own| match target(&own.package) {
            None => own.clone(),
            Some(to) => Bundle {
                package: own.package.clone(),
                name: to.name.clone(),
                version: to.version.clone(),
                image: String::new(),
                catalog: self.catalog_of(own, record).to_owned(),
                channel: own.channel.clone(),
            },
        });
        let new = come.iter().filter_map(|it| {
            let to = target(&it.package)?;
            Some(Bundle {
                name: to.name.clone(),
                version: to.version.clone(),
                ..it.clone()
            })
        });
        let bundles = own.chain(new).collect();
        self.content(bundles, self.together(moves))
    }

    /// Returns the catalog from which a bundle is taken. For the first bundle, the spec of the
    /// Operator names the catalog.
    fn catalog_of<'b>(&'b self, bundle: &'b Bundle, record: &Record) -> &'b str {
        let is_first = record
            .bundles
            .first()
            .is_some_and(|it| it.package == bundle.package);
        if is_first {
            &self.member.source.catalog
        } else {
            &bundle.catalog
        }
    }

    /// Returns the moves that must be made together, including moves of other Installs.
    fn together(&self, moves: &[Bundle]) -> BTreeSet<Move> {
        let held = |package: &str| {
            let mut bundles = self.fleet.holding().flat_map(|(_, _, it)| &it.bundles);
            bundles.find(|it| it.package == package)
        };
        let moves = moves.iter().filter_map(|it| {
            Some(Move {
                package: it.package.clone(),
                from: held(&it.package)?.name.clone(),
                to: it.name.clone(),
            })
        });
        let moves: BTreeSet<_> = moves.collect();
        // A single move concerns only this Install, so it is not recorded.
        if moves.len() > 1 {
            moves
        } else {
            BTreeSet::new()
        }
    }
}

impl FleetOperator {
    /// Returns a bundle of this Operator in the form that a route query needs.
    fn traveler(&self, bundle: &Bundle) -> Traveler {
        let is_first = self.fits(bundle);
        let source = &self.source;
        let (catalog, channel) = if is_first {
            (&source.catalog, &source.channel)
        } else {
            (&bundle.catalog, &bundle.channel)
        };
        Traveler {
            catalog: catalog.clone(),
            package: bundle.package.clone(),
            channel: channel.clone(),
            installed: Some(Resident::of(bundle)),
            stays: source.is_entrypoint_alone(),
        }
    }
}

/// Returns the reason why a package of the Operator cannot reach its target. Returns None if all
/// packages can reach it.
fn blocked(routes: &[UpdateRoute], record: &Record) -> Option<String> {
    let own = record.bundles.iter().map(|it| &it.package);
    let mut blocked =
        own.filter_map(|package| routes.iter().find_map(|it| it.blocked.get(package)));
    blocked.next().map(|(why, _)| why.clone())
}
