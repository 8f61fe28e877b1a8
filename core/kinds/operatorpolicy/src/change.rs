//! The differences between an existing object and its desired state, and the writes that remove the
//! differences.

use std::collections::BTreeMap;

use kube_core::ObjectMeta;
use portolan_api::RelatedObject;
use serde_json::{Value, json};

use crate::contribution::Contribution;
use crate::desired::{Action, Condition, Step, Target};
use crate::kinds::ApiKind;
use crate::managed;
use crate::variables::hidden;

/// The maximum length of a value that a message quotes.
const LONGEST: usize = 120;

/// A field of the spec, with its current and its wanted value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) found: Option<Value>,
    /// The wanted state. `Open` if the policy does not set the field. In this case, a value that
    /// this controller applied earlier is removed.
    pub(crate) wanted: Wanted,
    /// True if the controller replaces the whole field. This also removes subfields that other
    /// managers set.
    pub(crate) is_whole: bool,
    /// The environment variables whose values must stay secret, by name. Each has the text that
    /// messages show instead of the value.
    pub(crate) secret: BTreeMap<String, String>,
}

/// The state that a field should have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wanted {
    /// The field has this value.
    Value(Value),
    /// The field must be absent, even if another field manager wrote it.
    Absent,
    /// The policy does not set the field, so other managers may. A value that this controller wrote
    /// before is removed.
    Open,
}

/// A field whose current value differs from the wanted value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Difference {
    field: String,
    found: Option<Value>,
    wanted: Option<Value>,
    /// The other field managers that own the current value.
    owners: Vec<String>,
}

/// The writes that give an object its desired state, with the differences that they remove.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Change {
    pub(crate) differences: Vec<Difference>,
    /// The fields that are replaced as a whole. Each field needs its own write.
    replaced: Vec<(&'static str, Option<Value>)>,
    /// The fields that are written with server-side apply.
    applied: Vec<(&'static str, Value)>,
    /// True if a field in `applied` differs, or if this controller does not own the field yet.
    needs_apply: bool,
}

// === impl Field ===

impl Field {
    pub(crate) fn text(name: &'static str, found: &str, wanted: Option<&str>) -> Self {
        let found = Some(found).filter(|found| !found.is_empty());
        Self {
            name,
            found: found.map(Value::from),
            wanted: wanted.map_or(Wanted::Open, |wanted| Wanted::Value(json!(wanted))),
            is_whole: false,
            secret: BTreeMap::new(),
        }
    }
}

/// Omits the fields that the policy does not set. The caller omits them if this controller must not
/// remove the values that it wrote earlier, for example in inform mode.
pub(crate) fn written(mut fields: Vec<Field>) -> Vec<Field> {
    fields.retain(|field| field.wanted != Wanted::Open);
    fields
}

// === impl Change ===

impl Change {
    /// Returns the change from the current object to the state that `fields` describe.
    pub(crate) fn of(metadata: &ObjectMeta, fields: &[Field]) -> Self {
        let mut change = Self::default();
        for field in fields {
            change.add(metadata, field);
        }
        change
    }

    fn add(&mut self, metadata: &ObjectMeta, field: &Field) {
        let path = ["spec", field.name];
        let is_ours = if field.is_whole {
            managed::owns(metadata, &path)
        } else {
            managed::applies(metadata, &path)
        };
        let wanted = match &field.wanted {
            Wanted::Value(wanted) => Some(wanted),
            Wanted::Open if !is_ours => return,
            Wanted::Open | Wanted::Absent => None,
        };
        let differs = field.found.as_ref() != wanted;
        if differs {
            self.differences
                .extend(differences(metadata, field, wanted));
        }
        match wanted {
            Some(wanted) if !field.is_whole => {
                self.needs_apply |= differs || (managed::tells_owners(metadata) && !is_ours);
                self.applied.push((field.name, wanted.clone()));
            }
            wanted if differs => self.replaced.push((field.name, wanted.cloned())),
            _ => {}
        }
    }

    /// Returns true if at least one value differs.
    pub(crate) fn differs(&self) -> bool {
        !self.differences.is_empty()
    }

    /// Returns true if the object must be written: a value differs, or this controller does not own
    /// a field yet.
    pub(crate) fn is_needed(&self) -> bool {
        self.differs() || self.needs_apply
    }

    /// Returns the change plus an apply that writes the marks of the policy, even if no value
    /// differs. Marks are the labels and annotations that link an object to its policy.
    pub(crate) fn marking(mut self) -> Self {
        self.needs_apply = true;
        self
    }

    /// Returns true if the field, such as `spec.channel`, or one of its subfields differs.
    pub(crate) fn touches(&self, field: &str) -> bool {
        let mut differences = self.differences.iter();
        differences.any(|difference| {
            difference.field == field
                || difference
                    .field
                    .strip_prefix(field)
                    .is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// Returns text with one clause for each difference, for a message before the write.
    pub(crate) fn describe(&self) -> String {
        let clauses = self.differences.iter().map(Difference::before);
        clauses.collect::<Vec<_>>().join(", ")
    }

    /// Returns text with one clause for each difference, for a message after the write.
    pub(crate) fn describe_after(&self) -> String {
        let clauses = self.differences.iter().map(Difference::after);
        clauses.collect::<Vec<_>>().join(", ")
    }

    /// Returns the steps that write the change. They also write the marks of the policy to the
    /// object.
    pub(crate) fn steps(&self, target: &Target, marks: &Value, changed: &Changed) -> Vec<Step> {
        // Removals come after replacements. An OperatorGroup without namespaces and without a
        // selector selects all namespaces, even if only for a moment.
        let mut replaced: Vec<_> = self.replaced.iter().collect();
        replaced.sort_by_key(|(_, value)| value.is_none());
        let replaced = replaced.into_iter().map(|(name, value)| Action::Replace {
            object: target.clone(),
            field: format!("/spec/{name}"),
            value: value.clone(),
        });
        let applied = self.needs_apply.then(|| self.apply(target, marks));
        let step = |action| Step {
            action,
            type_: changed.done.type_,
            done: changed.done.clone(),
            related: changed.related.clone(),
        };
        replaced.chain(applied).map(step).collect()
    }

    /// Returns the steps that take ownership of fields without changing their values. The condition
    /// is the same before and after these steps.
    pub(crate) fn quietly(&self, part: &Contribution, target: &Target, marks: &Value) -> Vec<Step> {
        let (Some(condition), Some((_, related))) = (part.conditions.first(), part.related.first())
        else {
            return Vec::new();
        };
        let changed = Changed {
            done: condition.clone(),
            related: related.clone(),
        };
        self.steps(target, marks, &changed)
    }

    fn apply(&self, target: &Target, marks: &Value) -> Action {
        let mut metadata = marks.clone();
        metadata["name"] = json!(target.name);
        metadata["namespace"] = json!(target.namespace);
        metadata["uid"] = json!(target.uid);
        metadata["resourceVersion"] = json!(target.resource_version);
        let mut manifest = json!({
            "apiVersion": target.api_version,
            "kind": target.kind,
            "metadata": metadata,
        });
        for (name, value) in &self.applied {
            manifest["spec"][*name] = value.clone();
        }
        Action::Apply(manifest)
    }
}

/// The condition and the related objects to report after the object is changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Changed {
    pub(crate) done: Condition,
    pub(crate) related: Vec<RelatedObject>,
}

/// Returns the differences in a field. If the field is an object that is replaced as a whole,
/// returns one difference for each subfield.
fn differences(metadata: &ObjectMeta, field: &Field, wanted: Option<&Value>) -> Vec<Difference> {
    let Field {
        name,
        found,
        secret,
        ..
    } = field;
    let (found, wanted) = hidden(found.as_ref(), wanted, secret);
    match (&found, &wanted) {
        (Some(Value::Object(found)), Some(Value::Object(wanted))) => {
            let mut names: Vec<_> = found.keys().chain(wanted.keys()).collect();
            names.sort();
            names.dedup();
            names.retain(|name| found.get(*name) != wanted.get(*name));
            let part = |part: &String| Difference {
                field: format!("spec.{name}.{part}"),
                found: found.get(part).cloned(),
                wanted: wanted.get(part).cloned(),
                owners: managed::others(metadata, &["spec", name, part]),
            };
            names.into_iter().map(part).collect()
        }
        (_, _) => vec![Difference {
            field: format!("spec.{name}"),
            found: found.clone(),
            wanted: wanted.clone(),
            owners: managed::others(metadata, &["spec", name]),
        }],
    }
}

// === impl Difference ===

impl Difference {
    fn before(&self) -> String {
        let Self { field, wanted, .. } = self;
        let is = self.is();
        match wanted {
            Some(wanted) => format!("{field} {is}, expected {}", shown(wanted)),
            None => format!("{field} {is}, expected to be unset"),
        }
    }

    fn is(&self) -> String {
        let by = match self.owners.as_slice() {
            [] => String::new(),
            owners => format!(" (written by {})", owners.join(" and ")),
        };
        match &self.found {
            Some(found) => format!("is {}{by}", shown(found)),
            None => "is not set".to_owned(),
        }
    }

    fn after(&self) -> String {
        let Self { field, wanted, .. } = self;
        let was = match &self.found {
            Some(found) => {
                let by = match self.owners.as_slice() {
                    [] => String::new(),
                    owners => format!(", written by {}", owners.join(" and ")),
                };
                format!(" (before: {}{by})", shown(found))
            }
            None => String::new(),
        };
        match wanted {
            Some(wanted) => format!("{field} is {}{was}", shown(wanted)),
            None => format!("{field} was removed{was}"),
        }
    }
}

fn shown(value: &Value) -> String {
    let whole = value.to_string();
    match whole.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

/// Returns the manifest of an object to create.
pub(crate) fn create(
    (api_version, kind): ApiKind,
    (namespace, name): (&str, &str),
    marks: &Value,
    spec: Value,
) -> Action {
    let mut metadata = marks.clone();
    metadata["name"] = json!(name);
    metadata["namespace"] = json!(namespace);
    Action::Create(json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }))
}
