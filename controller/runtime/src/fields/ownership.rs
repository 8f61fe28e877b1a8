//! The ownership of fields in server-side apply.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use serde_json::{Map, Value, json};

use super::FieldRules;

#[cfg(test)]
mod tests;

/// Changes the ownership of an object's fields to this field manager.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    /// The name of the field manager of this process.
    pub(crate) manager: &'a str,
    pub(crate) rules: &'a FieldRules,
}

impl Owner<'_> {
    /// Makes this manager the only owner of the fields that it has applied. Removes the ownership
    /// of these fields from the predecessor. Also removes it from a create by this manager whose
    /// fields were not adopted. Returns None if there is nothing to remove.
    ///
    /// If an apply does not change the value of a field, the previous manager also remains an
    /// owner. With two owners, neither of them can remove the field.
    pub(crate) fn take_over(&self, entries: &[ManagedFieldsEntry]) -> Option<Vec<Value>> {
        let entries = entries.iter().enumerate();
        let entries = entries.filter(|(_, entry)| entry.subresource.is_none());
        // The operations begin with the last entry, because each removal shifts the later entries.
        let taken: Vec<Value> = entries
            .rev()
            .flat_map(|(place, entry)| self.taken(place, entry))
            .collect();
        (!taken.is_empty()).then_some(taken)
    }

    /// Converts the fields of a create to applied fields. Then a later apply without such a field
    /// removes the field. Fields that are replaced as a whole are not converted. Fields that the
    /// API server has defaulted get no owner.
    pub(crate) fn adopt(
        &self,
        entries: &[ManagedFieldsEntry],
        manifest: &Value,
    ) -> Option<Vec<Value>> {
        let place = entries.iter().position(|entry| {
            entry.manager.as_deref() == Some(self.manager)
                && entry.operation.as_deref() == Some("Update")
                && entry.subresource.is_none()
        })?;
        let entry = &entries[place];
        let mut fields = given(entry.fields_v1.as_ref()?.0.clone(), manifest);
        let whole = self.split_whole(&mut fields);
        let applied = self.with(entry, "Apply", without_dots(fields));
        let path = format!("/metadata/managedFields/{place}");
        let mut operations = vec![json!({"op": "replace", "path": path, "value": applied})];
        if let Some(whole) = whole {
            let written = self.with(entry, "Update", whole);
            operations
                .push(json!({"op": "add", "path": "/metadata/managedFields/-", "value": written}));
        }
        Some(operations)
    }

    fn taken(&self, place: usize, entry: &ManagedFieldsEntry) -> Vec<Value> {
        let manager = entry.manager.as_deref().unwrap_or_default();
        if self.rules.predecessor == Some(manager) {
            return removal(place, manager);
        }
        if manager != self.manager || entry.operation.as_deref() != Some("Update") {
            return Vec::new();
        }
        let before = entry.fields_v1.as_ref().map(|fields| &fields.0);
        let whole = before.and_then(|fields| self.split_whole(&mut fields.clone()));
        match whole {
            None => removal(place, manager),
            whole if whole.as_ref() == before => Vec::new(),
            Some(whole) => {
                let path = format!("/metadata/managedFields/{place}");
                let written = self.with(entry, "Update", whole);
                vec![json!({"op": "replace", "path": path, "value": written})]
            }
        }
    }

    fn with(&self, entry: &ManagedFieldsEntry, operation: &str, fields: Value) -> Value {
        json!({
            "manager": self.manager,
            "operation": operation,
            "apiVersion": entry.api_version,
            "time": entry.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        })
    }

    /// Removes the fields that are replaced as a whole from a set of owned fields, and returns
    /// them.
    fn split_whole(&self, fields: &mut Value) -> Option<Value> {
        let spec = fields.get_mut("f:spec")?.as_object_mut()?;
        let whole: Map<String, Value> = self
            .rules
            .whole
            .iter()
            .map(|name| format!("f:{name}"))
            .filter_map(|key| {
                let fields = spec.remove(&key)?;
                Some((key, fields))
            })
            .collect();
        // An entry for `f:spec` without fields inside it would mean the ownership of everything in
        // the spec, so it is removed.
        if spec.keys().all(|key| key == ".") {
            fields.as_object_mut()?.remove("f:spec");
        }
        (!whole.is_empty()).then(|| json!({"f:spec": whole}))
    }
}

fn removal(place: usize, manager: &str) -> Vec<Value> {
    let path = format!("/metadata/managedFields/{place}");
    vec![
        json!({"op": "test", "path": format!("{path}/manager"), "value": manager}),
        json!({"op": "remove", "path": path}),
    ]
}

/// Returns the owned fields that are also in a manifest.
fn given(fields: Value, manifest: &Value) -> Value {
    let Value::Object(fields) = fields else {
        return fields;
    };
    let fields = fields.into_iter().filter_map(|(key, below)| {
        let Some(name) = key.strip_prefix("f:") else {
            return Some((key, below));
        };
        let value = manifest.get(name)?;
        let below = given(below, value);
        Some((key, below))
    });
    Value::Object(fields.collect())
}

/// Removes the ownership of maps, and keeps the ownership of their entries. If an apply removed an
/// owned map, it would also remove the entries of other owners.
fn without_dots(fields: Value) -> Value {
    match fields {
        Value::Object(fields) => {
            let below = fields.into_iter().filter(|(key, _)| key != ".");
            Value::Object(
                below
                    .map(|(key, value)| (key, without_dots(value)))
                    .collect(),
            )
        }
        other => other,
    }
}
