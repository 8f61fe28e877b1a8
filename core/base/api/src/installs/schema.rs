//! The schema of the spec, for API servers and for `kubectl explain`. The parser checks everything
//! again.

use schemars::Schema;
use serde_json::{Value, json};

use super::intent::{APPROVALS, LONGEST_IMAGE, MOST_CONTENT, MOST_NAMESPACES, TYPES};
use crate::place::LONGEST_LABEL;
use crate::schema::{
    LABEL, PRESERVE, RULES, at_least_one, bounded, finished, list, never, object, rule, same, with,
    word,
};

const NAMESPACES_NEVER: &str =
    "spec.namespaces is immutable; create another Install for the other namespaces";
const ANY: &str = "^[^\\s]+$";
const ONCE: &str = "each namespace can be mapped only once";

pub(super) fn install() -> Schema {
    let schema = object(
        "The content to install, its namespaces, and its approval.",
        json!({
            "approval": word(
                "The approval of the content: Unapproved (the default) or Approved. If the content \
                 needs permissions that the ServiceAccount of the Install lacks, the controller \
                 resets the field to Unapproved. The command `kubectl operator approve \
                 install/NAME` grants these permissions.",
                APPROVALS,
            ),
            "content": with(
                at_least_one(list("The content to install. All entries are installed as one \
                                   unit.", content())),
                "maxItems",
                json!(MOST_CONTENT),
            ),
            "namespaces": namespaces(),
        }),
    );
    let schema = with(schema, "required", json!(["content"]));
    // A rule on the field `namespaces` itself would not prevent users from adding the field later.
    finished(with(
        schema,
        RULES,
        json!([never(&same("namespaces"), NAMESPACES_NEVER)]),
    ))
}

fn namespaces() -> Value {
    let namespace = |description: &str| bounded(description, LABEL, LONGEST_LABEL);
    let mapping = object(
        "Maps one namespace of the manifests to a namespace of the cluster.",
        json!({
            "from": namespace(
                "The namespace in the manifests. The value default also selects the manifests \
                 without a namespace.",
            ),
            "to": namespace("The namespace of the cluster in which the objects are installed."),
        }),
    );
    let mapping = with(mapping, "required", json!(["from", "to"]));
    let mappings = list(
        "Maps namespaces of the manifests to namespaces of the cluster. Immutable.",
        mapping,
    );
    let mappings = with(mappings, "maxItems", json!(MOST_NAMESPACES));
    let once = "self.all(one, self.exists_one(other, other.from == one.from))";
    with(mappings, RULES, json!([rule(once, ONCE)]))
}

fn content() -> Value {
    let raw = with(
        json!({"description": "The manifests as YAML or JSON text, or one manifest as an object. \
                               Required with type Raw. Secrets are not allowed, because they would \
                               be visible in the Install."}),
        PRESERVE,
        json!(true),
    );
    let content = object(
        "An entry of the content.",
        json!({
            "manifestImage": bounded(
                "The bundle image, with its registry and a tag or digest. Required with type \
                 ManifestImage. A tag is resolved once, and its digest is recorded.",
                ANY,
                LONGEST_IMAGE,
            ),
            "raw": raw,
            "type": word(
                "The type of the entry. ManifestImage: the entry is a bundle image. Raw: the entry \
                 contains manifests.",
                TYPES,
            ),
        }),
    );
    // Only the parser checks that the entry has the field that its type requires. The field `raw`
    // has no type in the schema, so a CEL rule cannot refer to it.
    with(content, "required", json!(["type"]))
}
