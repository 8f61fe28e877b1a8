//! The methods that a process serves, according to its descriptors. Metric labels use only these
//! names.

use std::collections::BTreeMap;

use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use thiserror::Error;

/// The health service. Its calls are not limited. Otherwise an overloaded server would seem dead
/// and would be restarted.
const HEALTH: &str = "grpc.health.v1.Health";

const REFLECTION: [&str; 2] = [
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

/// A gRPC method, or the placeholder for unknown methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Method {
    /// The full name of the service, or "unknown".
    pub(crate) service: String,
    /// The name within the service, or "unknown".
    pub(crate) name: String,
    /// True if the method returns a stream. A stream may run for any time.
    pub(crate) streams: bool,
    /// True if the request is a single message. False for unknown methods.
    pub(crate) asks_once: bool,
    /// The number of the request field that contains the namespace. None if the request has no such
    /// field.
    pub(crate) namespace_field: Option<u32>,
    /// True if calls count toward the limits of concurrent calls and unsent responses, and are
    /// traced and logged. False for health calls.
    pub(crate) counts: bool,
    /// True for reflection. Every known user may call reflection. Reflection has few slots and a
    /// deadline, because its calls are short.
    pub(crate) reflects: bool,
}

/// The methods of a process by their path.
#[derive(Debug, Clone)]
pub(crate) struct Methods {
    known: BTreeMap<String, Method>,
    unknown: Method,
}

/// The error for descriptors that cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot decode the gRPC descriptors")]
pub struct DecodeDescriptors(#[from] prost::DecodeError);

// === impl Methods ===

impl Methods {
    /// Reads the methods from encoded descriptor sets.
    pub(crate) fn decode(sets: &[&[u8]]) -> Result<Self, DecodeDescriptors> {
        let mut files = Vec::new();
        for set in sets {
            files.extend(FileDescriptorSet::decode(*set)?.file);
        }
        let namespaces = files.iter().flat_map(namespace_fields).collect();
        let methods = files.iter().flat_map(|file| methods(file, &namespaces));
        let known = methods.collect();
        let unknown = Method {
            service: "unknown".to_owned(),
            name: "unknown".to_owned(),
            streams: false,
            asks_once: false,
            namespace_field: None,
            counts: true,
            reflects: false,
        };
        Ok(Self { known, unknown })
    }

    /// Returns the method for the path of a request. Returns the method `unknown` for an unknown
    /// path, because a path is user input and must not become a metric label.
    pub(crate) fn at(&self, path: &str) -> &Method {
        self.known.get(path).unwrap_or(&self.unknown)
    }
}

fn methods(
    file: &FileDescriptorProto,
    namespaces: &BTreeMap<String, u32>,
) -> Vec<(String, Method)> {
    let mut methods = Vec::new();
    for service in &file.service {
        let full_name = format!("{}.{}", file.package(), service.name());
        for method in &service.method {
            let path = format!("/{full_name}/{}", method.name());
            let method = Method {
                service: full_name.clone(),
                name: method.name().to_owned(),
                streams: method.server_streaming(),
                asks_once: !method.client_streaming(),
                namespace_field: namespaces.get(method.input_type()).copied(),
                counts: full_name != HEALTH,
                reflects: REFLECTION.contains(&full_name.as_str()),
            };
            methods.push((path, method));
        }
    }
    methods
}

/// Returns the field number of the namespace by message name, for all messages in a file that have
/// a namespace field.
fn namespace_fields(file: &FileDescriptorProto) -> Vec<(String, u32)> {
    let messages = file.message_type.iter().filter_map(|message| {
        let mut fields = message.field.iter();
        let field = fields.find(|field| field.name() == "namespace")?;
        let name = format!(".{}.{}", file.package(), message.name());
        Some((name, u32::try_from(field.number()).ok()?))
    });
    messages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unserved_path_is_an_unknown_method() {
        let methods = Methods::decode(&[tonic_health::pb::FILE_DESCRIPTOR_SET])
            .expect("the health descriptors must decode");
        assert_eq!(
            methods.at("/grpc.health.v1.Health/Watch"),
            &Method {
                service: "grpc.health.v1.Health".to_owned(),
                name: "Watch".to_owned(),
                streams: true,
                asks_once: true,
                namespace_field: None,
                counts: false,
                reflects: false,
            }
        );
        assert_eq!(methods.at("/grpc.health.v1.Health/Hack").service, "unknown");
    }
}
