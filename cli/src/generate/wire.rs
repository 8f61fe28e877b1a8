//! Converts requests and responses for generated Operators between `core` and the API of the
//! resolver.

use portolan_console::encode_owner;
use portolan_core_generate::{
    Autoremove, BundlePath, Change, Diagnostics, Document, Format, Generated, Manager,
    PackageOwner, Request, RequestedOperator,
};
use portolan_core_names::Version;
use portolan_operators::CrdComparison;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::generate_request::{self as request, Cluster, Configuration};
use portolan_proto::resolver::v1::generate_response as response;
use serde_json::Value;

use crate::failure::Failure;

pub(super) fn encode(request: &Request) -> pb::GenerateRequest {
    let Request {
        documents,
        unread,
        manifest,
        wishes,
        deletes,
        autoremove,
        kubernetes,
        // Not sent: the resolver always writes Operators in its own API version.
        version: _,
        live,
        owners,
    } = request;
    pb::GenerateRequest {
        configuration: documents.as_ref().map(|documents| Configuration {
            documents: documents.iter().map(encode_document).collect(),
            unread: unread.clone(),
        }),
        manifest: manifest.as_ref().map(encode_document),
        wishes: wishes.iter().map(RequestedOperator::to_string).collect(),
        deletes: deletes.clone(),
        autoremove: encode_autoremove(*autoremove).into(),
        kubernetes: kubernetes
            .as_ref()
            .map(Version::to_string)
            .unwrap_or_default(),
        cluster: live.as_ref().map(|operators| Cluster {
            operators: operators.iter().map(Value::to_string).collect(),
        }),
        scope: None,
        owners: owners.iter().map(encode_owner).collect(),
    }
}

fn encode_document(document: &Document) -> request::Document {
    let Document {
        place,
        object,
        format,
    } = document;
    request::Document {
        place: place.clone(),
        object: object.to_string(),
        was_json: *format == Format::Json,
    }
}

fn encode_autoremove(autoremove: Autoremove) -> pb::autoremove::Kind {
    use pb::autoremove::Kind;
    match autoremove {
        Autoremove::No => Kind::No,
        Autoremove::Tell => Kind::Tell,
        Autoremove::Remove => Kind::Remove,
    }
}

/// Decodes the response. This program sets the exit code itself, because it may have printed
/// warnings.
pub(super) fn decode(answer: pb::GenerateResponse) -> Result<Generated, Failure> {
    let objects = answer.objects.iter();
    let objects = objects.map(|object| serde_json::from_str(object));
    Ok(Generated {
        objects: objects.collect::<Result<_, _>>().map_err(Failure::failed)?,
        changes: answer.changes.into_iter().map(decode_change).collect(),
        format: if answer.was_json {
            Format::Json
        } else {
            Format::Yaml
        },
        diagnostics: Diagnostics {
            errors: answer.errors,
            warnings: answer.warnings,
            notes: answer.notes,
        },
    })
}

fn decode_owner(owner: pb::PackageOwner) -> PackageOwner {
    let manager = match owner.manager() {
        pb::package_owner::Manager::ClusterExtension => Manager::ClusterExtension,
        pb::package_owner::Manager::Unspecified | pb::package_owner::Manager::Olm => Manager::Olm,
    };
    PackageOwner {
        package: owner.package,
        manager,
        object: owner.object,
        is_installed: owner.installed,
    }
}

fn decode_change(change: response::Change) -> Change {
    let given = |version: String| Some(version).filter(|version| !version.is_empty());
    Change {
        name: change.name,
        version: given(change.version),
        previous: given(change.previous),
        available: change.available,
        replaced_range: given(change.replaced_range),
        owner: change.owner.map(decode_owner),
        path: change.path.map(|path| BundlePath {
            catalog: path.catalog,
            package: path.package,
            installed: given(path.installed),
            bundles: path.bundles,
        }),
        crds: CrdComparison::default(),
    }
}
