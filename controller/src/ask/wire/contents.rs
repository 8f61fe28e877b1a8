//! Converts the requests about the content of Installs from catalogs, for Operators v2alpha1.

use std::collections::BTreeSet;

use portolan_components::{
    Bundle, ContentAnswer, Resident, ResidentFacts, Traveler, UpdateRoute, WantedPackage,
};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::plan_route_request::operator::Wish;
use portolan_proto::resolver::v1::plan_route_request::{self, Stay};
use portolan_proto::resolver::v1::resolve_response::Answer;
use portolan_proto::resolver::v1::solution::change::Kind;

use super::{encode_packages, is_lacking};

pub(in crate::ask) fn decode_named(bundle: pb::GetBundleResponse, catalog: &str) -> ContentAnswer {
    let requires = bundle.requires.unwrap_or_default();
    let packages = requires.packages.into_iter().map(|it| (it.name, it.range));
    let facts = ResidentFacts {
        provides: bundle.provides.into_iter().map(decode_api).collect(),
        requires: requires.apis.into_iter().map(decode_api).collect(),
        packages: packages.collect(),
    };
    let bundle = Bundle {
        package: bundle.package,
        name: bundle.name,
        version: bundle.version,
        image: bundle.image,
        catalog: catalog.to_owned(),
        channel: String::new(),
    };
    ContentAnswer::Bundle(bundle, facts)
}

pub(in crate::ask) fn encode_resolve(
    wish: &WantedPackage,
    installed: &BTreeSet<Resident>,
) -> pb::ResolveRequest {
    let WantedPackage {
        catalog,
        package,
        channel,
        version,
    } = wish;
    pb::ResolveRequest {
        wishes: vec![pb::Wish {
            package: package.clone(),
            range: version.clone(),
            channel: channel.clone(),
            catalog: catalog.clone(),
        }],
        installed: installed.iter().map(encode_resident).collect(),
        mode: pb::mode::Kind::Together.into(),
        steps: 0,
    }
}

/// Decodes the bundles to install. The requested bundle comes first.
pub(in crate::ask) fn decode_resolved(response: pb::ResolveResponse) -> ContentAnswer {
    match response.answer {
        Some(Answer::Solution(solution)) => {
            let comes = |it: &pb::solution::Operator| match it.change() {
                Kind::Install | Kind::Move => true,
                Kind::Stay | Kind::Unspecified => false,
            };
            let operators = solution.operators.into_iter().filter(comes);
            let bundles = operators.map(|it| Bundle {
                package: it.package,
                name: it.name,
                version: it.version,
                image: String::new(),
                catalog: it.catalog,
                channel: it.channel,
            });
            ContentAnswer::Resolved(bundles.collect())
        }
        Some(Answer::Conflict(conflict)) => ContentAnswer::No(conflict.text),
        Some(Answer::GaveUp(_)) | None => {
            ContentAnswer::No("the search ended before the result was known".to_owned())
        }
    }
}

pub(in crate::ask) fn encode_travelers(
    operators: &[Traveler],
    others: &BTreeSet<Resident>,
) -> pb::PlanRouteRequest {
    let operators = operators.iter().map(|it| plan_route_request::Operator {
        catalog: it.catalog.clone(),
        package: it.package.clone(),
        channels: Some(it.channel.clone())
            .filter(|it| !it.is_empty())
            .into_iter()
            .collect(),
        installed: it.installed.as_ref().map(encode_resident),
        wish: it.stays.then_some(Wish::Stay(Stay {})),
        overrides: None,
    });
    pb::PlanRouteRequest {
        operators: operators.collect(),
        others: others.iter().map(encode_resident).collect(),
        states: 0,
    }
}

fn encode_resident(resident: &Resident) -> pb::InstalledOperator {
    let Resident {
        package,
        name,
        version,
        facts,
    } = resident;
    let bare = pb::InstalledOperator {
        name: name.clone(),
        version: version.clone(),
        package: package.clone(),
        ..pb::InstalledOperator::default()
    };
    let Some(ResidentFacts {
        provides,
        requires,
        packages,
    }) = facts
    else {
        return bare;
    };
    pb::InstalledOperator {
        described: true,
        provides: provides.iter().map(encode_api).collect(),
        requires: Some(pb::Requirements {
            apis: requires.iter().map(encode_api).collect(),
            packages: encode_packages(packages),
            constraints: Vec::new(),
        }),
        ..bare
    }
}

fn encode_api([group, version, kind]: &[String; 3]) -> pb::Api {
    pb::Api {
        group: group.clone(),
        version: version.clone(),
        kind: kind.clone(),
    }
}

fn decode_api(api: pb::Api) -> [String; 3] {
    [api.group, api.version, api.kind]
}

/// Decodes the first step of each route.
pub(in crate::ask) fn decode_first_steps(response: pb::PlanRouteResponse) -> Vec<UpdateRoute> {
    response.routes.into_iter().map(decode_route).collect()
}

fn decode_route(route: pb::Route) -> UpdateRoute {
    let first = route.steps.into_iter().next().unwrap_or_default();
    let first = first.moves.into_iter().map(|one| Bundle {
        package: one.package,
        name: one.to,
        version: one.version,
        ..Bundle::default()
    });
    let packages = route.ends.iter().map(|end| end.package.clone()).collect();
    let blocked = route.ends.into_iter().filter_map(|end| {
        let blocked = end.blocked?;
        let is_lacking = is_lacking(&blocked);
        Some((end.package, (blocked.text, is_lacking)))
    });
    UpdateRoute {
        packages,
        first: first.collect(),
        blocked: blocked.collect(),
    }
}
