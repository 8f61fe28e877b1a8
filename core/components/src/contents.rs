//! Which bundles the Install of an Operator is to have, by what those say who know the catalogs.
//!
//! Nothing is installed yet: the bundle, and all that it requires and nobody has, are one content. Later the first
//! step of the route of all Operators that bear on one another is the next content: all moves that no part of
//! could be made alone. What another Operator has to move for it moves at the same time, in its own Install.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::components::Reason;
use portolan_core_names::text::some;

use crate::fleet::{Fleet, Member, Resident};
use crate::source::{Bundle, Move, Record};

/// The most names of a sentence.
const NAMED: usize = 6;

/// Something that is asked of those who know the catalogs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// What a catalog says of a bundle.
    Bundle {
        catalog: String,
        /// Empty where the name of the bundle says it.
        package: String,
        name: String,
    },
    /// Which bundles grant a wish.
    Resolve {
        wish: Wish,
        installed: BTreeSet<Resident>,
    },
    /// Which steps lead all of these on.
    Route {
        operators: Vec<Traveler>,
        others: BTreeSet<Resident>,
    },
}

/// A package that is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wish {
    pub catalog: String,
    pub package: String,
    /// Empty for any.
    pub channel: String,
    /// Empty for any.
    pub version: String,
}

/// An operator that may move.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Traveler {
    pub catalog: String,
    pub package: String,
    /// Empty for any.
    pub channel: String,
    /// None if it is to be installed.
    pub installed: Option<Resident>,
    pub stays: bool,
}

/// What is said to such a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Bundle(Bundle),
    /// The bundles that are to come, the wished one first; without images.
    Resolved(Vec<Bundle>),
    Routes(Vec<Route>),
    /// There is nothing of that, and why.
    No(String),
    /// Nobody answers, and why.
    Unknown(String),
}

/// The way of some operators that bear on one another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// The packages of all of them.
    pub packages: BTreeSet<String>,
    /// What is done first, all of it together.
    pub first: Vec<Bundle>,
    /// Of each package that does not get where it could: why, and whether it only lacks what could be installed.
    pub blocked: BTreeMap<String, (String, bool)>,
}

/// What is known.
pub type Knowledge = BTreeMap<Ask, Said>;

/// What comes of it for one Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its Install has these, or is to have them.
    Content {
        record: Record,
        /// Why it does not go on, if it could.
        why: Option<String>,
    },
    Refused(Reason, String),
}

/// Why nothing is said yet.
pub(crate) enum Halt {
    Ask(Ask),
    Say(Outcome),
}

/// One Operator among all.
struct Case<'f> {
    /// All of them, this one as it was read last.
    fleet: Fleet,
    name: &'f str,
    member: &'f Member,
    knowledge: &'f Knowledge,
}

/// What the Install of an Operator is to have, or what is to be asked first.
pub(crate) fn outcome(
    fleet: &Fleet,
    name: &str,
    member: &Member,
    knowledge: &Knowledge,
) -> Result<Outcome, Ask> {
    let mut fleet = fleet.clone();
    fleet.members.insert(name.to_owned(), member.clone());
    let case = Case {
        fleet,
        name,
        member,
        knowledge,
    };
    match case.outcome() {
        Ok(outcome) | Err(Halt::Say(outcome)) => Ok(outcome),
        Err(Halt::Ask(ask)) => Err(ask),
    }
}

fn refused<T>(reason: Reason, sentence: String) -> Result<T, Halt> {
    Err(Halt::Say(Outcome::Refused(reason, sentence)))
}

// === impl Case ===

impl Case<'_> {
    fn outcome(&self) -> Result<Outcome, Halt> {
        let Some(held) = &self.member.held else {
            return self.begun();
        };
        let Some(record) = &held.record else {
            let sentence = format!(
                "the content of Install {} was written by somebody else; delete the Install, and it is made \
                 again",
                self.name
            );
            return refused(Reason::ContentChanged, sentence);
        };
        if !record
            .bundles
            .first()
            .is_some_and(|first| self.member.fits(first))
        {
            return self.begun();
        }
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
        if !held.is_settled {
            return Ok(stays(Some("what it has is not installed yet".to_owned())));
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

    fn said(&self, ask: Ask) -> Result<&Said, Halt> {
        match self.knowledge.get(&ask) {
            None => Err(Halt::Ask(ask)),
            Some(Said::Unknown(why)) => refused(Reason::CatalogUnknown, why.clone()),
            Some(said) => Ok(said),
        }
    }

    fn bundle(&self, catalog: &str, package: &str, name: &str) -> Result<Bundle, Halt> {
        let said = self.said(Ask::Bundle {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            name: name.to_owned(),
        })?;
        match said {
            Said::Bundle(bundle) => Ok(bundle.clone()),
            other => unresolvable(other),
        }
    }

    /// The first content.
    fn begun(&self) -> Result<Outcome, Halt> {
        let source = &self.member.source;
        let entrypoint = (!source.entrypoint.is_empty())
            .then(|| self.bundle(&source.catalog, &source.package, &source.entrypoint))
            .transpose()?;
        let entrypoint = entrypoint.unwrap_or_default();
        let package = match source.package.as_str() {
            "" => &entrypoint.package,
            package => package,
        };
        self.free(package)?;
        let ask = Ask::Resolve {
            wish: Wish {
                catalog: source.catalog.clone(),
                package: package.to_owned(),
                channel: source.channel.clone(),
                version: entrypoint.version.clone(),
            },
            installed: self.fleet.residents_beside(self.name),
        };
        let bundles = match self.said(ask)? {
            Said::Resolved(bundles) => bundles,
            other => return unresolvable(other),
        };
        let is_first = |it: &Bundle| source.entrypoint.is_empty() || it.name == source.entrypoint;
        if !bundles.first().is_some_and(is_first) {
            let sentence = format!(
                "catalog {} does not let {} be the first bundle: is it in channel {}?",
                source.catalog, source.entrypoint, source.channel
            );
            return refused(Reason::Unresolvable, sentence);
        }
        self.of_catalog(bundles)?;
        self.content(bundles.clone(), BTreeSet::new())
    }

    /// Whether nobody has the package already.
    fn free(&self, package: &str) -> Result<(), Halt> {
        if let Some(other) = self.fleet.taker(self.name, package) {
            let sentence =
                format!("Operator {other} installs package {package}; a cluster has one of it");
            return refused(Reason::PackageTaken, sentence);
        }
        let mut present = self.fleet.present.iter();
        let by = match present.find(|it| it.package == package) {
            Some(it) => format!("ClusterServiceVersion {} is there", it.name),
            None if self.fleet.subscribed.contains(package) => {
                "a Subscription follows it".to_owned()
            }
            None => return Ok(()),
        };
        let sentence = format!("OLM installs package {package}: {by}");
        refused(Reason::InstalledByOLM, sentence)
    }

    /// Whether all of these are of the catalog that the author may install from.
    fn of_catalog(&self, bundles: &[Bundle]) -> Result<(), Halt> {
        let catalog = &self.member.source.catalog;
        let others = bundles.iter().filter(|it| it.catalog != *catalog);
        let others: Vec<_> = others
            .map(|it| format!("{} of catalog {}", it.name, it.catalog))
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let sentence = format!(
            "it requires {}; write an Operator for each, whose author may install from that catalog",
            some(NAMED, &others)
        );
        refused(Reason::Unresolvable, sentence)
    }

    /// The bundles with their images.
    fn content(&self, bundles: Vec<Bundle>, moves: BTreeSet<Move>) -> Result<Outcome, Halt> {
        let mut whole = Vec::new();
        for bundle in bundles {
            if !bundle.image.is_empty() {
                whole.push(bundle);
                continue;
            }
            let told = self.bundle(&bundle.catalog, &bundle.package, &bundle.name)?;
            if told.image.is_empty() {
                let sentence = format!(
                    "catalog {} has the manifests of {} and no image of it; Installs take images",
                    bundle.catalog, bundle.name
                );
                return refused(Reason::Unresolvable, sentence);
            }
            whole.push(Bundle {
                channel: bundle.channel,
                ..told
            });
        }
        Ok(Outcome::Content {
            record: Record {
                bundles: whole,
                moves,
            },
            why: None,
        })
    }

    // --- updates ---

    /// The routes of all that are installed from catalogs, and of these that are to come.
    fn routes(&self, more: &BTreeSet<Bundle>) -> Result<Vec<Route>, Halt> {
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
        match self.said(Ask::Route { operators, others })? {
            Said::Routes(routes) => Ok(routes.clone()),
            other => unresolvable(other),
        }
    }

    /// The moves that are made next, if some of them are its own; or why they are not made yet.
    fn first<'r>(
        &self,
        routes: &'r [Route],
        record: &Record,
    ) -> Result<Option<&'r [Bundle]>, String> {
        let is_own = |route: &&Route| {
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
            "Operator {} is not installed yet, which bears on it",
            some(NAMED, &waits)
        ))
    }

    /// The moves of its own that another Operator has begun.
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

    /// What it requires next and nobody has, where that is all that it lacks.
    fn lacking(&self, routes: &[Route], record: &Record) -> Result<Option<BTreeSet<Bundle>>, Halt> {
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
            wish: Wish {
                catalog: source.catalog.clone(),
                package: first.package.clone(),
                channel: source.channel.clone(),
                version: String::new(),
            },
            installed,
        };
        let Said::Resolved(bundles) = self.said(ask)? else {
            return Ok(None);
        };
        let is_new = |it: &&Bundle| record.bundles.iter().all(|own| own.package != it.package);
        let more: BTreeSet<_> = bundles.iter().filter(is_new).cloned().collect();
        let is_own = more.iter().all(|it| it.catalog == source.catalog);
        Ok(Some(more).filter(|more| is_own && !more.is_empty()))
    }

    /// The next content where something is to come that nobody has.
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

    /// What it has after these moves, of which some are of others.
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

    /// The catalog of a bundle: of the first one that which its author names now.
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

    /// The moves of all Installs that are made together.
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
        // One alone is nobody else's.
        if moves.len() > 1 {
            moves
        } else {
            BTreeSet::new()
        }
    }
}

impl Member {
    /// One of its bundles, as one that may move.
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

/// Why something of it does not get where it could.
fn blocked(routes: &[Route], record: &Record) -> Option<String> {
    let own = record.bundles.iter().map(|it| &it.package);
    let mut blocked =
        own.filter_map(|package| routes.iter().find_map(|it| it.blocked.get(package)));
    blocked.next().map(|(why, _)| why.clone())
}

fn unresolvable<T>(said: &Said) -> Result<T, Halt> {
    let why = match said {
        Said::No(why) | Said::Unknown(why) => why.clone(),
        Said::Bundle(_) | Said::Resolved(_) | Said::Routes(_) => {
            "the catalogs say something else than was asked".to_owned()
        }
    };
    refused(Reason::Unresolvable, why)
}
