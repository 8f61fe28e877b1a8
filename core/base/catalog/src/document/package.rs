//! Reads `olm.package` and `olm.deprecations` documents.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_names::{ChannelName, PackageName};

use super::fields::Fields;
use super::{Content, LineDefect, ReadContext};
use crate::digest::Digest;
use crate::fault::{Defect, Schema, Severity};
use crate::node::Node;

const PACKAGE_KEYS: [&str; 3] = ["defaultChannel", "icon", "description"];

/// The maximum length of a package name in opm, which is the maximum length of a DNS label.
const LONGEST_LABEL: usize = 63;

/// The content of an `olm.package` document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) default_channel: Option<ChannelName>,
    /// The digest of the description and the icon. The description and the icon are not stored.
    pub(crate) display: Digest,
}

pub(super) fn read(
    node: &Node<'_>,
    context: &mut ReadContext<'_>,
) -> Result<(PackageName, Content), LineDefect> {
    let fields = Fields::of("olm.package", node, &PACKAGE_KEYS, context)?;
    let name: PackageName = fields.required("name")?;
    if name.as_str().len() > LONGEST_LABEL || name.as_str().contains('.') {
        let defect = Defect::Doubtful {
            key: "name",
            sentence: format!("opm rejects dots, and more than {LONGEST_LABEL} characters"),
            severity: Severity::Error,
        };
        context.note(fields.error("name", defect));
    }
    let default_channel = fields.parsed("defaultChannel");
    let default_channel = match default_channel {
        Ok(None) => {
            let line = fields.line;
            let defect = Defect::NoDefault;
            context.note(LineDefect { line, defect });
            None
        }
        read => context.settle(read),
    };
    let display = ["description", "icon"].map(|key| fields.find(key).map(|node| &node.value));
    let head = Head {
        default_channel,
        display: Digest::of_texts(display.map(|value| value.map(|value| value.canonical_json()))),
    };
    Ok((name, Content::Package(head)))
}

const DEPRECATIONS_KEYS: [&str; 1] = ["entries"];

const ENTRY_KEYS: [&str; 2] = ["reference", "message"];

const REFERENCE_KEYS: [&str; 2] = ["schema", "name"];

/// A deprecation of an object in the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deprecation {
    pub(crate) schema: Schema,
    /// The name of the deprecated object. Empty for the package itself.
    pub(crate) name: Arc<str>,
    pub(crate) message: Arc<str>,
    pub(crate) line: u64,
}

pub(super) fn read_deprecations(
    node: &Node<'_>,
    context: &mut ReadContext<'_>,
) -> Result<(PackageName, Content), LineDefect> {
    let fields = Fields::of("olm.deprecations", node, &DEPRECATIONS_KEYS, context)?;
    let package = fields.required("package")?;
    let mut seen = BTreeSet::new();
    let mut deprecations: Vec<Deprecation> = Vec::new();
    for node in fields.list("entries")? {
        let read = deprecation(node, context).and_then(|read| {
            if seen.insert((read.schema, read.name.clone())) {
                Ok(read)
            } else {
                Err(LineDefect {
                    line: node.line,
                    defect: Defect::DeprecatedTwice(read.schema),
                })
            }
        });
        match read {
            Ok(deprecation) => deprecations.push(deprecation),
            Err(error) => context.note(error),
        }
    }
    Ok((package, Content::Deprecations(deprecations)))
}

fn deprecation(node: &Node<'_>, context: &mut ReadContext<'_>) -> Result<Deprecation, LineDefect> {
    let fields = Fields::of("a deprecation", node, &ENTRY_KEYS, context)?;
    let message = fields.required_text("message")?;
    let Some(reference) = fields.find("reference") else {
        return Err(fields.missing("reference"));
    };
    let reference = Fields::of("a reference", reference, &REFERENCE_KEYS, context)?;
    let schema = reference.required_text("schema")?;
    let name = reference.text("name")?.unwrap_or_default();
    let schema = match (Schema::of(schema), name) {
        (Some(Schema::Package), "") => Schema::Package,
        (Some(Schema::Package), _) => {
            let sentence = "a reference to the package has no name; omit it";
            return Err(reference.refused("name", &sentence));
        }
        (Some(Schema::Channel | Schema::Bundle), "") => return Err(reference.missing("name")),
        (Some(schema @ (Schema::Channel | Schema::Bundle)), _) => schema,
        (Some(Schema::Deprecations) | None, _) => {
            let schema = crate::node::excerpt(schema);
            let sentence = format!(
                "{schema:?} cannot be deprecated; only olm.package, olm.channel and olm.bundle can"
            );
            return Err(reference.refused("schema", &sentence));
        }
    };
    Ok(Deprecation {
        schema,
        name: context.interner.text(name),
        message: message.into(),
        line: node.line,
    })
}
