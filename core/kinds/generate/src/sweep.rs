//! Removes operators that no other operator needs any more.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::Version;
use portolan_core_names::text::listed;

use crate::additions::Search;
use crate::generate::Diagnostics;
use crate::knowledge::{Knowledge, PackageWish, Resolution, ResolveQuestion, Stop};
use crate::members::{Members, OperatorMember};
use crate::request::Autoremove;

/// The packages that each package needs.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    of: BTreeMap<String, BTreeSet<String>>,
    /// The packages whose requirements are unknown.
    unknown: BTreeSet<String>,
}

impl Needs {
    /// Returns the dependencies between the operators. `version` returns the version of an operator
    /// for which they are computed.
    pub(crate) fn of(
        members: &BTreeMap<String, OperatorMember>,
        version: impl Fn(&OperatorMember) -> Option<Version> + Copy,
        knowledge: &Knowledge,
    ) -> Result<Self, Stop> {
        let mut needs = Self::default();
        let mut question = ResolveQuestion {
            is_each: true,
            ..ResolveQuestion::default()
        };
        for member in members.values() {
            match (version(member), member.catalog.clone()) {
                (Some(version), Some(catalog)) => question.wishes.push(PackageWish {
                    package: member.package.clone(),
                    range: version.to_string(),
                    catalog,
                }),
                (Some(_) | None, _) => {
                    needs.unknown.insert(member.package.clone());
                }
            }
        }
        if question.wishes.is_empty() {
            return Ok(needs);
        }
        let Resolution::Solved(solved) = knowledge.resolution(&question)? else {
            needs.unknown.extend(members.keys().cloned());
            return Ok(needs);
        };
        let refused = solved.refused.iter();
        let refused = refused.filter_map(|at| question.wishes.get(*at));
        needs
            .unknown
            .extend(refused.map(|wish| wish.package.clone()));
        needs.reported(members, version, knowledge)?;
        let packages = solved.operators.iter();
        let packages: BTreeMap<_, _> = packages.map(|one| (&one.bundle, &one.package)).collect();
        for operator in &solved.operators {
            let by = operator
                .needs
                .iter()
                .filter_map(|need| packages.get(&need.by));
            let by = by.filter(|package| **package != &operator.package);
            let by = by.map(|package| (*package).clone()).collect();
            needs.of.insert(operator.package.clone(), by);
        }
        Ok(needs)
    }

    /// If the catalogs no longer contain the bundle of an Operator, uses the requirements that its
    /// status lists.
    fn reported(
        &mut self,
        members: &BTreeMap<String, OperatorMember>,
        version: impl Fn(&OperatorMember) -> Option<Version>,
        knowledge: &Knowledge,
    ) -> Result<(), Stop> {
        for package in self.unknown.clone() {
            let Some(member) = members.get(&package) else {
                continue;
            };
            let stays = version(member).as_ref() == member.current();
            let requires = member
                .requires()
                .filter(|it| stays && it.constraints.is_empty());
            let Some(requires) = requires else {
                continue;
            };
            let mut needed: BTreeSet<_> = requires.packages.iter().map(|it| it.0.clone()).collect();
            for api in &requires.apis {
                needed.extend(knowledge.providers(api)?.iter().cloned());
            }
            needed.remove(&package);
            self.of.insert(package.clone(), needed);
            self.unknown.remove(&package);
        }
        Ok(())
    }

    /// Returns these packages, and all packages that they need directly or indirectly.
    fn closure(&self, roots: impl IntoIterator<Item = String>) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<String> = roots.into_iter().collect();
        while let Some(package) = open.pop() {
            if reached.insert(package.clone()) {
                open.extend(self.of.get(&package).into_iter().flatten().cloned());
            }
        }
        reached
    }

    pub(crate) fn users(&self, package: &str) -> Vec<&String> {
        let users = self.of.iter().filter(|(_, needs)| needs.contains(package));
        users.map(|(user, _)| user).collect()
    }
}

impl Search<'_> {
    /// Returns an error if a remaining operator needs an operator that the request deletes.
    pub(crate) fn refuse_deletions(
        &self,
        members: &Members,
        deleted: &BTreeMap<String, OperatorMember>,
    ) -> Result<(), Stop> {
        let mut all = members.all.clone();
        all.extend(deleted.clone());
        let needs = Needs::of(&all, OperatorMember::last, self.knowledge)?;
        let mut errors = Vec::new();
        for member in deleted.values() {
            let users = needs.users(&member.package).into_iter();
            let users = users.filter_map(|user| members.all.get(user));
            let users: Vec<_> = users.map(|user| user.name.as_str()).collect();
            if !users.is_empty() {
                let (require, them) = match users.len() {
                    1 => ("requires", "that"),
                    _ => ("require", "those"),
                };
                errors.push(format!(
                    "{} cannot be deleted: {} {require} it; delete {them} as well, or keep {}",
                    member.name,
                    listed(users),
                    member.name
                ));
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Stop::Errors(errors))
        }
    }

    /// Removes the operators that only deleted operators needed.
    pub(crate) fn sweep_after(
        &self,
        members: &mut Members,
        before: &Needs,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let of_deleted = before.closure(self.deleted.iter().cloned());
        let candidates: BTreeSet<_> = of_deleted
            .into_iter()
            .filter(|package| members.all.get(package).is_some_and(|it| !it.is_explicit()))
            .collect();
        let roots = members.all.keys();
        let roots: BTreeSet<_> = roots
            .filter(|it| !candidates.contains(*it))
            .cloned()
            .collect();
        let swept = self.unneeded(members, roots, &candidates, told)?;
        self.remove(members, swept, told)
    }

    /// Removes all operators except the requested operators and their requirements.
    pub(crate) fn sweep_to_whole(
        &self,
        members: &mut Members,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let all: BTreeSet<_> = members.all.keys().cloned().collect();
        let roots = members.all.values();
        let roots = roots.filter(|member| member.wish.is_some() || member.added_for.is_some());
        let roots = roots.map(|member| member.package.clone()).collect();
        let swept = self.unneeded(members, roots, &all, told)?;
        self.remove(members, swept, told)
    }

    /// Removes or reports the operators that were not requested and that no requested operator
    /// needs.
    pub(crate) fn autoremove(
        &self,
        members: &mut Members,
        how: Autoremove,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let all: BTreeSet<_> = members.all.keys().cloned().collect();
        let roots = members.all.values().filter(|member| member.is_explicit());
        let roots = roots.map(|member| member.package.clone()).collect();
        let unneeded = self.unneeded(members, roots, &all, told)?;
        if how == Autoremove::Remove {
            return self.remove(members, unneeded, told);
        }
        for member in unneeded.iter().filter_map(|it| members.all.get(it)) {
            told.warnings.push(format!(
                "nothing requires {name}: --autoremove --yes removes it, and the annotation {}=true keeps it",
                portolan_api::operator::EXPLICIT,
                name = member.name
            ));
        }
        Ok(())
    }

    /// Returns the candidates that the operators in `roots` do not need. If the requirements of a
    /// needed operator are unknown, returns no candidates and adds a warning.
    fn unneeded(
        &self,
        members: &Members,
        roots: BTreeSet<String>,
        candidates: &BTreeSet<String>,
        told: &mut Diagnostics,
    ) -> Result<BTreeSet<String>, Stop> {
        let needs = Needs::of(&members.all, OperatorMember::last, self.knowledge)?;
        let needed = needs.closure(roots);
        let unneeded: BTreeSet<_> = candidates.difference(&needed).cloned().collect();
        let unknown: Vec<_> = needed.intersection(&needs.unknown).collect();
        if unneeded.is_empty() || unknown.is_empty() {
            return Ok(unneeded);
        }
        told.warnings.push(format!(
            "no operator is removed, because the requirements of {} are unknown; no other operator \
             requires {}",
            listed(unknown),
            listed(&unneeded)
        ));
        Ok(BTreeSet::new())
    }

    /// Removes these operators. If a remaining operator needs one of them on its route, removes
    /// none of them and adds a warning.
    fn remove(
        &self,
        members: &mut Members,
        packages: BTreeSet<String>,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        if packages.is_empty() {
            return Ok(());
        }
        let before = self.stranded(members)?;
        let mut rest = members.clone();
        rest.all.retain(|package, _| !packages.contains(package));
        let stranded = self.stranded(&rest)?;
        let new: Vec<_> = stranded.iter().filter(|it| !before.contains(it)).collect();
        if !new.is_empty() {
            told.warnings.push(format!(
                "nothing is removed: versions on the upgrade path of {} require {}; try again \
                 after the upgrade",
                listed(new),
                listed(&packages)
            ));
            return Ok(());
        }
        let why = if self.is_whole {
            "because the manifest does not name this operator, and no operator needs it"
        } else {
            "because nothing needs it"
        };
        for member in packages.iter().filter_map(|it| members.all.get(it)) {
            told.notes
                .push(format!("{} is removed, {why}", member.name));
        }
        *members = rest;
        Ok(())
    }
}
