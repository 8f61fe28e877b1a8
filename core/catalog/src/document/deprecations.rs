//! `olm.deprecations`

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_names::PackageName;

use super::fields::Fields;
use super::{Content, LineTrouble, ReadContext};
use crate::fault::{Schema, Trouble};
use crate::node::Node;

const KEYS: [&str; 1] = ["entries"];

const ENTRY_KEYS: [&str; 2] = ["reference", "message"];

const REFERENCE_KEYS: [&str; 2] = ["schema", "name"];

/// One thing that its author gives up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deprecation {
    pub(crate) schema: Schema,
    /// Empty for the package itself.
    pub(crate) name: Arc<str>,
    pub(crate) message: Arc<str>,
    pub(crate) line: u64,
}

pub(super) fn read(
    node: &Node<'_>,
    context: &mut ReadContext<'_>,
) -> Result<(PackageName, Content), LineTrouble> {
    let fields = Fields::of("olm.deprecations", node, &KEYS, context)?;
    let package = fields.required("package")?;
    let mut seen = BTreeSet::new();
    let mut deprecations: Vec<Deprecation> = Vec::new();
    for node in fields.list("entries")? {
        let read = deprecation(node, context).and_then(|read| {
            match seen.insert((read.schema, read.name.clone())) {
                true => Ok(read),
                false => Err(LineTrouble {
                    line: node.line,
                    trouble: Trouble::DeprecatedTwice(read.schema),
                }),
            }
        });
        match read {
            Ok(deprecation) => deprecations.push(deprecation),
            Err(error) => context.note(error),
        }
    }
    Ok((package, Content::Deprecations(deprecations)))
}

fn deprecation(node: &Node<'_>, context: &mut ReadContext<'_>) -> Result<Deprecation, LineTrouble> {
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
            let sentence = "a reference to the package has no name; leave it out";
            return Err(reference.refused("name", &sentence));
        }
        (Some(Schema::Channel | Schema::Bundle), "") => return Err(reference.missing("name")),
        (Some(schema @ (Schema::Channel | Schema::Bundle)), _) => schema,
        (Some(Schema::Deprecations) | None, _) => {
            let schema = crate::node::excerpt(schema);
            let sentence = format!(
                "{schema:?} cannot be deprecated, only olm.package, olm.channel and olm.bundle"
            );
            return Err(reference.refused("schema", &sentence));
        }
    };
    Ok(Deprecation {
        schema,
        name: context.words.text(name),
        message: message.into(),
        line: node.line,
    })
}
