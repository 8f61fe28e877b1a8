//! Macros that implement the traits of kube-core for kinds, and define enums of fixed words.

/// The API group of OLM v0.
pub const GROUP: &str = "operators.coreos.com";

/// Implements kube-core's `Resource` for a struct with the field `metadata`.
macro_rules! resource {
    ($kind:ident, $plural:literal, $group:literal, $version:literal, $scope:ident) => {
        crate::resource::resource!(
            $kind as stringify!($kind),
            $plural,
            $group,
            $version,
            $scope
        );
    };
    // A kind with another name than the struct.
    (
        $kind:ident as $name:expr,
        $plural:literal,
        $group:literal,
        $version:literal,
        $scope:ident
    ) => {
        impl $kind {
            /// The kind, spelled as in Kubernetes.
            pub const KIND: &'static str = $name;

            /// Returns the name, the uid and the resource version of the object.
            pub fn identity(&self) -> crate::ObjectIdentity {
                (&self.metadata).into()
            }
        }

        impl kube_core::Resource for $kind {
            type DynamicType = ();
            type Scope = kube_core::$scope;

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                Self::KIND.into()
            }

            fn group((): &()) -> std::borrow::Cow<'_, str> {
                $group.into()
            }

            fn version((): &()) -> std::borrow::Cow<'_, str> {
                $version.into()
            }

            fn plural((): &()) -> std::borrow::Cow<'_, str> {
                $plural.into()
            }

            fn meta(&self) -> &kube_core::ObjectMeta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut kube_core::ObjectMeta {
                &mut self.metadata
            }
        }
    };
}
pub(crate) use resource;

/// Defines an enum of fixed words. A later version of the API may add words. They are kept as text.
macro_rules! word {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
        #[serde(from = "String")]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
            /// A word that this version does not know, or an empty string.
            Other(String),
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                match text.as_str() {
                    $($text => Self::$variant,)+
                    _ => Self::Other(text),
                }
            }
        }

        impl $name {
            /// Returns the word, or an empty string if the field is not set.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(text) => text,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Other(String::new())
            }
        }
    };
}
pub(crate) use word;
