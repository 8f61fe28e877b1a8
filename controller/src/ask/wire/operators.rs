//! Converts routes and bundles, for Operators.

use std::sync::Arc;

use portolan_api::installs::{ResolvedApi, ResolvedBundle};
use portolan_components::Csv;
use portolan_core_names::Gvk;
use portolan_core_operator::{
    Asked, Blocked, BundleRef, CommonRoute, Deprecations, End, Goal, Installation, Move,
    PackageFacts, Question, RenderedBundle, Requirements, WantedBundle,
};
use portolan_plans::grants::{ImageAnswer, ImageFault, ImageRef, RenderedImage};
use portolan_proto::basis::v1::Reason;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::bundle_fault::Severity;
use portolan_proto::resolver::v1::install_options::Certificates;
use portolan_proto::resolver::v1::plan_route_request::{self, Stay};
use serde_json::Value;
use tonic::Status;

use super::{encode_packages, is_lacking, optional};

/// The maximum number of faults of a bundle in a message.
const MOST_FAULTS: usize = 3;

/// Decodes the facts about a package. `resolver` is the version of the resolver.
pub(in crate::ask) fn decode_facts(
    package: &pb::GetPackageResponse,
    resolver: Option<String>,
) -> PackageFacts {
    let versions = package.bundles.iter().map(|bundle| bundle.version.clone());
    let channels = package.channels.iter();
    let channels = channels.filter(|it| !it.deprecation.is_empty());
    let bundles = package.bundles.iter();
    let bundles = bundles.filter(|it| !it.deprecation.is_empty());
    PackageFacts {
        versions: versions.collect(),
        deprecations: Deprecations {
            package: optional(package.deprecation.clone()),
            channels: channels
                .map(|it| (it.name.clone(), it.deprecation.clone()))
                .collect(),
            bundles: bundles
                .map(|it| {
                    (
                        it.name.clone(),
                        (it.version.clone(), it.deprecation.clone()),
                    )
                })
                .collect(),
        },
        resolver,
    }
}

pub(in crate::ask) fn encode_question(question: &Question) -> pb::PlanRouteRequest {
    let operators = question.operators.iter().map(encode_asked);
    let others = question.others.iter().map(encode_installation);
    pb::PlanRouteRequest {
        operators: operators.collect(),
        others: others.collect(),
        states: 0,
    }
}

fn encode_asked(asked: &Asked) -> plan_route_request::Operator {
    plan_route_request::Operator {
        catalog: asked.catalog.clone(),
        package: asked.package.clone(),
        channels: asked.channels.iter().cloned().collect(),
        installed: asked.installed.as_ref().map(encode_installation),
        wish: match &asked.wish {
            Goal::Stay => Some(plan_route_request::operator::Wish::Stay(Stay {})),
            Goal::Any => None,
            Goal::Range(range) => Some(plan_route_request::operator::Wish::Range(range.clone())),
        },
        overrides: Some(pb::Overrides {
            ignore_dependencies: asked.ignore_dependencies,
            direct_upgrades: asked.direct_upgrades,
            downgrades: asked.downgrades,
            ignore_conflicts: asked.ignore_conflicts,
        }),
    }
}

fn encode_installation(installed: &Installation) -> pb::InstalledOperator {
    let Requirements {
        packages,
        apis,
        constraints,
    } = &installed.requires;
    pb::InstalledOperator {
        name: installed.bundle.clone(),
        version: installed.version.clone(),
        package: installed.package.clone(),
        described: !installed.is_remembered,
        provides: installed.provides.iter().map(encode_api).collect(),
        requires: Some(pb::Requirements {
            apis: apis.iter().map(encode_api).collect(),
            packages: encode_packages(packages),
            constraints: constraints.clone(),
        }),
        properties: Vec::new(),
    }
}

fn encode_api(api: &Gvk) -> pb::Api {
    pb::Api {
        group: api.group.clone(),
        version: api.version.clone(),
        kind: api.kind.clone(),
    }
}

pub(in crate::ask) fn decode_routes(response: pb::PlanRouteResponse) -> Vec<CommonRoute> {
    response.routes.into_iter().map(decode_route).collect()
}

fn decode_route(route: pb::Route) -> CommonRoute {
    let steps = route.steps.into_iter().map(|step| {
        let moves = step.moves.into_iter().map(|one| Move {
            package: one.package,
            bundle: one.to,
            version: one.version,
        });
        moves.collect()
    });
    let ends = route.ends.into_iter().map(|end| End {
        package: end.package,
        version: end.version,
        blocked: end.blocked.map(decode_blocked),
        wanted: end.wanted.map(|wanted| WantedBundle {
            bundle: wanted.bundle,
            version: wanted.version,
            requires: decode_requirements(wanted.requires.unwrap_or_default()),
        }),
    });
    CommonRoute {
        steps: steps.collect(),
        ends: ends.collect(),
    }
}

fn decode_blocked(blocked: pb::route::Blocked) -> Blocked {
    Blocked {
        is_lacking: is_lacking(&blocked),
        waits: blocked.causes.iter().any(is_dependency),
        sentences: blocked.sentences,
        text: blocked.text,
    }
}

/// Returns true if the cause disappears when another operator is installed or upgraded.
fn is_dependency(cause: &Reason) -> bool {
    matches!(cause.code.as_str(), "Lacking" | "Held")
}

fn decode_requirements(requires: pb::Requirements) -> Requirements {
    let packages = requires.packages.into_iter().map(|it| (it.name, it.range));
    Requirements {
        packages: packages.collect(),
        apis: requires.apis.into_iter().map(decode_api).collect(),
        constraints: requires.constraints,
    }
}

pub(in crate::ask) fn encode_render(bundle: &BundleRef) -> pb::RenderBundleRequest {
    let options = &bundle.options;
    pb::RenderBundleRequest {
        catalog: bundle.catalog.clone(),
        package: bundle.package.clone(),
        bundle: bundle.bundle.clone(),
        options: Some(pb::InstallOptions {
            namespace: options.namespace.clone().unwrap_or_default(),
            watch_namespaces: options.watch_namespaces.iter().cloned().collect(),
            certificates: Certificates::Own.into(),
            like_olm_v1: false,
            config: options.config.clone(),
        }),
        image: String::new(),
    }
}

/// Decodes a rendered bundle.
///
/// # Errors
/// Returns an error if the bundle cannot be installed with these options.
pub(in crate::ask) fn decode_bundle(
    described: pb::GetBundleResponse,
    rendered: pb::RenderBundleResponse,
    with_manifests: bool,
) -> Result<RenderedBundle, Status> {
    if rendered.manifests.is_empty() {
        return Err(Status::failed_precondition(faults(&rendered.faults)));
    }
    let manifests = rendered.manifests.iter().filter(|_| with_manifests);
    let manifests = manifests.map(|manifest| serde_json::from_str(&manifest.object));
    let manifests: Result<Vec<_>, _> = manifests.collect();
    let manifests = manifests.map_err(|error| Status::failed_precondition(error.to_string()))?;
    // A resolver of an older Portolan leaves this field empty.
    let csv = Some(rendered.cluster_service_version.as_str());
    let csv = csv.filter(|csv| with_manifests && !csv.is_empty());
    let csv = csv.map_or(Ok(Value::Null), serde_json::from_str);
    let csv = csv.map_err(|error| Status::failed_precondition(error.to_string()))?;
    let image = image(rendered.source.as_ref());
    Ok(RenderedBundle {
        installs: Installation {
            package: described.package,
            bundle: described.name,
            version: described.version,
            provides: described.provides.into_iter().map(decode_api).collect(),
            requires: decode_requirements(described.requires.unwrap_or_default()),
            is_remembered: false,
        },
        image,
        named: described.image,
        manifests,
        csv,
    })
}

pub(in crate::ask) fn encode_image(image: &ImageRef) -> pb::RenderBundleRequest {
    pb::RenderBundleRequest {
        image: image.image.clone(),
        options: Some(pb::InstallOptions {
            namespace: image.namespace.clone(),
            certificates: Certificates::Own.into(),
            ..pb::InstallOptions::default()
        }),
        ..pb::RenderBundleRequest::default()
    }
}

/// Decodes the content that an image installs, or the reason why it cannot be installed.
pub(in crate::ask) fn decode_image(rendered: &pb::RenderBundleResponse) -> ImageAnswer {
    let invalid = |sentence: String| {
        ImageAnswer::Failed(ImageFault {
            is_invalid: true,
            sentence,
            again: None,
        })
    };
    if rendered.manifests.is_empty() {
        return invalid(faults(&rendered.faults));
    }
    let manifests = rendered.manifests.iter();
    let manifests: Result<Vec<_>, _> = manifests
        .map(|manifest| serde_json::from_str(&manifest.object))
        .collect();
    match manifests {
        Ok(manifests) => ImageAnswer::Read(Arc::new(RenderedImage {
            image: image(rendered.source.as_ref()),
            manifests,
            bundle: bundle(&rendered.cluster_service_version),
        })),
        Err(error) => invalid(error.to_string()),
    }
}

/// Returns the bundle in a ClusterServiceVersion. Returns None if the ClusterServiceVersion has no
/// name. `json` is empty if the resolver does not send the ClusterServiceVersion.
fn bundle(json: &str) -> Option<ResolvedBundle> {
    let csv: Value = serde_json::from_str(json).ok()?;
    let name = csv["metadata"]["name"].as_str()?.to_owned();
    let csv = Csv::of(&csv);
    Some(ResolvedBundle {
        name,
        version: csv.version,
        display_name: csv.display_name,
        description: csv.description,
        provides: csv.provides.into_iter().map(decode_owned).collect(),
        requires: csv.requires.into_iter().map(decode_owned).collect(),
    })
}

fn decode_owned(api: portolan_components::ProvidedApi) -> ResolvedApi {
    ResolvedApi {
        group: api.group,
        version: api.version,
        kind: api.kind,
        plural: api.plural,
    }
}

/// Returns the image from which the files of a bundle come, with its digest. Returns an empty text
/// if the files do not come from an image.
fn image(source: Option<&pb::BundleSource>) -> String {
    match source.and_then(|source| source.source.as_ref()) {
        Some(pb::bundle_source::Source::Image(image)) => image.clone(),
        Some(pb::bundle_source::Source::Path(_) | pb::bundle_source::Source::Catalog(_)) | None => {
            String::new()
        }
    }
}

fn decode_api(api: pb::Api) -> Gvk {
    Gvk {
        group: api.group,
        version: api.version,
        kind: api.kind,
    }
}

/// Returns the first errors of a bundle as one text.
fn faults(faults: &[pb::BundleFault]) -> String {
    let is_error = |fault: &&pb::BundleFault| fault.severity() == Severity::Error;
    let errors: Vec<_> = faults.iter().filter(is_error).collect();
    let told = errors.iter().take(MOST_FAULTS).map(|fault| {
        if fault.file.is_empty() {
            fault.message.clone()
        } else {
            format!("{}:{}: {}", fault.file, fault.line, fault.message)
        }
    });
    let mut text = told.collect::<Vec<_>>().join("; ");
    if errors.len() > MOST_FAULTS {
        text = format!("{text}; and {} more", errors.len() - MOST_FAULTS);
    }
    if text.is_empty() {
        "it has no manifests".to_owned()
    } else {
        text
    }
}
