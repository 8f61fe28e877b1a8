//! The settings of an Operator that a user gives as command line options.

use std::collections::BTreeMap;

use portolan_core_olm::CATALOG_NAME;
use serde_json::{Map, Value, json};

/// A field of a spec that a command line option sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    Version,
    Channels,
    /// The catalog, selected by its name.
    Catalog,
    Namespace,
    WatchNamespaces,
    Approval,
    /// The number of seconds for which a version must be ready before the next one.
    SettleSeconds,
    Config,
}

/// The fields to change, each with its new value. None removes the field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings(BTreeMap<Setting, Option<Value>>);

// === impl Setting ===

impl Setting {
    /// Returns the name of the field.
    pub fn field(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Channels => "channels",
            Self::Catalog => "catalogSelector",
            Self::Namespace => "namespace",
            Self::WatchNamespaces => "watchNamespaces",
            Self::Approval => "approval",
            Self::SettleSeconds => "settleSeconds",
            Self::Config => "config",
        }
    }
}

// === impl Settings ===

impl Settings {
    /// Sets a field to a value. A catalog is given by its name.
    pub fn set(&mut self, setting: Setting, value: impl Into<Value>) {
        let value = value.into();
        let value = match setting {
            Setting::Catalog => json!({"matchLabels": {CATALOG_NAME: value}}),
            Setting::Version
            | Setting::Channels
            | Setting::Namespace
            | Setting::WatchNamespaces
            | Setting::Approval
            | Setting::SettleSeconds
            | Setting::Config => value,
        };
        self.0.insert(setting, Some(value));
    }

    /// Records that a field must be removed from the spec.
    pub fn unset(&mut self, setting: Setting) {
        self.0.insert(setting, None);
    }

    /// Returns true if no field changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if this field is set or removed.
    pub fn has(&self, setting: Setting) -> bool {
        self.0.contains_key(&setting)
    }

    /// Returns a spec with these fields changed. Each field is replaced as a whole.
    pub fn applied(&self, spec: &Value) -> Value {
        let mut fields: Map<_, _> = spec.as_object().cloned().unwrap_or_default();
        for (setting, value) in &self.0 {
            let field = setting.field();
            match value {
                Some(value) => fields.insert(field.to_owned(), value.clone()),
                None => fields.remove(field),
            };
        }
        fields.into()
    }

    /// Returns the operations of a JSON patch that sets these fields in an object with this spec.
    /// Returns no operations if the spec already has these values.
    pub fn operations(&self, spec: &Value) -> Vec<Value> {
        let operations = self.0.iter().filter_map(|(setting, value)| {
            let (field, before) = (setting.field(), spec.get(setting.field()));
            let path = format!("/spec/{field}");
            match value {
                Some(value) if before == Some(value) => None,
                Some(value) => Some(json!({"op": "add", "path": path, "value": value})),
                None => before.map(|_| json!({"op": "remove", "path": path})),
            }
        });
        operations.collect()
    }
}

#[cfg(test)]
mod tests {
    use similar_asserts::assert_eq;

    use super::*;

    #[test]
    fn sets_the_whole_value_of_a_field() {
        let mut settings = Settings::default();
        settings.set(Setting::Version, "1.2.0");
        settings.set(Setting::Catalog, "demo");
        settings.set(Setting::WatchNamespaces, vec!["harbor"]);
        settings.unset(Setting::Channels);
        settings.unset(Setting::Approval);
        let spec = json!({
            "packageName": "ferry",
            "channels": ["stable"],
            "catalogSelector": {"matchLabels": {"mine": "yes"}},
            "watchNamespaces": ["harbor"],
        });
        let selector = json!({"matchLabels": {CATALOG_NAME: "demo"}});
        assert_eq!(
            settings.applied(&spec),
            json!({
                "packageName": "ferry", "version": "1.2.0", "catalogSelector": selector,
                "watchNamespaces": ["harbor"],
            })
        );
        assert_eq!(
            settings.operations(&spec),
            [
                json!({"op": "add", "path": "/spec/version", "value": "1.2.0"}),
                json!({"op": "remove", "path": "/spec/channels"}),
                json!({"op": "add", "path": "/spec/catalogSelector", "value": selector}),
            ]
        );
        assert_eq!(
            settings.operations(&settings.applied(&spec)),
            [Value::Null; 0]
        );
    }
}
