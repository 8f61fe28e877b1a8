//! Encodes the results for requirements.

use std::iter;

use portolan_core_catalog::Severity;
use portolan_core_graph::heads;
use portolan_core_names::CatalogName;
use portolan_core_solver::{
    Cause, Conflict, Granted, Hiding, Lack, Lacking, Need, Operator, OperatorChange, Optimality,
    Question, RequestedPackage, Required, Requirement, Resolution, Solution,
};
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::requirement::Of;
use portolan_proto::resolver::v1::resolve_response as response;
use portolan_proto::resolver::v1::solution::{self, choice};

use super::catalogs::encode_failure;
use super::faults::{encode_fault, encode_first};
use super::upgrades::encode_api;
use super::{
    count, encode_channel, encode_names, encode_object, encode_optional, encode_reason, encode_refs,
};
use crate::Snapshot;
use crate::question::{Resolve, Resolved};
use crate::snapshot::Offer;

pub(crate) fn encode_resolve(question: &Resolve, answer: &Resolved<'_>) -> pb::ResolveResponse {
    let Resolved {
        snapshot,
        catalogs,
        unread,
        answer,
    } = answer;
    let question = &question.0;
    let unread = unread.iter();
    pb::ResolveResponse {
        catalogs: encode_refs(catalogs),
        unread: unread
            .map(|(name, offer)| encode_unread(name, offer))
            .collect(),
        answer: Some(match answer {
            Resolution::Solved(solution) => {
                response::Answer::Solution(encode_solution(solution, question, snapshot))
            }
            Resolution::Refused(conflict) => response::Answer::Conflict(encode_conflict(conflict)),
            Resolution::GaveUp { steps } => {
                response::Answer::GaveUp(response::GaveUp { steps: *steps })
            }
        }),
    }
}

pub(super) fn encode_unread(name: &CatalogName, offer: &Offer) -> basis::Reason {
    match offer.state.why() {
        Some(why) => encode_failure(why, name),
        None => encode_reason(
            "NotReadYet",
            "it has not been read yet; retry in a moment".to_owned(),
            encode_object("Catalog", name),
        ),
    }
}

fn encode_solution(solution: &Solution, question: &Question, snapshot: &Snapshot) -> pb::Solution {
    use solution::optimality::Kind;
    let Solution {
        wishes,
        operators,
        optimality,
        lacking,
    } = solution;
    let choices = iter::zip(&question.wishes, wishes);
    let (optimality, steps) = match optimality {
        Optimality::Best => (Kind::Best, 0),
        Optimality::NoSingleChangeBetters { steps } => (Kind::NoSingleChangeBetters, *steps),
    };
    pb::Solution {
        choices: choices
            .map(|(wish, granted)| solution::Choice {
                wish: Some(encode_wish(wish)),
                faults: encode_errors_about(wish, snapshot),
                outcome: Some(encode_granted(granted)),
            })
            .collect(),
        operators: operators
            .iter()
            .enumerate()
            .map(|(at, operator)| solution::Operator {
                passed_over: Some(encode_passed_over(at, wishes)),
                ..encode_operator(operator, snapshot)
            })
            .collect(),
        optimality: optimality.into(),
        lacking: lacking.iter().map(encode_lacking).collect(),
        steps,
    }
}

fn encode_wish(wish: &RequestedPackage) -> pb::Wish {
    let RequestedPackage {
        package,
        range,
        channel,
        catalog,
    } = wish;
    pb::Wish {
        package: package.to_string(),
        range: encode_optional(range.as_ref()),
        channel: encode_optional(channel.as_ref()),
        catalog: encode_optional(catalog.as_ref()),
    }
}

fn encode_granted(granted: &Granted) -> choice::Outcome {
    match granted {
        Granted::By { operator, .. } => choice::Outcome::Granted(count(*operator)),
        Granted::Refused(conflict) => choice::Outcome::Refused(encode_conflict(conflict)),
        Granted::GaveUp => choice::Outcome::GaveUp(choice::GaveUp {}),
    }
}

fn encode_operator(operator: &Operator, snapshot: &Snapshot) -> solution::Operator {
    use solution::change::Kind;
    let (is_head, is_default) = is_head_of_default(operator, snapshot);
    let Operator {
        catalog,
        package,
        bundle,
        version,
        channel,
        change,
        wishes,
        deprecation,
        needs,
    } = operator;
    let (change, from, hops) = match change {
        OperatorChange::Install => (Kind::Install, None, 0),
        OperatorChange::Move { from, hops } => (Kind::Move, Some(from), *hops),
        OperatorChange::Stay => (Kind::Stay, None, 0),
    };
    solution::Operator {
        package: encode_optional(package.as_ref()),
        name: bundle.to_string(),
        version: encode_optional(version.as_ref()),
        catalog: encode_optional(catalog.as_ref()),
        channel: encode_optional(channel.as_ref()),
        change: change.into(),
        from: encode_optional(from),
        hops,
        wishes: wishes.iter().map(|wish| count(*wish)).collect(),
        deprecation: encode_optional(deprecation.as_ref()),
        needs: needs.iter().map(encode_need).collect(),
        head: is_head,
        default_channel: is_default,
        passed_over: None,
    }
}

/// Returns the conflict because of which a better operator was not chosen, for the first
/// requirement that the operator satisfies.
fn encode_passed_over(at: usize, wishes: &[Granted]) -> pb::Conflict {
    let mut passed_over = wishes.iter().filter_map(|granted| match granted {
        Granted::By {
            operator,
            passed_over,
        } if *operator == at => passed_over.as_deref(),
        Granted::By { .. } | Granted::Refused(_) | Granted::GaveUp => None,
    });
    passed_over.next().map(encode_conflict).unwrap_or_default()
}

/// Returns two facts: if the bundle is a head of its channel, and if this channel is the default
/// channel of its package.
fn is_head_of_default(operator: &Operator, snapshot: &Snapshot) -> (bool, bool) {
    let offer = operator.catalog.as_ref();
    let offer = offer.and_then(|name| snapshot.offers.get(name));
    let charted = offer.and_then(|offer| offer.content()?.chart(operator.package.as_ref()?));
    let (Some(charted), Some(channel)) = (charted, &operator.channel) else {
        return (false, false);
    };
    let package = charted.package();
    let of_channel = package.channels.get(channel).map(|channel| heads(channel));
    (
        of_channel.is_some_and(|mut heads| heads.any(|head| *head == operator.bundle)),
        package.default_channel.as_ref() == Some(channel),
    )
}

fn encode_need(need: &Need) -> solution::Need {
    let Need { requirement, by } = need;
    solution::Need {
        requirement: Some(encode_requirement(requirement)),
        by: by.to_string(),
    }
}

fn encode_lacking(lacking: &Lacking) -> solution::Lacking {
    let Lacking {
        installed,
        requirement,
    } = lacking;
    solution::Lacking {
        name: installed.name.to_string(),
        requirement: Some(encode_requirement(requirement)),
    }
}

fn encode_requirement(requirement: &Requirement) -> pb::Requirement {
    pb::Requirement {
        text: requirement.to_string(),
        of: Some(match requirement {
            Requirement::Package(required) => Of::Package(pb::requirements::Package {
                name: required.package.to_string(),
                range: required.text.to_string(),
            }),
            Requirement::Api(api) => Of::Api(encode_api(api)),
            Requirement::Constraint(constraint) => Of::Constraint(constraint.text().to_owned()),
        }),
    }
}

/// Returns the catalog faults with severity Error about the required package.
fn encode_errors_about(wish: &RequestedPackage, snapshot: &Snapshot) -> Vec<pb::Fault> {
    let catalogs = snapshot.with_content();
    let named = |name: &CatalogName| wish.catalog.as_ref().is_none_or(|wished| wished == name);
    let catalogs = catalogs.filter(|catalog| named(catalog.name));
    let errors = catalogs.flat_map(|catalog| {
        let faults = catalog.content.faults_about(&wish.package);
        let own = faults.filter(|fault| fault.package.is_some());
        let errors = own.filter(|fault| fault.severity() == Severity::Error);
        encode_first(catalog.name, errors)
    });
    errors.collect()
}

fn encode_conflict(conflict: &Conflict) -> pb::Conflict {
    let causes = conflict.causes.iter();
    pb::Conflict {
        causes: causes.map(encode_cause).collect(),
        minimal: conflict.is_minimal,
        text: conflict.to_string(),
    }
}

fn encode_cause(cause: &Cause) -> pb::conflict::Cause {
    use pb::conflict::cause::Kind;
    let reason = encode_reason(cause.code(), cause.to_string(), object(cause));
    let of = |kind: Kind| pb::conflict::Cause {
        kind: kind.into(),
        reason: Some(reason),
        api: Some(pb::Api::default()),
        ..Default::default()
    };
    match cause {
        Cause::Wish { at, wish, lack } => pb::conflict::Cause {
            hidden_by: encode_hiding(lack.as_ref()),
            wish: count(*at),
            package: wish.package.to_string(),
            catalog: encode_optional(wish.catalog.as_ref()),
            ..of(Kind::Wish)
        },
        Cause::Requires {
            package,
            required,
            lack,
        } => pb::conflict::Cause {
            hidden_by: encode_hiding(lack.as_ref()),
            package: encode_optional(package.as_ref()),
            required: required.iter().map(encode_required).collect(),
            ..of(Kind::Requirement)
        },
        Cause::Stays(installed) => pb::conflict::Cause {
            package: encode_optional(installed.package.as_ref()),
            bundles: vec![installed.name.to_string()],
            ..of(Kind::Stays)
        },
        Cause::OnePackage(package) => pb::conflict::Cause {
            package: package.to_string(),
            ..of(Kind::OnePackage)
        },
        Cause::OneProvider(api) => pb::conflict::Cause {
            api: Some(encode_api(api)),
            ..of(Kind::OneProvider)
        },
        Cause::Prohibited { package, bundles } => pb::conflict::Cause {
            package: package.to_string(),
            bundles: encode_names(bundles),
            ..of(Kind::Prohibited)
        },
        Cause::Unread { catalog, .. } => pb::conflict::Cause {
            catalog: catalog.to_string(),
            ..of(Kind::Catalog)
        },
    }
}

fn encode_hiding(lack: Option<&Lack>) -> Option<pb::Fault> {
    let Hiding { catalog, error } = lack?.hidden_by()?;
    Some(encode_fault(catalog, error))
}

fn encode_required(required: &Required) -> pb::conflict::cause::Required {
    let Required {
        requirement,
        bundles,
    } = required;
    pb::conflict::cause::Required {
        requirement: Some(encode_requirement(requirement)),
        bundles: encode_names(bundles),
    }
}

/// Returns the object that a cause concerns. If the cause concerns several objects, returns the
/// most specific object.
fn object(cause: &Cause) -> basis::ObjectRef {
    match cause {
        Cause::Wish { wish, lack, .. } => match (lack, &wish.catalog, &wish.channel) {
            (Some(Lack::NoCatalog), Some(catalog), _) => encode_object("Catalog", catalog),
            (Some(Lack::NoChannel), _, Some(channel)) => encode_channel(&wish.package, channel),
            _ => encode_object("Package", &wish.package),
        },
        Cause::Requires { required, .. } => {
            let mut bundles = required.iter().flat_map(|required| &required.bundles);
            encode_object("Bundle", encode_optional(bundles.next()))
        }
        Cause::Prohibited { bundles, .. } => {
            encode_object("Bundle", encode_optional(bundles.first()))
        }
        Cause::Stays(installed) => encode_object("Bundle", &installed.name),
        Cause::OnePackage(package) => encode_object("Package", package),
        Cause::OneProvider(api) => encode_object("Api", api),
        Cause::Unread { catalog, .. } => encode_object("Catalog", catalog),
    }
}
