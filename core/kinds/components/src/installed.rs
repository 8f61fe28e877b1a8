//! Decides the changes of an Operator's Install. The spec of the Operator names an image or a
//! catalog.

mod state;

use portolan_api::components::{ConditionType, GROUP, Reason, STORAGE, VERSION};
use portolan_core_names::text::{cite, some};
use serde_json::{Map, Value, json};

pub(crate) use state::{condition, diverged_from_content, pending, unread};

use crate::component::{Component, Install};
use crate::contents::{Ask, Outcome, outcome};
use crate::csv::metadata;
use crate::decide::{Judgment, Observation, Operator, UndatedCondition};
use crate::fleet::{FleetOperator, Held};
use crate::label::label_key;
use crate::source::{BUNDLES, Bundle, Source};

/// The maximum number of names that a sentence lists.
const NAMED: usize = 6;

/// The change of the Install of an Operator.
#[derive(Debug, Clone, PartialEq)]
pub enum Installation {
    /// Creates the Install.
    Make(Value),
    /// Replaces the content of the Install.
    Change {
        name: String,
        content: Value,
        /// The value of the annotation that lists the bundles of the content. None if the content
        /// does not come from a catalog.
        bundles: Option<String>,
        /// True if the new content needs a new approval before it is installed.
        is_unapproved: bool,
    },
}

/// Returns the content of the Install of an Operator that is installed from a catalog. Returns None
/// for any other Operator.
///
/// # Errors
///
/// Returns the query that catalogs must answer first.
pub(crate) fn wanted(observation: &Observation) -> Result<Option<Outcome>, Ask> {
    let Observation {
        operator,
        components,
        are_installs_made,
        fleet,
        knowledge,
        ..
    } = observation;
    let source = Source::of(operator.stored.spec.as_ref()).filter(|_| *are_installs_made);
    let source = match source {
        None => return Ok(None),
        Some(Err(sentence)) => {
            return Ok(Some(Outcome::Refused(Reason::SourceInvalid, sentence)));
        }
        Some(Ok(source)) => source,
    };
    let install = install(operator, components);
    if install.is_some_and(|it| !is_own(operator, it)) {
        let sentence = format!(
            "Install {} already exists and does not belong to the Operator; delete the Install or \
             the Operator",
            operator.name
        );
        return Ok(Some(Outcome::Refused(Reason::InstallNotOwned, sentence)));
    }
    // If there are such components, OLM has installed them.
    let is_of_olm = |it: &Component| it.csv().is_some() || it.subscription().is_some();
    if install.is_none() && components.iter().any(is_of_olm) {
        let sentence = "OLM has installed the components of the Operator".to_owned();
        return Ok(Some(Outcome::Refused(Reason::InstalledByOLM, sentence)));
    }
    let member = FleetOperator {
        source,
        is_deleting: false,
        // The Install was read just now, so it may be newer than the fleet.
        held: install.map(|it| it.held.clone()),
    };
    outcome(fleet, &operator.name, &member, knowledge).map(Some)
}

/// Returns the change of the Operator's Install. Returns None if no change is needed, or if the
/// Install belongs to another owner.
pub(crate) fn installation(
    observation: &Observation,
    wanted: Option<&Outcome>,
) -> Option<Installation> {
    let Observation {
        operator,
        components,
        are_installs_made,
        ..
    } = observation;
    let spec = operator.stored.spec.as_ref();
    let (content, bundles) = match wanted {
        Some(Outcome::Content { record, .. }) => (record.content(), Some(record.to_text())),
        Some(Outcome::Refused(..)) => return None,
        None => (are_installs_made.then(|| content(spec)).flatten()?, None),
    };
    match install(operator, components) {
        None => Some(Installation::Make(made(operator, &content, bundles))),
        Some(install) if is_own(operator, install) && install.content != content => {
            let source = Source::of(spec).and_then(Result::ok);
            Some(Installation::Change {
                name: operator.name.clone(),
                content,
                bundles,
                is_unapproved: source.is_some_and(|it| it.is_manual),
            })
        }
        Some(_) => None,
    }
}

/// Returns the Install with the name of the Operator, even if it belongs to another owner.
fn install<'c>(operator: &Operator, components: &'c [Component]) -> Option<&'c Install> {
    let mut installs = components.iter().filter(|it| it.id.name == operator.name);
    installs.find_map(Component::install)
}

/// Returns the Install that the Operator owns.
pub(crate) fn own_install<'c>(
    operator: &Operator,
    components: &'c [Component],
) -> Option<&'c Component> {
    let mut components = components.iter();
    components.find(|it| {
        let is_own = it.install().is_some_and(|it| is_own(operator, it));
        is_own && it.id.name == operator.name
    })
}

/// Returns the first bundle in the Operator's Install. Returns None if the content does not come
/// from a catalog.
pub(crate) fn installed<'c>(
    operator: &Operator,
    components: &'c [Component],
) -> Option<&'c Bundle> {
    let install = own_install(operator, components)?.install()?;
    install.held.record.as_ref()?.bundles.first()
}

/// Returns the status field `metadata` for the bundle that the Install has installed. While new
/// content is being installed, returns the previous value.
pub(crate) fn installed_metadata(operator: &Operator, components: &[Component]) -> Option<Value> {
    let install = own_install(operator, components)?.install()?;
    let Held { record, is_settled } = &install.held;
    let bundle = install.bundle.as_ref().filter(|_| *is_settled);
    if let Some((_, csv)) = bundle {
        return Some(metadata(csv, components));
    }
    let before = operator.stored.status.as_ref().filter(|_| !is_settled);
    let before = before.and_then(|it| it.get("metadata")).cloned();
    let first = record.as_ref().and_then(|it| it.bundles.first());
    before.or_else(|| Some(json!({"version": first?.version})))
}

fn is_own(operator: &Operator, install: &Install) -> bool {
    install.owners.contains(&operator.uid)
}

/// Returns the content of the Install if the spec names an image. Returns None otherwise.
fn content(spec: Option<&Map<String, Value>>) -> Option<Value> {
    let updates = spec?.get("updates")?;
    let image = updates["manifestImage"].as_str();
    let image = image.filter(|it| updates["type"] == "ManifestImage" && !it.is_empty())?;
    Some(json!([{"type": "ManifestImage", "manifestImage": image}]))
}

/// Returns the manifest of a new Install. The Operator is its owner, and the Install has the label
/// of the Operator's components.
fn made(operator: &Operator, content: &Value, bundles: Option<String>) -> Value {
    let Operator { name, uid, .. } = operator;
    let owner = json!({
        "apiVersion": format!("{GROUP}/{STORAGE}"), "kind": "Operator", "name": name, "uid": uid,
    });
    let mut made = json!({
        "apiVersion": format!("{GROUP}/{VERSION}"),
        "kind": "Install",
        "metadata": {"name": name, "labels": {label_key(name): ""}, "ownerReferences": [owner]},
        "spec": {"content": content},
    });
    if let Some(bundles) = bundles {
        made["metadata"]["annotations"] = json!({BUNDLES: bundles});
    }
    made
}

/// Returns the condition about the bundles from a catalog.
pub(crate) fn resolved(outcome: &Outcome) -> Judgment {
    let about = ConditionType::ContentResolved;
    match outcome {
        Outcome::Content { record, why } => {
            let names = some(NAMED, record.bundles.iter().map(|it| &it.name));
            let sentence = format!("its Install has {names}");
            let sentence = match why {
                Some(why) => format!("{sentence}; the Install cannot be updated: {}", cite(why)),
                None => sentence,
            };
            (about, UndatedCondition::yes(Reason::BundlesFound, sentence))
        }
        Outcome::Refused(Reason::ResolverUnavailable, why) => {
            let unknown = UndatedCondition::not_yet(Reason::ResolverUnavailable, cite(why));
            (about, unknown)
        }
        Outcome::Refused(reason, why) => (about, UndatedCondition::no(*reason, cite(why))),
    }
}
