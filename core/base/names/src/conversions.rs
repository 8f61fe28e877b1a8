//! Conversions between text and the types of this crate. All conversions use `parse` and `Display`
//! of the type.

macro_rules! text_conversions {
    ($type:ty, $flaw:ty) => {
        impl std::str::FromStr for $type {
            type Err = crate::InvalidText<$flaw>;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl TryFrom<&str> for $type {
            type Error = crate::InvalidText<$flaw>;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $type {
            type Error = crate::InvalidText<$flaw>;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use text_conversions;
