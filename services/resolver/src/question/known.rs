//! Converts queries about Operators for the solver and for the route planner, and converts their
//! results.

use std::fmt::Display;
use std::str::FromStr;

use portolan_core_catalog as catalog;
use portolan_core_generate::{
    Need, PackageWish, RequestConflict, Resolution, ResolveQuestion, Solved, SolvedOperator,
};
use portolan_core_names::Gvk;
use portolan_core_operator::{
    Asked, Blocked, CommonRoute, End, Goal as Towards, Installation, Move, Question,
};
use portolan_core_route::{self as route, Overrides, Plan};
use portolan_core_solver::{
    self as solver, Cause, Granted, InstalledOperator, Mode, RequestedPackage, Requirement,
    Solution,
};

use super::{PlanRoute, RequestError, Resolve, RoutedOperator};

/// The maximum number of Operators in one query.
const MOST_OPERATORS: usize = 1_000;

pub(super) fn parsed<T>(field: &'static str, text: &str) -> Result<T, RequestError>
where
    T: FromStr<Err: Display>,
{
    text.parse().map_err(|refusal: T::Err| RequestError::Field {
        field: field.into(),
        message: refusal.to_string(),
    })
}

fn optional<T>(field: &'static str, text: &str) -> Result<Option<T>, RequestError>
where
    T: FromStr<Err: Display>,
{
    let text = Some(text).filter(|text| !text.is_empty());
    text.map(|text| parsed(field, text)).transpose()
}

fn refuse_many(count: usize) -> Result<(), RequestError> {
    if count <= MOST_OPERATORS {
        return Ok(());
    }
    Err(RequestError::Field {
        field: "operators".into(),
        message: format!("{count} are given; at most {MOST_OPERATORS} are allowed"),
    })
}

pub(super) fn decode_resolve(question: &ResolveQuestion) -> Result<Resolve, RequestError> {
    refuse_many(question.wishes.len().max(question.installed.len()))?;
    let wishes = question.wishes.iter().map(decode_wish);
    Ok(Resolve(solver::Question {
        wishes: wishes.collect::<Result<_, _>>()?,
        installed: decode_installed(&question.installed)?,
        mode: if question.is_each {
            Mode::Each
        } else {
            Mode::Together
        },
        budget: solver::Budget::default(),
    }))
}

fn decode_wish(wish: &PackageWish) -> Result<RequestedPackage, RequestError> {
    Ok(RequestedPackage {
        package: parsed("package", &wish.package)?,
        range: optional("range", &wish.range)?,
        channel: None,
        catalog: optional("catalog", &wish.catalog)?,
    })
}

fn decode_installed(all: &[Installation]) -> Result<Vec<InstalledOperator>, RequestError> {
    all.iter().map(decode_installation).collect()
}

/// Decodes an installed operator. The catalogs supply the APIs that the operator provides and
/// requires.
fn decode_installation(installed: &Installation) -> Result<InstalledOperator, RequestError> {
    Ok(InstalledOperator {
        name: parsed("bundle", &installed.bundle)?,
        version: optional("version", &installed.version)?,
        package: optional("package", &installed.package)?,
        facts: None,
    })
}

pub(super) fn encode_resolution(resolution: &solver::Resolution) -> Resolution {
    match resolution {
        solver::Resolution::Solved(solution) => Resolution::Solved(encode_solution(solution)),
        solver::Resolution::Refused(conflict) => Resolution::Refused(encode_conflict(conflict)),
        solver::Resolution::GaveUp { .. } => Resolution::GaveUp,
    }
}

fn encode_solution(solution: &Solution) -> Solved {
    let wishes = solution.wishes.iter().enumerate();
    let refused = wishes.filter(|(_, granted)| match granted {
        Granted::By { .. } => false,
        Granted::Refused(_) | Granted::GaveUp => true,
    });
    let operators = solution.operators.iter().map(|operator| SolvedOperator {
        package: text(operator.package.as_ref()),
        bundle: operator.bundle.to_string(),
        version: text(operator.version.as_ref()),
        catalog: text(operator.catalog.as_ref()),
        wishes: operator.wishes.clone(),
        needs: operator.needs.iter().map(encode_need).collect(),
    });
    Solved {
        operators: operators.collect(),
        refused: refused.map(|(at, _)| at).collect(),
    }
}

fn encode_need(need: &solver::Need) -> Need {
    Need {
        text: need.requirement.to_string(),
        api: match &need.requirement {
            Requirement::Api(api) => Some(encode_api(api)),
            Requirement::Package(_) | Requirement::Constraint(_) => None,
        },
        by: need.by.to_string(),
    }
}

fn encode_conflict(conflict: &solver::Conflict) -> RequestConflict {
    let causes = conflict.causes.iter();
    let staying = causes.filter_map(|cause| match cause {
        Cause::Stays(installed) => Some(text(installed.package.as_ref())),
        _ => None,
    });
    RequestConflict {
        text: conflict.to_string(),
        staying: staying.collect(),
    }
}

pub(super) fn encode_api(api: &catalog::Api) -> Gvk {
    Gvk {
        group: api.group.to_string(),
        version: api.version.to_string(),
        kind: api.kind.to_string(),
    }
}

pub(super) fn decode_question(question: &Question) -> Result<PlanRoute, RequestError> {
    refuse_many(question.operators.len().max(question.others.len()))?;
    let operators = question.operators.iter().map(decode_asked);
    Ok(PlanRoute {
        operators: operators.collect::<Result<_, _>>()?,
        others: decode_installed(&question.others)?,
        budget: route::Budget::default(),
    })
}

fn decode_asked(asked: &Asked) -> Result<RoutedOperator, RequestError> {
    let channels = asked.channels.iter();
    let channels = channels.map(|channel| parsed("channels", channel));
    Ok(RoutedOperator {
        catalog: optional("catalog", &asked.catalog)?,
        package: parsed("package", &asked.package)?,
        channels: channels.collect::<Result<_, _>>()?,
        installed: asked
            .installed
            .as_ref()
            .map(decode_installation)
            .transpose()?,
        wish: match &asked.wish {
            Towards::Stay => route::Goal::Stay,
            Towards::Any => route::Goal::Any,
            Towards::Range(range) => route::Goal::Range(parsed("range", range)?),
        },
        overrides: Overrides {
            ignore_dependencies: asked.ignore_dependencies,
            direct_upgrades: asked.direct_upgrades,
            downgrades: asked.downgrades,
            ignore_conflicts: asked.ignore_conflicts,
        },
    })
}

pub(super) fn encode_routes(plan: &Plan) -> Vec<CommonRoute> {
    plan.routes.iter().map(encode_route).collect()
}

fn encode_route(route: &route::Route) -> CommonRoute {
    let steps = route.steps.iter().map(|step| {
        let moves = step.moves.iter().map(|one| Move {
            package: one.package.to_string(),
            bundle: one.to.name.to_string(),
            version: text(one.to.version.as_ref()),
        });
        moves.collect()
    });
    let ends = route.ends.iter().map(|end| End {
        package: end.package.to_string(),
        version: text(end.version.as_ref()),
        blocked: end.blockage.as_deref().map(|blockage| Blocked {
            is_lacking: blockage
                .causes
                .iter()
                .any(|cause| matches!(cause, route::Cause::Lacking { .. })),
            waits: blockage.causes.iter().any(route::Cause::is_dependency),
            text: blockage.to_string(),
            sentences: blockage.sentences(),
        }),
        // Dependencies are omitted, because generated Operators report no dependencies.
        wanted: None,
    });
    CommonRoute {
        steps: steps.collect(),
        ends: ends.collect(),
    }
}

fn text(value: Option<&impl Display>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
