//! Questions and answers of a resolver, as Operators are made from them.

use portolan_controller::{decode_api, encode_route_question};
use portolan_core_generate::{
    BundleAnswer, Conflict, GraphAnswer, GraphBundle, Need, Resolution, ResolveQuestion, Solved,
    SolvedOperator, Update,
};
use portolan_core_operator::{Installation, Question};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::conflict::cause;
use portolan_proto::resolver::v1::requirement::Of;
use portolan_proto::resolver::v1::resolve_response::Answer;
use portolan_proto::resolver::v1::solution::choice::Outcome;

pub(super) fn decode_graph(graph: pb::GetGraphResponse) -> GraphAnswer {
    let bundles = graph.nodes.into_iter().map(|node| GraphBundle {
        name: node.name,
        version: node.version,
        channels: node.channels.into_iter().collect(),
        is_deprecated: !node.deprecation.is_empty(),
    });
    let updates = graph.updates.into_iter().map(|update| Update {
        channel: update.channel,
        from: update.from,
        to: update.to,
    });
    GraphAnswer {
        bundles: bundles.collect(),
        updates: updates.collect(),
    }
}

pub(super) fn decode_bundle(bundle: pb::GetBundleResponse) -> BundleAnswer {
    BundleAnswer {
        image: bundle.image,
    }
}

pub(super) fn encode_resolve(question: &ResolveQuestion) -> pb::ResolveRequest {
    let wishes = question.wishes.iter().map(|wish| pb::Wish {
        package: wish.package.clone(),
        range: wish.range.clone(),
        channel: String::new(),
        catalog: wish.catalog.clone(),
    });
    let mode = if question.is_each {
        pb::mode::Kind::Each
    } else {
        pb::mode::Kind::Together
    };
    pb::ResolveRequest {
        wishes: wishes.collect(),
        installed: question.installed.iter().map(encode_installed).collect(),
        mode: mode.into(),
        steps: 0,
    }
}

/// What it provides and requires is left to the catalogs.
fn encode_installed(installed: &Installation) -> pb::InstalledOperator {
    pb::InstalledOperator {
        name: installed.bundle.clone(),
        version: installed.version.clone(),
        package: installed.package.clone(),
        ..pb::InstalledOperator::default()
    }
}

pub(super) fn decode_resolution(response: pb::ResolveResponse) -> Resolution {
    match response.answer {
        Some(Answer::Solution(solution)) => Resolution::Solved(decode_solution(solution)),
        Some(Answer::Conflict(conflict)) => Resolution::Refused(decode_conflict(conflict)),
        Some(Answer::GaveUp(_)) | None => Resolution::GaveUp,
    }
}

fn decode_solution(solution: pb::Solution) -> Solved {
    let choices = solution.choices.iter().enumerate();
    let refused = choices.filter(|(_, choice)| match &choice.outcome {
        Some(Outcome::Granted(_)) => false,
        Some(Outcome::Refused(_) | Outcome::GaveUp(_)) | None => true,
    });
    let refused = refused.map(|(at, _)| at).collect();
    let operators = solution
        .operators
        .into_iter()
        .map(|operator| SolvedOperator {
            package: operator.package,
            bundle: operator.name,
            version: operator.version,
            catalog: operator.catalog,
            wishes: operator.wishes.into_iter().map(|at| at as usize).collect(),
            needs: operator.needs.into_iter().map(decode_need).collect(),
        });
    Solved {
        operators: operators.collect(),
        refused,
    }
}

fn decode_need(need: pb::solution::Need) -> Need {
    let requirement = need.requirement.unwrap_or_default();
    Need {
        text: requirement.text,
        api: match requirement.of {
            Some(Of::Api(api)) => Some(decode_api(api)),
            Some(Of::Package(_) | Of::Constraint(_)) | None => None,
        },
        by: need.by,
    }
}

fn decode_conflict(conflict: pb::Conflict) -> Conflict {
    let staying = conflict.causes.iter();
    let staying = staying.filter(|cause| cause.kind() == cause::Kind::Stays);
    Conflict {
        staying: staying.map(|cause| cause.package.clone()).collect(),
        text: conflict.text,
    }
}

/// A question for routes, as [`encode_installed`] has it.
pub(super) fn encode_question(question: &Question) -> pb::PlanRouteRequest {
    encode_route_question(question, encode_installed)
}
