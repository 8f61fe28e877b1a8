//! What people see of a bundle: the part of its CSV that is read.

use super::fields::Fields;
use super::wanted::{CSV_KEYS, SUBSTITUTES_FOR};
use super::{LineTrouble, ReadContext};
use crate::model::{Display, InstallMode};
use crate::node::{Node, Value};

const MODE_KEYS: [&str; 2] = ["type", "supported"];

/// The metadata of a CSV.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) display: Display,
    /// Whether the bundle says that it takes the place of another one of its version.
    pub(super) is_substitute: bool,
}

pub(super) fn read(
    node: &Node<'_>,
    context: &mut ReadContext<'_>,
) -> Result<Metadata, LineTrouble> {
    let fields = Fields::of("olm.csv.metadata", node, &CSV_KEYS, context)?;
    let text = |key| Ok(fields.text(key)?.filter(|text| !text.is_empty()));
    let mut install_modes = Vec::new();
    for mode in fields.list("installModes")? {
        let mode = Fields::of("an install mode", mode, &MODE_KEYS, context)?;
        install_modes.push(InstallMode {
            name: context.words.text(mode.required_text("type")?),
            is_supported: matches!(
                mode.find("supported").map(|node| &node.value),
                Some(Value::Bool(true))
            ),
        });
    }
    install_modes.sort();
    let annotations = fields.find("annotations").map(|node| &node.value);
    let is_substitute = match annotations {
        Some(Value::Map(entries)) => entries.iter().any(|(key, _)| key == SUBSTITUTES_FOR),
        _ => false,
    };
    Ok(Metadata {
        display: Display {
            name: text("displayName")?.map(|text| context.words.text(text)),
            install_modes,
            min_kube_version: text("minKubeVersion")?.map(|text| context.words.text(text)),
        },
        is_substitute,
    })
}
