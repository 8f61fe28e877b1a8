//! Messages about the manifests that bundles install, and about changes between bundles.

use portolan_core_bundle::{
    BundleFault, Certificate, Certificates, Config, Difference, Extent, Manifest, Permission,
    RenderRefusal, Severity,
};
use portolan_core_names::ObjectRef;
use portolan_images::Reference;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::{
    bundle_fault, bundle_source, diff_bundles_response as diff, install_options,
    render_bundle_response as render,
};
use tonic::Status;

use super::{decode_optional, decode_text, encode_ref, encode_unread};
use crate::bundles;
use crate::question::{
    Answering, Asked, DiffBundles, GetBundle, Installed, Installing, NotRendered, Outcome,
    RenderBundle, Rendered, RequestError,
};

pub(crate) fn decode_render_bundle(
    request: &pb::RenderBundleRequest,
) -> Result<RenderBundle, RequestError> {
    let pb::RenderBundleRequest {
        catalog,
        package,
        bundle,
        options,
        image,
    } = request;
    let asked = if image.is_empty() {
        Asked::Listed(decode_bundle([catalog, package, bundle])?)
    } else {
        Asked::Image(decode_image(image, [catalog, package, bundle])?)
    };
    Ok(RenderBundle {
        bundle: asked,
        installing: options.as_ref().map(decode_options).transpose()?,
    })
}

/// Decodes the request for a bundle of a catalog.
pub(crate) fn decode_bundle(
    [catalog, package, bundle]: [&str; 3],
) -> Result<GetBundle, RequestError> {
    Ok(GetBundle {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        bundle: decode_text("bundle", bundle)?,
        wants_objects: true,
    })
}

/// Decodes the request for an image.
fn decode_image(image: &str, listed: [&String; 3]) -> Result<Reference, RequestError> {
    let refused = |message: String| RequestError::Field {
        field: "image".into(),
        message,
    };
    if listed.iter().any(|it| !it.is_empty()) {
        let sentence = "cannot be combined with the name of a bundle; omit one of them";
        return Err(refused(sentence.to_owned()));
    }
    image.parse().map_err(|why| refused(format!("{why}")))
}

pub(crate) fn decode_diff_bundles(
    request: &pb::DiffBundlesRequest,
) -> Result<DiffBundles, RequestError> {
    let pb::DiffBundlesRequest {
        catalog,
        package,
        from,
        to,
        options,
    } = request;
    Ok(DiffBundles {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        from: decode_text("from", from)?,
        to: decode_text("to", to)?,
        installing: options.as_ref().map(decode_options).transpose()?,
    })
}

pub(crate) fn decode_options(options: &pb::InstallOptions) -> Result<Installing, RequestError> {
    let pb::InstallOptions {
        namespace,
        watch_namespaces,
        certificates,
        like_olm_v1,
        config,
    } = options;
    let asked = install_options::Certificates::try_from(*certificates);
    let asked = asked.map_err(|_| RequestError::Field {
        field: "options.certificates".into(),
        message: format!("{certificates} is not a source of certificates"),
    })?;
    Ok(Installing {
        namespace: namespace.clone(),
        watched: watch_namespaces.iter().cloned().collect(),
        certificates: match asked {
            install_options::Certificates::Unspecified
            | install_options::Certificates::CertManager => Certificates::CertManager,
            install_options::Certificates::Own => Certificates::Own,
            install_options::Certificates::ServiceCa => Certificates::ServiceCa,
            install_options::Certificates::None => Certificates::None,
        },
        is_like_olm_v1: *like_olm_v1,
        config: decode_config(config)?,
    })
}

fn decode_config(text: &str) -> Result<Config, RequestError> {
    if text.is_empty() {
        return Ok(Config::default());
    }
    let refused = |message: String| RequestError::Field {
        field: "options.config".into(),
        message,
    };
    let config = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
    Config::parse(&config).map_err(|sentences| refused(sentences.join("; ")))
}

/// Encodes the error for a bundle that cannot be rendered.
pub(crate) fn encode_not_rendered(why: NotRendered) -> Status {
    match why {
        NotRendered::Refused(refusal) => refusal.into(),
        NotRendered::Origin(origin) => encode_unread(&origin),
        NotRendered::Files(why) if why.may_pass() => {
            Status::unavailable(portolan_shell::with_causes(&why))
        }
        NotRendered::Files(why) => Status::failed_precondition(portolan_shell::with_causes(&why)),
    }
}

pub(crate) fn encode_render_bundle(
    catalog: Option<&Answering<'_>>,
    rendered: &Rendered,
) -> pb::RenderBundleResponse {
    pb::RenderBundleResponse {
        catalogs: catalog.map(encode_ref).into_iter().collect(),
        source: Some(encode_source(&rendered.from)),
        ..encode_outcome(&rendered.outcome)
    }
}

/// Encodes the fields of the response that do not depend on where the files were found.
pub(crate) fn encode_outcome(outcome: &Outcome) -> pb::RenderBundleResponse {
    match outcome {
        Ok(Installed {
            bundle: _,
            manifests,
            csv,
            certificates,
            warnings,
        }) => pb::RenderBundleResponse {
            manifests: manifests.iter().map(encode_manifest).collect(),
            cluster_service_version: csv.to_string(),
            certificates: certificates.iter().map(encode_certificate).collect(),
            faults: warnings.iter().map(encode_fault).collect(),
            ..pb::RenderBundleResponse::default()
        },
        Err(refusals) => pb::RenderBundleResponse {
            faults: refusals.iter().map(encode_refusal).collect(),
            ..pb::RenderBundleResponse::default()
        },
    }
}

fn encode_certificate(certificate: &Certificate) -> render::Certificate {
    let Certificate {
        namespace,
        secret,
        names,
    } = certificate;
    render::Certificate {
        namespace: namespace.clone(),
        secret: secret.clone(),
        hosts: names.clone(),
    }
}

fn encode_manifest(manifest: &Manifest) -> render::Manifest {
    render::Manifest {
        object: manifest.object.to_string(),
        origin: manifest.origin.to_string(),
        notes: manifest.notes.clone(),
    }
}

fn encode_source(from: &bundles::From) -> pb::BundleSource {
    let source = match from {
        bundles::From::Image(image) => bundle_source::Source::Image(image.to_string()),
        bundles::From::Path(path) => bundle_source::Source::Path(path.display().to_string()),
        bundles::From::Catalog(name) => bundle_source::Source::Catalog(name.to_string()),
    };
    pb::BundleSource {
        source: Some(source),
    }
}

fn encode_fault(fault: &BundleFault) -> pb::BundleFault {
    let severity = match fault.severity {
        Severity::Error => bundle_fault::Severity::Error,
        Severity::Warning => bundle_fault::Severity::Warning,
    };
    pb::BundleFault {
        severity: severity.into(),
        code: fault.code.to_string(),
        file: fault.file.to_string(),
        line: fault.line,
        message: fault.sentence.clone(),
        option: String::new(),
    }
}

fn encode_refusal(refusal: &RenderRefusal) -> pb::BundleFault {
    match refusal {
        RenderRefusal::Invalid(fault) => encode_fault(fault),
        RenderRefusal::Option { option, sentence } => pb::BundleFault {
            severity: bundle_fault::Severity::Error.into(),
            message: sentence.clone(),
            option: field(option).to_owned(),
            ..pb::BundleFault::default()
        },
        RenderRefusal::Unsupported(sentence) => pb::BundleFault {
            severity: bundle_fault::Severity::Error.into(),
            message: sentence.clone(),
            ..pb::BundleFault::default()
        },
    }
}

/// Returns the name of the request field that sets an option.
fn field(option: &str) -> &str {
    match option {
        "targets" => "watch_namespaces",
        other => other,
    }
}

pub(crate) fn encode_diff_bundles(
    catalog: &Answering<'_>,
    [from, to]: [&Rendered; 2],
    changes: Option<Difference>,
) -> pb::DiffBundlesResponse {
    pb::DiffBundlesResponse {
        catalogs: vec![encode_ref(catalog)],
        from: Some(encode_source(&from.from)),
        to: Some(encode_source(&to.from)),
        ..encode_changes([&from.outcome, &to.outcome], changes)
    }
}

/// Encodes the fields of the response that do not depend on where the files were found.
pub(crate) fn encode_changes(
    [from, to]: [&Outcome; 2],
    changes: Option<Difference>,
) -> pb::DiffBundlesResponse {
    let faults = |outcome: &Outcome| match outcome {
        Ok(_) => Vec::new(),
        Err(refusals) => refusals.iter().map(encode_refusal).collect(),
    };
    let Difference {
        breaks,
        migrations,
        versions,
        grown,
        added,
        removed,
        changed,
        images_added,
        images_removed,
        coarse,
    } = changes.unwrap_or_default();
    let file = |definition: &str| {
        let installed = to.as_ref().ok();
        let manifests = installed.map_or(&[][..], |it| it.manifests.as_slice());
        let found = manifests.iter().find(|manifest| {
            let ObjectRef { kind, name, .. } = manifest.identity();
            kind.is_definition() && name == definition
        });
        found.map(|it| it.origin.to_string()).unwrap_or_default()
    };
    let breaks = breaks.into_iter().flat_map(|(definition, breaks)| {
        let file = file(&definition);
        breaks.into_iter().map(move |it| diff::Break {
            definition: definition.clone(),
            version: it.version,
            path: it.path,
            check: it.check.to_owned(),
            message: it.sentence,
            file: file.clone(),
        })
    });
    let migrations = migrations
        .into_iter()
        .map(|(definition, it)| diff::Migration {
            definition,
            drops: it.drops,
            to: it.to.unwrap_or_default(),
        });
    let versions = versions.into_iter().map(|(definition, it)| diff::Versions {
        definition,
        added: it.added,
        removed: it.removed,
        stored: it.stored.unwrap_or_default(),
    });
    pb::DiffBundlesResponse {
        catalogs: Vec::new(),
        from: None,
        to: None,
        from_faults: faults(from),
        to_faults: faults(to),
        breaks: breaks.collect(),
        migrations: migrations.collect(),
        versions: versions.collect(),
        grown: grown.into_iter().map(encode_permission).collect(),
        added: encode_objects(added),
        removed: encode_objects(removed),
        changed: encode_objects(changed),
        images_added,
        images_removed,
        coarse,
    }
}

fn encode_permission(Permission { extent, rule }: Permission) -> diff::Permission {
    diff::Permission {
        namespace: match extent {
            Extent::Cluster => String::new(),
            Extent::Namespace(namespace) => namespace,
        },
        verbs: rule.verbs.into_iter().collect(),
        api_groups: rule.api_groups.into_iter().collect(),
        resources: rule.resources.into_iter().collect(),
        resource_names: rule.resource_names.into_iter().collect(),
        non_resource_urls: rule.non_resource_urls.into_iter().collect(),
    }
}

fn encode_objects(objects: Vec<ObjectRef>) -> Vec<diff::Object> {
    let encode = |identity: ObjectRef| diff::Object {
        group: identity.kind.group,
        kind: identity.kind.kind,
        namespace: identity.namespace.unwrap_or_default(),
        name: identity.name,
    };
    objects.into_iter().map(encode).collect()
}
