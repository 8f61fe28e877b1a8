//! Decodes the operators of a route, and encodes its steps.

use portolan_core_route::{
    Budget, Certainty, End, Goal, Move, Overrides, Plan, Route, RouteBlockage, RouteStep,
    Suggestion, Wanted,
};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::plan_route_request as request;
use portolan_proto::resolver::v1::route;

use super::resolve::{decode_each, decode_operator, refused};
use super::upgrades::encode_requirements;
use super::{
    decode_optional, decode_text, encode_names, encode_object, encode_optional, encode_reason,
    encode_refs, encode_version, encode_via,
};
use crate::question::{PlanRoute, PlannedRoute, RequestError, RoutedOperator};

/// The maximum number of operators in a query.
const MOST_OPERATORS: usize = 1_000;

/// The maximum number of operators of other installers. The number is limited because the
/// requirements of each operator are compared with all others.
const MOST_OTHERS: usize = 1_000;

/// The maximum number of search states. This many states take about as long as a user would wait.
const MOST_STATES: u32 = 1_000_000;

pub(crate) fn decode_plan_route(request: &pb::PlanRouteRequest) -> Result<PlanRoute, RequestError> {
    let pb::PlanRouteRequest {
        operators,
        others,
        states,
    } = request;
    if operators.is_empty() {
        return Err(refused("operators", "it is empty; add at least one"));
    }
    Ok(PlanRoute {
        operators: decode_each("operators", operators, MOST_OPERATORS, decode_routed)?,
        others: decode_each("others", others, MOST_OTHERS, decode_operator)?,
        budget: decode_budget(*states)?,
    })
}

fn decode_routed(operator: &request::Operator) -> Result<RoutedOperator, RequestError> {
    let request::Operator {
        catalog,
        package,
        channels,
        installed,
        wish,
        overrides,
    } = operator;
    let installed = installed.as_ref().map(decode_operator).transpose();
    let channels = decode_each("channels", channels, usize::MAX, |channel| {
        decode_text("", channel)
    });
    Ok(RoutedOperator {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        channels: channels?.into_iter().collect(),
        installed: installed.map_err(|refusal| refusal.within("installed"))?,
        wish: match wish {
            None => Goal::Any,
            Some(request::operator::Wish::Stay(_)) => Goal::Stay,
            Some(request::operator::Wish::Range(range)) => {
                Goal::Range(decode_text("range", range)?)
            }
        },
        overrides: overrides.map(decode_overrides).unwrap_or_default(),
    })
}

fn decode_overrides(overrides: pb::Overrides) -> Overrides {
    let pb::Overrides {
        ignore_dependencies,
        direct_upgrades,
        downgrades,
        ignore_conflicts,
    } = overrides;
    Overrides {
        ignore_dependencies,
        direct_upgrades,
        downgrades,
        ignore_conflicts,
    }
}

fn decode_budget(states: u32) -> Result<Budget, RequestError> {
    match states {
        0 => Ok(Budget::default()),
        1..=MOST_STATES => Ok(Budget { states }),
        _ => Err(refused(
            "states",
            format!("{states} is more than the maximum of {MOST_STATES}"),
        )),
    }
}

pub(crate) fn encode_plan_route(answer: &PlannedRoute<'_>) -> pb::PlanRouteResponse {
    let PlannedRoute { catalogs, plan } = answer;
    let Plan { routes } = plan;
    pb::PlanRouteResponse {
        catalogs: encode_refs(catalogs),
        routes: routes.iter().map(encode_route).collect(),
        text: plan.to_string(),
    }
}

fn encode_route(route: &Route) -> pb::Route {
    let Route {
        steps,
        ends,
        certainty,
        only_single,
    } = route;
    pb::Route {
        steps: steps.iter().map(encode_step).collect(),
        ends: ends.iter().map(encode_end).collect(),
        states: match certainty {
            Certainty::Best => 0,
            Certainty::BudgetSpent { states } => *states,
        },
        only_single: encode_names(only_single),
    }
}

fn encode_step(step: &RouteStep) -> route::Step {
    let RouteStep { moves } = step;
    route::Step {
        moves: moves.iter().map(encode_move).collect(),
    }
}

fn encode_move(made: &Move) -> route::Move {
    let Move {
        package,
        from,
        to,
        edges,
        is_override,
        is_downgrade,
    } = made;
    route::Move {
        package: package.to_string(),
        from: encode_optional(from.as_ref()),
        to: to.name.to_string(),
        version: encode_version(to.version.as_ref()),
        via: encode_via(*edges),
        r#unsafe: *is_override,
        downgrade: *is_downgrade,
        deprecation: encode_optional(to.deprecation.as_ref()),
    }
}

fn encode_end(end: &End) -> route::End {
    let End {
        package,
        bundle,
        version,
        blockage,
        wanted,
    } = end;
    route::End {
        package: package.to_string(),
        bundle: encode_optional(bundle.as_ref()),
        version: encode_version(version.as_ref()),
        blocked: blockage.as_deref().map(encode_blockage),
        wanted: wanted.as_ref().map(encode_wanted),
    }
}

fn encode_wanted(wanted: &Wanted) -> route::Wanted {
    let Wanted {
        bundle,
        version,
        requires,
    } = wanted;
    route::Wanted {
        bundle: bundle.to_string(),
        version: encode_version(version.as_ref()),
        requires: Some(encode_requirements(requires)),
    }
}

fn encode_blockage(blockage: &RouteBlockage) -> route::Blocked {
    let causes = blockage.causes.iter().map(|cause| {
        let package = encode_object("Package", &blockage.package);
        encode_reason(cause.code(), cause.to_string(), package)
    });
    let suggestions = blockage.suggestions.iter().map(encode_suggestion);
    route::Blocked {
        causes: causes.collect(),
        suggestions: suggestions.collect(),
        text: blockage.to_string(),
        sentences: blockage.sentences(),
    }
}

fn encode_suggestion(suggestion: &Suggestion) -> route::Suggestion {
    let plain = route::Suggestion {
        code: suggestion.code().to_owned(),
        message: suggestion.to_string(),
        r#unsafe: suggestion.is_unsafe(),
        ..route::Suggestion::default()
    };
    match suggestion {
        Suggestion::Let { package, to } | Suggestion::Wish { package, to } => route::Suggestion {
            package: package.to_string(),
            version: to.to_string(),
            ..plain
        },
        Suggestion::Lift { package, overrides } => route::Suggestion {
            package: package.to_string(),
            overrides: Some(encode_overrides(*overrides)),
            ..plain
        },
        Suggestion::Add(_) => plain,
    }
}

fn encode_overrides(overrides: Overrides) -> pb::Overrides {
    let Overrides {
        ignore_dependencies,
        direct_upgrades,
        downgrades,
        ignore_conflicts,
    } = overrides;
    pb::Overrides {
        ignore_dependencies,
        direct_upgrades,
        downgrades,
        ignore_conflicts,
    }
}
