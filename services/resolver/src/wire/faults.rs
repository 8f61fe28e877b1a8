//! Encodes the faults of catalogs and the reasons for failures.

use portolan_core_catalog::{CatalogPlace, Fault, Severity, Unmet};
use portolan_core_graph as graph;
use portolan_core_graph::Reason;
use portolan_core_names::{CatalogName, PackageName};
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;

use super::{encode_channel, encode_object, encode_optional, encode_reason};
use crate::question::FoundPackage;

/// The maximum number of faults in a response. A broken catalog can have thousands of faults.
const MOST_FAULTS: usize = 20;

/// Encodes the faults that are relevant for a result about a package: the faults of the requested
/// channels, of the documents of the package, and of other catalogs that might contain the package.
pub(super) fn encode_answer_faults(
    found: &FoundPackage<'_>,
    channels: &[graph::ChannelFault],
) -> Vec<pb::Fault> {
    let catalog = found.catalog.name;
    let package = &found.chart.package().name;
    let channels = channels
        .iter()
        .map(|fault| encode_graph_fault(catalog, package, fault));
    let reading = found.catalog.content.faults_about(package);
    let unread = found.unread.iter().map(|(name, offer)| pb::Fault {
        severity: pb::fault::Severity::Warning.into(),
        code: "CatalogUnread".to_owned(),
        message: format!("{}; its content was not examined", offer.excuse(name)),
        catalog: name.to_string(),
        ..pb::Fault::default()
    });
    channels
        .chain(encode_first(catalog, reading))
        .chain(unread)
        .collect()
}

/// Returns the first faults, up to a readable number, and the number of faults that were left out.
pub(super) fn encode_first<'a>(
    catalog: &CatalogName,
    mut faults: impl Iterator<Item = &'a Fault>,
) -> Vec<pb::Fault> {
    let first = faults.by_ref().take(MOST_FAULTS);
    let mut first: Vec<_> = first.map(|fault| encode_fault(catalog, fault)).collect();
    let left_out = faults.count();
    if left_out > 0 {
        first.push(pb::Fault {
            severity: pb::fault::Severity::Warning.into(),
            code: "More".to_owned(),
            message: format!("{left_out} more faults of this catalog are not listed here"),
            catalog: catalog.to_string(),
            ..pb::Fault::default()
        });
    }
    first
}

pub(super) fn encode_fault(catalog: &CatalogName, fault: &Fault) -> pb::Fault {
    pb::Fault {
        severity: encode_severity(fault.severity()),
        code: fault.defect.code().to_owned(),
        message: fault.to_string(),
        catalog: catalog.to_string(),
        package: encode_optional(fault.package.as_ref()),
        channel: String::new(),
        file: fault.file.to_string(),
        line: u32::try_from(fault.line).unwrap_or(u32::MAX),
    }
}

/// Encodes a fault with the location of its channel, in the same form as faults of documents.
pub(super) fn encode_placed_fault(
    (catalog, place): (&CatalogName, &CatalogPlace),
    package: &PackageName,
    fault: &graph::ChannelFault,
) -> pb::Fault {
    let CatalogPlace { file, line, .. } = place;
    pb::Fault {
        message: format!("{}:{line}: {fault}", file.escape_debug()),
        file: file.to_string(),
        line: u32::try_from(*line).unwrap_or(u32::MAX),
        ..encode_graph_fault(catalog, package, fault)
    }
}

fn encode_graph_fault(
    catalog: &CatalogName,
    package: &PackageName,
    fault: &graph::ChannelFault,
) -> pb::Fault {
    pb::Fault {
        severity: encode_severity(fault.severity()),
        code: fault.code().to_owned(),
        message: fault.to_string(),
        catalog: catalog.to_string(),
        package: package.to_string(),
        channel: fault.channel().to_string(),
        ..pb::Fault::default()
    }
}

pub(super) fn encode_unmet(unmet: &Unmet) -> pb::Fault {
    pb::Fault {
        severity: encode_severity(unmet.severity()),
        code: unmet.code().to_owned(),
        message: unmet.to_string(),
        catalog: unmet.catalog.to_string(),
        package: unmet.package.to_string(),
        ..pb::Fault::default()
    }
}

fn encode_severity(severity: Severity) -> i32 {
    let severity = match severity {
        Severity::Error => pb::fault::Severity::Error,
        Severity::Warning => pb::fault::Severity::Warning,
        Severity::Note => pb::fault::Severity::Note,
    };
    severity.into()
}

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
        Reason::NotOffered { package, .. }
        | Reason::NoChannel { package }
        | Reason::NoDefaultChannel { package } => encode_object("Package", package),
    };
    encode_reason(reason.code(), reason.to_string(), object)
}
