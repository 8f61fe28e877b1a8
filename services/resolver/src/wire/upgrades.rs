//! Encodes upgrades, and bundles that no upgrade reaches.

use portolan_core_catalog::{Api, Deprecations, PackageRequirement, Requirements};
use portolan_core_graph::{
    Blockage, Edges, Missing, Permit, Reachable, Successor, Suggestion, Unreachable,
};
use portolan_core_names::ChannelName;
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;

use super::faults::encode_answer_faults;
use super::faults::encode_graph_reason;
use super::{
    decode_installed, decode_optional, decode_text, encode_channel, encode_head, encode_names,
    encode_object, encode_optional, encode_ref, encode_version, encode_via,
};
use crate::question::{FoundPackage, ListUpgrades, ListedUpgrades, RequestError};

pub(crate) fn decode_list_upgrades(
    request: &pb::ListUpgradesRequest,
) -> Result<ListUpgrades, RequestError> {
    let pb::ListUpgradesRequest {
        catalog,
        package,
        channel,
        installed,
        installed_version,
    } = request;
    Ok(ListUpgrades {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        channel: decode_optional("channel", channel)?,
        installed: decode_installed(installed, installed_version)?,
    })
}

pub(crate) fn encode_list_upgrades(
    question: &ListUpgrades,
    answer: &ListedUpgrades<'_>,
) -> pb::ListUpgradesResponse {
    let ListedUpgrades { found, upgrades } = answer;
    let package = &found.chart.package().name;
    let reasons = upgrades.reasons.iter();
    let successors = upgrades.successors.iter();
    let unreachable = upgrades.unreachable.iter();
    pb::ListUpgradesResponse {
        catalogs: vec![encode_ref(&found.catalog)],
        installed: Some(pb::Installed {
            name: question.installed.name.to_string(),
            version: encode_version(upgrades.installed_version.as_ref()),
            channels: encode_names(&upgrades.installed_in),
        }),
        successors: successors
            .map(|successor| {
                let requires = answer.requires(question, successor);
                encode_successor(successor, &requires)
            })
            .collect(),
        reachable: upgrades.reachable.iter().map(encode_reachable).collect(),
        newer_unreachable: unreachable
            .map(|unreachable| encode_unreachable(unreachable, found))
            .collect(),
        heads: upgrades.heads.iter().map(encode_head).collect(),
        recommended: encode_optional(upgrades.recommended.as_ref()),
        deprecations: encode_deprecations(question, found),
        reasons: reasons
            .map(|reason| encode_graph_reason(reason, package))
            .collect(),
        faults: encode_answer_faults(found, &upgrades.faults),
    }
}

fn encode_successor(
    successor: &Successor,
    requires: &Requirements,
) -> pb::list_upgrades_response::Successor {
    let Successor {
        bundle,
        permits,
        is_downgrade,
    } = successor;
    pb::list_upgrades_response::Successor {
        name: bundle.name.to_string(),
        version: encode_version(bundle.version.as_ref()),
        via: encode_permits(permits),
        channels: encode_names(permits.iter().map(|permit| &permit.channel)),
        downgrade: *is_downgrade,
        deprecation: encode_optional(bundle.deprecation.as_deref()),
        requires: Some(encode_requirements(requires)),
    }
}

/// Encodes the edges that permit an upgrade, from all channels together.
pub(super) fn encode_permits(permits: &[Permit]) -> Vec<i32> {
    let edges = permits.iter().map(|permit| permit.edges);
    encode_via(edges.fold(Edges::NONE, Edges::union))
}

pub(super) fn encode_requirements(requires: &Requirements) -> pb::Requirements {
    let Requirements {
        apis,
        packages,
        constraints,
    } = requires;
    let encode_package = |requirement: &PackageRequirement| pb::requirements::Package {
        name: requirement.package.to_string(),
        range: requirement.text.to_string(),
    };
    pb::Requirements {
        apis: apis.iter().map(encode_api).collect(),
        packages: packages.iter().map(encode_package).collect(),
        constraints: constraints
            .iter()
            .map(|constraint| constraint.text().to_owned())
            .collect(),
    }
}

pub(super) fn encode_api(api: &Api) -> pb::Api {
    let Api {
        group,
        version,
        kind,
    } = api;
    pb::Api {
        group: group.to_string(),
        version: version.to_string(),
        kind: kind.to_string(),
    }
}

fn encode_reachable(reachable: &Reachable) -> pb::Reachable {
    let Reachable { bundle, hops } = reachable;
    pb::Reachable {
        name: bundle.name.to_string(),
        version: encode_version(bundle.version.as_ref()),
        hops: *hops,
    }
}

fn encode_unreachable(
    unreachable: &Unreachable,
    found: &FoundPackage<'_>,
) -> pb::list_upgrades_response::Unreachable {
    let Unreachable {
        bundle,
        channels,
        blockage,
    } = unreachable;
    pb::list_upgrades_response::Unreachable {
        name: bundle.name.to_string(),
        version: encode_version(bundle.version.as_ref()),
        channels: encode_names(channels),
        blockage: Some(encode_blockage(blockage, found)),
    }
}

pub(super) fn encode_blockage(blockage: &Blockage, found: &FoundPackage<'_>) -> pb::Blockage {
    let text = blockage.to_string();
    let Blockage {
        installed,
        destination: _,
        channel: _,
        furthest,
        missing,
        reasons,
        faults: _,
        suggestions,
    } = blockage;
    let start = || pb::Reachable {
        name: installed.name.to_string(),
        version: encode_version(installed.version.as_ref()),
        hops: 0,
    };
    let missing = missing
        .as_ref()
        .map(|Missing { from, to }| pb::blockage::Missing {
            from: from.to_string(),
            to: to.to_string(),
        });
    let package = &found.chart.package().name;
    pb::Blockage {
        furthest: Some(furthest.as_ref().map_or_else(start, encode_reachable)),
        missing: Some(missing.unwrap_or_default()),
        reasons: reasons
            .iter()
            .map(|reason| encode_graph_reason(reason, package))
            .collect(),
        suggestions: suggestions.iter().map(encode_suggestion).collect(),
        text,
    }
}

fn encode_suggestion(suggestion: &Suggestion) -> pb::blockage::Suggestion {
    pb::blockage::Suggestion {
        code: suggestion.code().to_owned(),
        message: suggestion.to_string(),
        channel: encode_optional(suggestion.channel()),
        r#unsafe: suggestion.is_unsafe(),
    }
}

/// Encodes the deprecations of the package, channel and bundle in the query.
fn encode_deprecations(question: &ListUpgrades, found: &FoundPackage<'_>) -> Vec<pb::Deprecation> {
    let installed = &question.installed.name;
    let bundle = found.chart.package().deprecations.bundles.get(installed);
    let bundle = bundle.map(|message| pb::Deprecation {
        object: Some(encode_object("Bundle", installed)),
        message: message.to_string(),
    });
    let mut deprecations = encode_given_up(found, question.channel.as_ref());
    deprecations.extend(bundle);
    deprecations
}

/// Encodes the deprecations of a package, and of the requested channel or of all its channels.
pub(super) fn encode_given_up(
    found: &FoundPackage<'_>,
    channel: Option<&ChannelName>,
) -> Vec<pb::Deprecation> {
    let name = &found.chart.package().name;
    let Deprecations {
        package,
        channels,
        bundles: _,
    } = &found.chart.package().deprecations;
    let encode = |object: basis::ObjectRef, message: &str| pb::Deprecation {
        object: Some(object),
        message: message.to_owned(),
    };
    let package = package.iter();
    let package = package.map(|message| encode(encode_object("Package", name), message));
    let asked = channels
        .iter()
        .filter(|(of, _)| channel.is_none_or(|channel| channel == *of));
    let channels = asked.map(|(of, message)| encode(encode_channel(name, of), message));
    package.chain(channels).collect()
}
