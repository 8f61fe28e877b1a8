//! Encodes packages and bundles.

use portolan_core_catalog::{Bundle, Display, InstallMode, Package, RelatedImage};
use portolan_core_graph::{Charted, Head, heads};
use portolan_core_names::{CatalogName, ChannelName};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::{
    get_bundle_response as bundle, get_package_response as package, list_packages_response as list,
};

use super::faults::encode_answer_faults;
use super::upgrades::{encode_api, encode_requirements};
use super::{
    count, decode_optional, decode_page, decode_text, encode_head, encode_names, encode_optional,
    encode_ref, encode_refs, encode_token,
};
use crate::question::{
    DescribedBundle, DescribedPackage, GetBundle, GetPackage, ListPackages, ListedPackages,
    NameBundle, RequestError,
};
use crate::source::{BundleRest, PackageRest};

pub(crate) fn decode_list_packages(
    request: &pb::ListPackagesRequest,
) -> Result<ListPackages, RequestError> {
    let pb::ListPackagesRequest {
        catalog,
        page_size,
        page_token,
    } = request;
    Ok(ListPackages {
        catalog: decode_optional("catalog", catalog)?,
        page: decode_page(*page_size, page_token)?,
    })
}

pub(crate) fn encode_list_packages(answer: &ListedPackages<'_>) -> pb::ListPackagesResponse {
    let ListedPackages { catalogs, packages } = answer;
    let items = packages.items.iter();
    pb::ListPackagesResponse {
        catalogs: encode_refs(catalogs),
        packages: items
            .map(|(catalog, chart)| encode_listed(catalog, chart))
            .collect(),
        next_page_token: encode_token(packages),
    }
}

fn encode_listed(catalog: &CatalogName, chart: &Charted) -> list::Package {
    let package = chart.package();
    let default = package.default_channel.as_ref();
    let heads = default_heads(package);
    let newest = heads
        .first()
        .and_then(|head| package.bundles.get(&head.bundle));
    list::Package {
        catalog: catalog.to_string(),
        name: package.name.to_string(),
        display_name: encode_optional(newest.and_then(|bundle| bundle.display.name.as_deref())),
        default_channel: encode_optional(default),
        heads: heads.iter().map(encode_head).collect(),
        channels: count(package.channels.len()),
        bundles: count(package.bundles.len()),
        deprecation: encode_optional(package.deprecations.package.as_deref()),
    }
}

/// Returns the heads of the default channel, newest first. Builds no graph, because a list may have
/// hundreds of packages.
fn default_heads(package: &Package) -> Vec<Head> {
    let default = package.default_channel.as_ref();
    let channel = default.and_then(|name| package.channels.get(name));
    let heads = channel.into_iter().flat_map(|channel| {
        heads(channel).map(|name| Head {
            channel: channel.name.clone(),
            bundle: name.clone(),
            version: package
                .bundles
                .get(name)
                .map(|bundle| bundle.version.clone()),
        })
    });
    let mut heads: Vec<_> = heads.collect();
    // The sort is stable, so bundles with equal versions keep the order of their names.
    heads.sort_by(|a, b| b.version.cmp(&a.version));
    heads
}

fn heads_of(heads: Vec<Head>, channel: Option<&ChannelName>) -> Vec<Head> {
    let is_asked = |head: &Head| Some(&head.channel) == channel;
    heads.into_iter().filter(is_asked).collect()
}

pub(crate) fn decode_get_package(
    request: &pb::GetPackageRequest,
) -> Result<GetPackage, RequestError> {
    let pb::GetPackageRequest {
        catalog,
        package,
        icon,
    } = request;
    Ok(GetPackage {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        wants_icon: *icon,
    })
}

pub(crate) fn encode_get_package(
    question: &GetPackage,
    answer: &DescribedPackage<'_>,
    rest: PackageRest,
) -> pb::GetPackageResponse {
    let PackageRest {
        description,
        icon,
        not_given,
    } = rest;
    let icon = icon.filter(|_| question.wants_icon);
    let icon = icon.map(|icon| package::Icon {
        media_type: icon.media_type,
        data: icon.bytes,
    });
    let (package, graph) = (answer.package(), answer.graph());
    let deprecations = &package.deprecations;
    let channels = package.channels.values().map(|channel| {
        let heads = heads_of(graph.heads(), Some(&channel.name));
        package::Channel {
            name: channel.name.to_string(),
            heads: heads.iter().map(encode_head).collect(),
            entries: count(channel.entries.len()),
            deprecation: encode_optional(deprecations.channels.get(&channel.name)),
        }
    });
    let bundles = graph.nodes().iter().filter_map(|node| {
        let bundle = package.bundles.get(&node.name)?;
        Some(package::Bundle {
            name: bundle.name.to_string(),
            version: bundle.version.to_string(),
            release: encode_optional(bundle.release.as_ref()),
            channels: encode_names(package.channels_of(&bundle.name)),
            deprecation: encode_optional(node.deprecation.as_deref()),
        })
    });
    pb::GetPackageResponse {
        catalogs: vec![encode_ref(&answer.found.catalog)],
        name: package.name.to_string(),
        default_channel: encode_optional(package.default_channel.as_ref()),
        description: description.unwrap_or_default(),
        icon: Some(icon.unwrap_or_default()),
        deprecation: encode_optional(deprecations.package.as_deref()),
        channels: channels.collect(),
        bundles: bundles.collect(),
        faults: encode_answer_faults(&answer.found, graph.faults()),
        not_given: encode_names(not_given),
    }
}

pub(crate) fn decode_get_bundle(
    request: &pb::GetBundleRequest,
) -> Result<NameBundle, RequestError> {
    let pb::GetBundleRequest {
        catalog,
        package,
        bundle,
        objects,
    } = request;
    Ok(NameBundle {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_optional("package", package)?,
        bundle: decode_text("bundle", bundle)?,
        wants_objects: *objects,
    })
}

pub(crate) fn encode_get_bundle(
    question: &GetBundle,
    answer: &DescribedBundle<'_>,
    rest: BundleRest,
) -> pb::GetBundleResponse {
    let DescribedBundle { found, bundle } = answer;
    let BundleRest {
        properties,
        objects,
        whole,
        not_given,
    } = rest;
    let package = found.chart.package();
    let Bundle {
        name,
        version,
        release,
        image,
        has_objects: _,
        related_images,
        provides,
        requires,
        max_openshift_version,
        is_prohibited,
        display,
        properties: _,
        place: _,
    } = whole.as_deref().unwrap_or(bundle);
    let Display {
        name: display_name,
        install_modes,
        min_kube_version,
    } = display;
    pb::GetBundleResponse {
        catalogs: vec![encode_ref(&found.catalog)],
        package: package.name.to_string(),
        name: name.to_string(),
        version: version.to_string(),
        release: encode_optional(release.as_ref()),
        channels: encode_names(package.channels_of(name)),
        deprecation: encode_optional(package.deprecations.bundles.get(name)),
        prohibited: *is_prohibited,
        display_name: encode_optional(display_name.as_deref()),
        image: encode_optional(image.as_deref()),
        related_images: related_images.iter().map(encode_image).collect(),
        install_modes: install_modes.iter().map(encode_mode).collect(),
        provides: provides.iter().map(encode_api).collect(),
        requires: Some(encode_requirements(requires)),
        min_kube_version: encode_optional(min_kube_version.as_deref()),
        max_openshift_version: encode_optional(max_openshift_version.as_deref()),
        properties: properties.into_iter().map(encode_property).collect(),
        objects: if question.wants_objects {
            objects
        } else {
            Vec::new()
        },
        not_given: encode_names(not_given),
    }
}

fn encode_property((kind, value): (String, String)) -> bundle::Property {
    bundle::Property {
        r#type: kind,
        value,
    }
}

fn encode_image(image: &RelatedImage) -> bundle::Image {
    let RelatedImage { name, image } = image;
    bundle::Image {
        name: name.to_string(),
        image: image.to_string(),
    }
}

fn encode_mode(mode: &InstallMode) -> bundle::InstallMode {
    let InstallMode { name, is_supported } = mode;
    bundle::InstallMode {
        name: name.to_string(),
        supported: *is_supported,
    }
}
