//! Adds operators that are missing and that other operators require.

use std::collections::BTreeSet;

use portolan_core_names::text::listed;
use portolan_core_names::{Version, VersionRange};

use crate::Target;
use crate::generate::Diagnostics;
use crate::input::Inputs;
use crate::knowledge::{
    Knowledge, PackageWish, RequestConflict, Resolution, ResolveQuestion, Solved, SolvedOperator,
    Stop,
};
use crate::members::{Goal, Members, OperatorMember};
use crate::sweep::Needs;

/// The error message if the resolver gives up the search, because it takes too long.
const GAVE_UP: &str = "the search for the requirements of these operators took too long; request \
                       fewer operators at once";

/// Searches for the operators that requested operators require.
pub(crate) struct Search<'s> {
    pub(crate) inputs: &'s Inputs,
    pub(crate) knowledge: &'s Knowledge,
    /// The Kubernetes version that all operators must support. None if unknown.
    pub(crate) kubernetes: Option<&'s Version>,
    /// The packages that the request deletes.
    pub(crate) deleted: &'s BTreeSet<String>,
    /// True if a manifest lists all desired operators, so that all other operators are deleted.
    pub(crate) is_whole: bool,
}

/// The versions for which the resolver is queried: the best version of each operator, or any
/// version that its request accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    Best,
    Any,
}

impl Search<'_> {
    /// Adds the missing operators that the goals require. An operator that was added only as a
    /// requirement may change its version if another operator requires this.
    pub(crate) fn add(&self, members: &mut Members, told: &mut Diagnostics) -> Result<(), Stop> {
        let mut loose = BTreeSet::new();
        loop {
            let question = question(members, &loose, Aim::Best);
            if question.wishes.is_empty() {
                return Ok(());
            }
            let conflict = match self.knowledge.resolution(&question)? {
                Resolution::Solved(solved) => {
                    return self.take(members, solved, &loose, Aim::Best, told);
                }
                Resolution::Refused(conflict) => conflict,
                Resolution::GaveUp => return Err(Stop::error(GAVE_UP)),
            };
            let is_looser =
                self.loosen(members, &mut loose, conflict)? || self.let_go(members, &mut loose);
            if !is_looser {
                return self.settle_for_less(members, conflict, &loose, told);
            }
        }
    }

    /// Allows the operators in a conflict to change their version. Returns true if at least one
    /// operator may change now. A pinned operator keeps its version, unless it was added only as a
    /// requirement.
    fn loosen(
        &self,
        members: &mut Members,
        loose: &mut BTreeSet<String>,
        conflict: &RequestConflict,
    ) -> Result<bool, Stop> {
        let mut is_any = false;
        for package in &conflict.staying {
            let Some(member) = members.all.get(package) else {
                continue;
            };
            let may_move = member.written_range().is_some()
                || (self.is_whole && member.wish.is_none())
                || (member.is_pinned_by_nobody() && self.is_used(members, package)?);
            if may_move {
                is_any |= loose.insert(package.clone());
            }
        }
        Ok(is_any)
    }

    /// Removes the operators in a conflict that the manifest does not name. Returns true if at
    /// least one operator was removed. Does nothing without a manifest.
    fn let_go(&self, members: &mut Members, loose: &mut BTreeSet<String>) -> bool {
        let before = members.all.len();
        if self.is_whole {
            let is_named = |member: &OperatorMember| member.wish.is_some();
            members
                .all
                .retain(|package, member| is_named(member) || !loose.contains(package));
            loose.retain(|package| members.all.contains_key(package));
        }
        members.all.len() < before
    }

    /// Returns true if another operator needs this operator, in the current versions.
    fn is_used(&self, members: &Members, package: &str) -> Result<bool, Stop> {
        let current = |member: &OperatorMember| member.current().cloned();
        let needs = Needs::of(&members.all, current, self.knowledge)?;
        let users = needs.users(package);
        Ok(users.iter().any(|user| members.all.contains_key(*user)))
    }

    /// Chooses lower versions than the best versions, if the requests accept them. Reports the
    /// lower versions.
    ///
    /// # Errors
    ///
    /// Returns the conflict if there is no such choice.
    fn settle_for_less(
        &self,
        members: &mut Members,
        conflict: &RequestConflict,
        loose: &BTreeSet<String>,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let question = question(members, loose, Aim::Any);
        let best = members.clone();
        if is_any_flexible(members)
            && let Resolution::Solved(solved) = self.knowledge.resolution(&question)?
        {
            self.take(members, solved, loose, Aim::Any, told)?;
            report_lower_versions(&best, members, &conflict.text, told);
            return Ok(());
        }
        Err(Stop::error(in_the_way(members, conflict)))
    }

    fn take(
        &self,
        members: &mut Members,
        solved: &Solved,
        loose: &BTreeSet<String>,
        aim: Aim,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        for operator in &solved.operators {
            let Ok(version) = Version::parse(&operator.version) else {
                continue;
            };
            let package = &operator.package;
            match members.all.get_mut(package) {
                Some(member) if loose.contains(package) => {
                    if member.current() != Some(&version) {
                        told.notes.push(format!(
                            "{} changes to {version}, because other operators require this version",
                            member.name
                        ));
                    }
                    member.goal = Goal::Version(version);
                }
                Some(member) if aim == Aim::Any && is_flexible(member) => {
                    member.goal = Goal::Version(version);
                }
                Some(_) => {}
                None => self.added(members, operator, version, solved, told)?,
            }
        }
        members.find_catalogs(self.inputs, self.knowledge)
    }

    fn added(
        &self,
        members: &mut Members,
        operator: &SolvedOperator,
        version: Version,
        solved: &Solved,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let package = &operator.package;
        let mut others = solved.operators.iter().flat_map(|other| {
            let needs = other.needs.iter().filter(|_| other.package != *package);
            needs.map(move |need| (other, need))
        });
        let required = others.find(|(_, need)| need.by == operator.bundle);
        let (by, text) = match required {
            Some((other, need)) => (other.bundle.as_str(), need.text.as_str()),
            None => ("another operator", "it"),
        };
        if self.deleted.contains(package) {
            return Err(Stop::error(format!(
                "{package} cannot be deleted: {by} requires {text}; delete {by} as well, or keep \
                 {package}"
            )));
        }
        if let Some((_, need)) = required
            && let Some(api) = &need.api
        {
            let providers = self.knowledge.providers(api)?;
            let others = providers.iter().filter(|other| *other != package);
            let others: Vec<_> = others.collect();
            if !others.is_empty() {
                told.warnings.push(format!(
                    "{by} requires {text}, which several packages provide: {package} is selected, \
                     not {}; to select another package, request this package by name",
                    listed(others)
                ));
            }
        }
        told.notes.push(format!(
            "{package} {version} is added, as {by} requires {text}"
        ));
        let mut operators = self.inputs.operators.values();
        let existing = operators.find(|one| one.intent.package.as_str() == package);
        let mut member = match existing {
            // The input contains an Operator for this package, but an earlier step removed it.
            Some(existing) => OperatorMember::existing(existing),
            None => OperatorMember::new(package).map_err(Stop::error)?,
        };
        member.goal = Goal::Version(version);
        member.added_for = Some(by.to_owned());
        members.add(member)
    }

    /// Adds the operators that only intermediate versions of this operator require. Returns true if
    /// at least one operator was added.
    pub(crate) fn add_on_the_way(
        &self,
        members: &mut Members,
        package: &str,
        versions: &[Version],
        told: &mut Diagnostics,
    ) -> Result<bool, Stop> {
        let before = members.all.len();
        for version in versions {
            let question = on_the_way(members, package, version);
            let Some(question) = question else {
                continue;
            };
            if let Resolution::Solved(solved) = self.knowledge.resolution(&question)? {
                self.take(members, solved, &BTreeSet::new(), Aim::Best, told)?;
            }
        }
        Ok(members.all.len() > before)
    }
}

/// Reports each operator that gets a lower version than the best version, with the reason.
pub(crate) fn report_lower_versions(
    best: &Members,
    members: &Members,
    why: &str,
    told: &mut Diagnostics,
) {
    let mut lower = Vec::new();
    for member in members.in_order().filter(|member| is_flexible(member)) {
        let before = best.all.get(&member.package).map(|member| &member.goal);
        if let (Goal::Version(got), Some(Goal::Version(best))) = (&member.goal, before)
            && got != best
        {
            let goes = if member.current() == Some(got) {
                "stays at"
            } else {
                "goes to"
            };
            lower.push(format!("{} {goes} {got}, not {best}", member.name));
        }
    }
    if !lower.is_empty() {
        told.warnings.push(format!("{}: {why}", listed(lower)));
    }
}

/// Returns true if the request also accepts lower versions than the best version.
pub(crate) fn is_flexible(member: &OperatorMember) -> bool {
    member.wish.as_ref().is_some_and(Target::is_flexible)
}

pub(crate) fn is_any_flexible(members: &Members) -> bool {
    members.all.values().any(is_flexible)
}

/// Returns the text of the conflict, with a hint about existing operators that cannot change.
fn in_the_way(members: &Members, conflict: &RequestConflict) -> String {
    let staying = conflict.staying.iter();
    let staying = staying.filter_map(|package| members.all.get(package));
    let names: Vec<_> = staying.map(|member| member.name.as_str()).collect();
    if names.is_empty() {
        return conflict.text.clone();
    }
    let they = if names.len() == 1 { "it" } else { "they" };
    format!(
        "{}\nhelp: request {} as well, so that {they} can change",
        conflict.text,
        listed(names)
    )
}

/// Returns the query for a set of operators that meets the goals of all members. The operators in
/// `loose` may change their version.
fn question(members: &Members, loose: &BTreeSet<String>, aim: Aim) -> ResolveQuestion {
    let mut question = ResolveQuestion::default();
    for member in members.in_order().filter(|member| !member.is_unsolved()) {
        if !is_free(member) {
            question.installed.extend(member.installation());
        }
        let range = match &member.goal {
            _ if loose.contains(&member.package) => Some(range_of_loose(member)),
            Goal::Stay => None,
            Goal::Version(_) if aim == Aim::Any && is_flexible(member) => {
                let wish = member.wish.as_ref();
                let range = wish.and_then(|wish| wish.range_from(member.current()));
                Some(range.as_ref().map(ToString::to_string).unwrap_or_default())
            }
            Goal::Version(version) => Some(version.to_string()),
            Goal::Open(range) => Some(range.as_ref().map(ToString::to_string).unwrap_or_default()),
        };
        if let Some((range, catalog)) = range.zip(member.catalog.clone()) {
            question.wishes.push(PackageWish {
                package: member.package.clone(),
                range,
                catalog,
            });
        }
    }
    question
}

/// Returns true if the query may treat an installed operator as not installed. For an installed
/// operator, the resolver does not check the requirements, and allows only upgrades along edges.
fn is_free(member: &OperatorMember) -> bool {
    let is_there = match &member.goal {
        Goal::Version(version) => member.current() == Some(version),
        Goal::Stay | Goal::Open(_) => false,
    };
    let may_go_anywhere = member.allows_leaps() || member.allows_downgrades();
    member.wish.is_some() && (is_there || may_go_anywhere)
}

fn range_of_loose(member: &OperatorMember) -> String {
    match member.written_range() {
        Some(range) => range.to_string(),
        None => {
            let range = Target::Latest.range_from(member.current());
            range
                .as_ref()
                .map(VersionRange::to_string)
                .unwrap_or_default()
        }
    }
}

/// Returns the query for the requirements of an intermediate version. Returns None if the catalog
/// of the package is unknown.
fn on_the_way(members: &Members, package: &str, version: &Version) -> Option<ResolveQuestion> {
    let others = members.all.values().filter(|one| one.package != package);
    let mut installed: Vec<_> = others.filter_map(OperatorMember::installation).collect();
    installed.sort();
    let member = members.all.get(package)?;
    let wish = |member: &OperatorMember, version: &Version| {
        Some(PackageWish {
            package: member.package.clone(),
            range: version.to_string(),
            catalog: member.catalog.clone()?,
        })
    };
    let added = members.all.values().filter(|one| one.current().is_none());
    let added = added.filter_map(|one| match &one.goal {
        Goal::Version(version) => wish(one, version),
        Goal::Stay | Goal::Open(_) => None,
    });
    Some(ResolveQuestion {
        wishes: std::iter::once(wish(member, version)?)
            .chain(added)
            .collect(),
        installed,
        is_each: false,
    })
}
