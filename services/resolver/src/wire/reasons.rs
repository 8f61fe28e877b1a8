//! Why an answer is as it is.

use portolan_core_graph::Reason;
use portolan_core_names::PackageName;
use portolan_proto::basis::v1 as basis;

use super::{encode_channel, encode_object, encode_reason};

pub(super) fn encode_graph_reason(reason: &Reason, package: &PackageName) -> basis::Reason {
    let channel = |name| encode_channel(package, name);
    let object = match reason {
        Reason::NoSuccessor { channels, .. } => match channels.as_slice() {
            [only] => channel(only),
            _ => encode_object("Package", package),
        },
        Reason::AtHead { channel: name, .. }
        | Reason::OlmStops { channel: name, .. }
        | Reason::NoHeadBundle { channel: name } => channel(name),
        Reason::NoEdge { to: bundle, .. }
        | Reason::NotInChannel { bundle, .. }
        | Reason::OnlyPrereleases { newest: bundle }
        | Reason::Below {
            destination: bundle,
            ..
        }
        | Reason::LeaptOver {
            destination: bundle,
            ..
        }
        | Reason::UnknownVersion {
            installed: bundle, ..
        } => encode_object("Bundle", bundle),
        Reason::NotOffered { package, .. } | Reason::NoDefaultChannel { package } => {
            encode_object("Package", package)
        }
    };
    encode_reason(reason.code(), reason.to_string(), object)
}
