//! Verifies that all goals can be reached, before anything is written.

use std::collections::BTreeMap;

use portolan_core_names::Version;
use portolan_core_operator::{CommonRoute, End, Question};

use crate::additions::{Search, is_any_flexible, is_flexible, report_lower_versions};
use crate::generate::Diagnostics;
use crate::knowledge::Stop;
use crate::members::{Goal, Members, OperatorMember};
use crate::newest;

impl Search<'_> {
    /// Verifies that a route leads to each goal. Adds operators that only intermediate versions
    /// require.
    ///
    /// # Errors
    ///
    /// Returns the queries that must be answered first, or the reasons why goals cannot be reached.
    pub(crate) fn verify(&self, members: &mut Members, told: &mut Diagnostics) -> Result<(), Stop> {
        if members.all.values().all(|member| member.goal == Goal::Stay) {
            return Ok(());
        }
        loop {
            let question = members.question(|member| member.goal.clone());
            let routes = self.routes(&question)?;
            let blocked = blocked(routes);
            if blocked.is_empty() {
                take_ends(members, routes);
                return Ok(());
            }
            if self.add_for_hops(members, &blocked, told)? {
                continue;
            }
            return self.settle(members, routes, told);
        }
    }

    /// Returns an error if the update graph of a package contains no path to its goal. The error
    /// contains the reasons and the remedies.
    pub(crate) fn refuse_cut_off(&self, members: &Members) -> Result<(), Stop> {
        if !members.all.values().any(|member| member.is_cut_off) {
            return Ok(());
        }
        let question = members.question(|member| member.goal.clone());
        let is_cut_off = |package: &str| {
            let member = members.all.get(package);
            member.is_some_and(|member| member.is_cut_off)
        };
        let errors = texts(self.routes(&question)?, is_cut_off);
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Stop::Errors(errors))
        }
    }

    /// Returns an error if a version does not support the Kubernetes version of the cluster,
    /// according to the catalogs.
    pub(crate) fn refuse_what_does_not_run(&self, members: &Members) -> Result<(), Stop> {
        let Some(kubernetes) = self.kubernetes else {
            return Ok(());
        };
        let mut errors = Vec::new();
        for member in members.in_order() {
            let (Goal::Version(version), Some(key)) = (&member.goal, member.key()) else {
                continue;
            };
            let graphs = self.knowledge.graphs([&key])?;
            let graph = graphs.first();
            let why = graph.and_then(|it| newest::too_new(member, it, version, kubernetes));
            errors.extend(why.map(|why| format!("{} {version} {why}", member.name)));
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Stop::Errors(errors))
        }
    }

    fn routes(&self, question: &Question) -> Result<&[CommonRoute], Stop> {
        if question.operators.is_empty() {
            return Ok(&[]);
        }
        self.knowledge.routes(question)
    }

    /// For each operator that lacks only a requirement, adds the operators that its intermediate
    /// versions require. Returns true if at least one operator was added.
    fn add_for_hops(
        &self,
        members: &mut Members,
        blocked: &BTreeMap<&str, &End>,
        told: &mut Diagnostics,
    ) -> Result<bool, Stop> {
        for (package, end) in blocked {
            let lacks = end.blocked.as_ref().is_some_and(|it| it.is_lacking);
            let Some(member) = members.all.get(*package).filter(|_| lacks) else {
                continue;
            };
            let versions = self.between(member)?;
            if self.add_on_the_way(members, package, &versions, told)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the intermediate versions on the shortest path to the operator's goal.
    fn between(&self, member: &OperatorMember) -> Result<Vec<Version>, Stop> {
        let (Goal::Version(to), Some(key)) = (&member.goal, member.key()) else {
            return Ok(Vec::new());
        };
        let graphs = self.knowledge.graphs([&key])?;
        let graph = graphs.first();
        Ok(graph.map_or_else(Vec::new, |graph| newest::between(member, graph, to)))
    }

    /// Chooses lower versions that can be reached, if the requests accept them.
    ///
    /// # Errors
    ///
    /// Returns the reasons if no such choice exists.
    fn settle(
        &self,
        members: &mut Members,
        routes: &[CommonRoute],
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        let why = texts(routes, |_| true).join("\n");
        if is_any_flexible(members) {
            let question = members.question(|member| match &member.wish {
                Some(wish) if is_flexible(member) => Goal::Open(wish.range_from(member.current())),
                Some(_) | None => member.goal.clone(),
            });
            let routes = self.routes(&question)?;
            if blocked(routes).is_empty() {
                let best = members.clone();
                take_ends(members, routes);
                for member in members.all.values_mut() {
                    if let Some(end) = member.end.clone().filter(|_| is_flexible(member)) {
                        member.goal = Goal::Version(end);
                    }
                }
                report_lower_versions(&best, members, &why, told);
                return Ok(());
            }
        }
        let is_ours = |package: &str| {
            let member = members.all.get(package);
            member.is_none_or(|member| member.wish.is_some() || member.added_for.is_some())
        };
        let errors = texts(routes, is_ours);
        if errors.is_empty() {
            // None of these operators was requested or added, and they had the same problems
            // before. The request can still be carried out.
            told.warnings.extend(texts(routes, |_| true));
            take_ends(members, routes);
            return Ok(());
        }
        Err(Stop::Errors(errors))
    }

    /// Returns the packages that cannot reach the version in their spec or in their goal.
    pub(crate) fn stranded(&self, members: &Members) -> Result<Vec<String>, Stop> {
        let question = members.question(|member| match (&member.goal, member.wanted()) {
            (Goal::Stay, Some(wanted)) if Some(&wanted) != member.current() => {
                Goal::Version(wanted)
            }
            (goal, _) => goal.clone(),
        });
        let routes = self.routes(&question)?;
        Ok(blocked(routes).into_keys().map(str::to_owned).collect())
    }
}

/// Returns the packages that cannot reach their goals, with the end of their routes.
fn blocked(routes: &[CommonRoute]) -> BTreeMap<&str, &End> {
    let ends = routes.iter().flat_map(|route| &route.ends);
    let blocked = ends.filter(|end| end.blocked.is_some());
    blocked.map(|end| (end.package.as_str(), end)).collect()
}

/// Returns the reasons why the selected packages cannot reach their goals.
fn texts(routes: &[CommonRoute], is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let ends = routes.iter().flat_map(|route| &route.ends);
    let blocked = ends.filter_map(|end| {
        let blocked = end.blocked.as_ref()?;
        is_meant(&end.package).then(|| blocked.text.clone())
    });
    blocked.collect()
}

fn take_ends(members: &mut Members, routes: &[CommonRoute]) {
    for route in routes {
        for end in &route.ends {
            let Some(member) = members.all.get_mut(&end.package) else {
                continue;
            };
            let moves = route.steps.iter().flatten();
            let own = moves.filter(|one| one.package == end.package);
            member.path = own.map(|one| one.bundle.clone()).collect();
            member.end = Version::parse(&end.version).ok();
        }
    }
}
