//! Messages about Operators to generate, and about the effect of one change.

use portolan_core_generate::{
    Autoremove, BundlePath, Change, Diagnostics, Document, Format, Generated, Manager,
    PackageOwner, Request, RequestedOperator,
};
use portolan_core_names::text::cite;
use portolan_core_names::{Version, kubernetes};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::{
    generate_request as request, generate_response as response, preview_request as preview,
};
use serde_json::Value;

use super::resolve::{decode_each, refused};
use super::{decode_text, encode_refs, unknown};
use crate::question::{Generate, GeneratedOperators, Preview, PreviewStep, RequestError, Scope};

/// The maximum number of documents in a configuration. This is about the number of objects in a
/// large cluster.
const MOST_DOCUMENTS: usize = 20_000;

/// The maximum number of requirements, and the maximum number of operators to delete.
const MOST_NAMES: usize = 1_000;

pub(crate) fn decode_generate(request: &pb::GenerateRequest) -> Result<Generate, RequestError> {
    let pb::GenerateRequest {
        configuration,
        manifest,
        wishes,
        deletes,
        autoremove,
        cluster,
        kubernetes,
        scope,
        owners,
    } = request;
    let documents = configuration.as_ref().map(|configuration| {
        let field = "configuration.documents";
        decode_each(
            field,
            &configuration.documents,
            MOST_DOCUMENTS,
            decode_document,
        )
    });
    let unread = configuration.as_ref().map(|it| it.unread.clone());
    let manifest = manifest.as_ref().map(decode_document).transpose();
    let wish = |wish: &String| decode_text::<RequestedOperator>("", wish);
    let live = cluster.as_ref().map(|cluster| {
        let field = "cluster.operators";
        decode_each(field, &cluster.operators, MOST_DOCUMENTS, |object| {
            decode_object("", object)
        })
    });
    let request = Request {
        documents: documents.transpose()?,
        unread: unread.unwrap_or_default(),
        manifest: manifest.map_err(|refusal| refusal.within("manifest"))?,
        wishes: decode_each("wishes", wishes, MOST_NAMES, wish)?,
        deletes: decode_each("deletes", deletes, MOST_NAMES, |name| Ok(name.clone()))?,
        autoremove: decode_autoremove(*autoremove)?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        kubernetes: decode_kubernetes(kubernetes)?,
        live: live.transpose()?,
        owners: decode_owners(owners)?,
    };
    Ok(Generate {
        request,
        scope: decode_scope(scope.as_ref()),
    })
}

pub(crate) fn decode_preview(request: &pb::PreviewRequest) -> Result<Preview, RequestError> {
    let pb::PreviewRequest {
        operators,
        change,
        kubernetes,
        scope,
        owners,
    } = request;
    let operators = decode_each("operators", operators, MOST_DOCUMENTS, |object| {
        decode_object("", object)
    });
    let documents = operators?.into_iter().enumerate().map(|(at, object)| {
        let name = object["metadata"]["name"].as_str();
        Document {
            place: name.map_or_else(
                || format!("operators[{at}]"),
                |name| format!("Operator {name}"),
            ),
            object,
            format: Format::Json,
        }
    });
    let wish = |field, wish: &String| decode_text::<RequestedOperator>(field, wish);
    Ok(Preview {
        operators: documents.collect(),
        step: match change {
            Some(preview::Change::Add(add)) => PreviewStep::Add(wish("add", add)?),
            Some(preview::Change::Upgrade(upgrade)) => {
                PreviewStep::Upgrade(wish("upgrade", upgrade)?)
            }
            Some(preview::Change::Delete(name)) => PreviewStep::Delete(name.clone()),
            None => {
                let sentence = "set what to do: add, upgrade or delete";
                return Err(refused("change", sentence.to_owned()));
            }
        },
        kubernetes: decode_kubernetes(kubernetes)?,
        scope: decode_scope(scope.as_ref()),
        owners: decode_owners(owners)?,
    })
}

fn decode_owners(owners: &[pb::PackageOwner]) -> Result<Vec<PackageOwner>, RequestError> {
    decode_each("owners", owners, MOST_DOCUMENTS, |owner| {
        let pb::PackageOwner {
            package,
            manager,
            object,
            installed,
            remedy: _,
        } = owner;
        let manager = match pb::package_owner::Manager::try_from(*manager) {
            Ok(pb::package_owner::Manager::Unspecified | pb::package_owner::Manager::Olm) => {
                Manager::Olm
            }
            Ok(pb::package_owner::Manager::ClusterExtension) => Manager::ClusterExtension,
            Err(_) => return Err(unknown("manager", *manager, "OLM, CLUSTER_EXTENSION")),
        };
        Ok(PackageOwner {
            package: package.clone(),
            manager,
            object: object.clone(),
            is_installed: *installed,
        })
    })
}

fn decode_scope(scope: Option<&pb::CatalogScope>) -> Scope {
    scope.map_or(Scope::All, |scope| {
        Scope::Within(scope.namespaces.iter().cloned().collect())
    })
}

fn decode_kubernetes(text: &str) -> Result<Option<Version>, RequestError> {
    if text.is_empty() {
        return Ok(None);
    }
    let version = kubernetes::release(text);
    let no_version = || {
        let what = format!(
            "{} is not a version of Kubernetes; write it as 1.34.1",
            cite(text)
        );
        refused("kubernetes", what)
    };
    version.map(Some).ok_or_else(no_version)
}

fn decode_document(document: &request::Document) -> Result<Document, RequestError> {
    let request::Document {
        place,
        object,
        was_json,
    } = document;
    Ok(Document {
        place: place.clone(),
        object: decode_object("object", object)?,
        format: if *was_json {
            Format::Json
        } else {
            Format::Yaml
        },
    })
}

fn decode_object(field: &'static str, object: &str) -> Result<Value, RequestError> {
    serde_json::from_str(object).map_err(|error| refused(field, error.to_string()))
}

fn decode_autoremove(autoremove: i32) -> Result<Autoremove, RequestError> {
    use pb::autoremove::Kind;
    match Kind::try_from(autoremove) {
        Ok(Kind::Unspecified | Kind::No) => Ok(Autoremove::No),
        Ok(Kind::Tell) => Ok(Autoremove::Tell),
        Ok(Kind::Remove) => Ok(Autoremove::Remove),
        Err(_) => Err(unknown("autoremove", autoremove, "NO, TELL, REMOVE")),
    }
}

pub(crate) fn encode_generate(answer: &GeneratedOperators<'_>) -> pb::GenerateResponse {
    let GeneratedOperators {
        catalogs,
        generated,
    } = answer;
    let Generated {
        objects,
        changes,
        format,
        diagnostics,
    } = generated;
    pb::GenerateResponse {
        catalogs: encode_refs(catalogs),
        verdict: encode_verdict(diagnostics).into(),
        objects: objects.iter().map(Value::to_string).collect(),
        changes: changes.iter().map(encode_change).collect(),
        was_json: *format == Format::Json,
        errors: diagnostics.errors.clone(),
        warnings: diagnostics.warnings.clone(),
        notes: diagnostics.notes.clone(),
    }
}

pub(crate) fn encode_preview(answer: &GeneratedOperators<'_>) -> pb::PreviewResponse {
    let pb::GenerateResponse {
        catalogs,
        verdict,
        objects: _,
        changes,
        was_json: _,
        errors,
        warnings,
        notes,
    } = encode_generate(answer);
    pb::PreviewResponse {
        catalogs,
        verdict,
        changes,
        errors,
        warnings,
        notes,
    }
}

fn encode_verdict(diagnostics: &Diagnostics) -> pb::verdict::Kind {
    use pb::verdict::Kind;
    let Diagnostics {
        errors,
        warnings,
        notes: _,
    } = diagnostics;
    match (errors.is_empty(), warnings.is_empty()) {
        (false, _) => Kind::Refused,
        (true, false) => Kind::Warned,
        (true, true) => Kind::Generated,
    }
}

fn encode_change(change: &Change) -> response::Change {
    let Change {
        name,
        version,
        previous,
        available,
        replaced_range,
        path,
        owner,
        // The client compares the CRDs. The resolver does not, because registries may be slow and
        // the resolver does not know the cluster.
        crds: _,
    } = change;
    response::Change {
        name: name.clone(),
        version: version.clone().unwrap_or_default(),
        previous: previous.clone().unwrap_or_default(),
        available: available.clone(),
        replaced_range: replaced_range.clone().unwrap_or_default(),
        path: path.as_ref().map(encode_path),
        owner: owner.as_ref().map(encode_owner),
    }
}

fn encode_owner(owner: &PackageOwner) -> pb::PackageOwner {
    let manager = match owner.manager {
        Manager::ClusterExtension => pb::package_owner::Manager::ClusterExtension,
        Manager::Olm | Manager::Operator | Manager::Install | Manager::Plan => {
            pb::package_owner::Manager::Olm
        }
    };
    pb::PackageOwner {
        package: owner.package.clone(),
        manager: manager.into(),
        object: owner.object.clone(),
        installed: owner.is_installed,
        remedy: owner.remedy().unwrap_or_default(),
    }
}

fn encode_path(path: &BundlePath) -> response::BundlePath {
    let BundlePath {
        catalog,
        package,
        installed,
        bundles,
    } = path;
    response::BundlePath {
        catalog: catalog.clone(),
        package: package.clone(),
        installed: installed.clone().unwrap_or_default(),
        bundles: bundles.clone(),
    }
}
