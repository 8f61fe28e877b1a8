//! Macros for specs that are stored as their author wrote them, and for hand-written schemas.

/// Defines a spec that deserializes any JSON, or a missing spec, without an error. The parser
/// reports errors later.
macro_rules! as_written {
    ($($spec:ident),+) => {$(
        impl $spec {
            /// Returns the spec as its author wrote it.
            pub fn as_json(&self) -> &::serde_json::Value {
                &self.0
            }
        }

        impl From<::serde_json::Value> for $spec {
            fn from(json: ::serde_json::Value) -> Self {
                Self(json)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $spec {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let json = <Option<::serde_json::Value> as ::serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self(json.unwrap_or_default()))
            }
        }
    )+};
}

/// Implements `JsonSchema` with a hand-written schema.
macro_rules! written_schema {
    ($($type:ident = $schema:expr),+ $(,)?) => {$(
        impl ::schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut ::schemars::generate::SchemaGenerator) -> ::schemars::Schema {
                $schema
            }
        }
    )+};
}

pub(crate) use {as_written, written_schema};
