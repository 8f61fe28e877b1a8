//! The schema of the spec, for API servers and for `kubectl explain`. The parse asks for all of it once more.

use schemars::Schema;
use serde_json::{Value, json};

use super::intent::{APPROVALS, LONGEST_IMAGE, MOST_CONTENT, MOST_NAMESPACES, TYPES};
use crate::place::LONGEST_LABEL;
use crate::schema::{
    LABEL, PRESERVE, RULES, at_least_one, bounded, finished, list, never, object, rule, same, with,
    word,
};

const NAMESPACES_NEVER: &str =
    "spec.namespaces never changes; write another Install that installs into the others";
const ANY: &str = "^[^\\s]+$";
const ONCE: &str = "a namespace is mapped once";

pub(super) fn install() -> Schema {
    let schema = object(
        "What is installed, into which namespaces, and whether it is approved.",
        json!({
            "approval": word(
                "Whether the content may be installed; Unapproved by default. It is set back to Unapproved \
                 when the content takes permissions that the ServiceAccount of the Install does not have: \
                 `kubectl operator approve install/NAME` gives them to it.",
                APPROVALS,
            ),
            "content": with(
                at_least_one(list("What is installed, all of it as one.", content())),
                "maxItems",
                json!(MOST_CONTENT),
            ),
            "namespaces": namespaces(),
        }),
    );
    let schema = with(schema, "required", json!(["content"]));
    // A rule of the field itself would let one come that was not there.
    finished(with(
        schema,
        RULES,
        json!([never(&same("namespaces"), NAMESPACES_NEVER)]),
    ))
}

fn namespaces() -> Value {
    let namespace = |description: &str| bounded(description, LABEL, LONGEST_LABEL);
    let mapping = object(
        "A namespace, and the one that stands in for it.",
        json!({
            "from": namespace("As it is written in the content. What names none is in default."),
            "to": namespace("Where it is installed."),
        }),
    );
    let mapping = with(mapping, "required", json!(["from", "to"]));
    let mappings = list(
        "Which namespaces stand in for those of the content. It never changes.",
        mapping,
    );
    let mappings = with(mappings, "maxItems", json!(MOST_NAMESPACES));
    let once = "self.all(one, self.exists_one(other, other.from == one.from))";
    with(mappings, RULES, json!([rule(once, ONCE)]))
}

fn content() -> Value {
    let raw = with(
        json!({"description": "Manifests as a text of YAML or JSON, or one as an object. No Secrets: whoever \
                               sees an Install would read them."}),
        PRESERVE,
        json!(true),
    );
    let content = object(
        "Something to install.",
        json!({
            "manifestImage": bounded(
                "The image of a bundle, with its registry, and a tag or a digest. What a tag means is looked \
                 up once, and recorded.",
                ANY,
                LONGEST_IMAGE,
            ),
            "raw": raw,
            "type": word(
                "What it is: ManifestImage, which is the image of a bundle, or Raw, which is manifests.",
                TYPES,
            ),
        }),
    );
    // Which field goes with which type only the parse says: a `raw` has no type, so that no rule may ask for it.
    with(content, "required", json!(["type"]))
}
