impl serde::Serialize for Allowance {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.Allowance", len)?;
        if let Some(v) = self.policy.as_ref() {
            struct_ser.serialize_field("policy", v)?;
        }
        if true {
            struct_ser.serialize_field("generation", &self.generation)?;
        }
        if true {
            struct_ser.serialize_field("consent", &self.consent)?;
        }
        if true {
            struct_ser.serialize_field("neededBy", &self.needed_by)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Allowance {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "policy",
            "generation",
            "consent",
            "needed_by",
            "neededBy",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Policy,
            Generation,
            Consent,
            NeededBy,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "policy" => Ok(GeneratedField::Policy),
                            "generation" => Ok(GeneratedField::Generation),
                            "consent" => Ok(GeneratedField::Consent),
                            "neededBy" | "needed_by" => Ok(GeneratedField::NeededBy),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Allowance;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.Allowance")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Allowance, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut policy__ = None;
                let mut generation__ = None;
                let mut consent__ = None;
                let mut needed_by__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Policy => {
                            if policy__.is_some() {
                                return Err(serde::de::Error::duplicate_field("policy"));
                            }
                            policy__ = map_.next_value()?;
                        }
                        GeneratedField::Generation => {
                            if generation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("generation"));
                            }
                            generation__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Consent => {
                            if consent__.is_some() {
                                return Err(serde::de::Error::duplicate_field("consent"));
                            }
                            consent__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NeededBy => {
                            if needed_by__.is_some() {
                                return Err(serde::de::Error::duplicate_field("neededBy"));
                            }
                            needed_by__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Allowance {
                    policy: policy__,
                    generation: generation__.unwrap_or_default(),
                    consent: consent__.unwrap_or_default(),
                    needed_by: needed_by__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.Allowance", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Bundle {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.Bundle", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("replaces", &self.replaces)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            let v = bundle::Identity::try_from(self.identity)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.identity)))?;
            struct_ser.serialize_field("identity", &v)?;
        }
        if true {
            struct_ser.serialize_field("subscription", &self.subscription)?;
        }
        if let Some(v) = self.verdict.as_ref() {
            struct_ser.serialize_field("verdict", v)?;
        }
        if true {
            struct_ser.serialize_field("allowances", &self.allowances)?;
        }
        if true {
            struct_ser.serialize_field("fixes", &self.fixes)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Bundle {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "package",
            "version",
            "replaces",
            "catalog",
            "identity",
            "subscription",
            "verdict",
            "allowances",
            "fixes",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Package,
            Version,
            Replaces,
            Catalog,
            Identity,
            Subscription,
            Verdict,
            Allowances,
            Fixes,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "name" => Ok(GeneratedField::Name),
                            "package" => Ok(GeneratedField::Package),
                            "version" => Ok(GeneratedField::Version),
                            "replaces" => Ok(GeneratedField::Replaces),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "identity" => Ok(GeneratedField::Identity),
                            "subscription" => Ok(GeneratedField::Subscription),
                            "verdict" => Ok(GeneratedField::Verdict),
                            "allowances" => Ok(GeneratedField::Allowances),
                            "fixes" => Ok(GeneratedField::Fixes),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Bundle;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.Bundle")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Bundle, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut package__ = None;
                let mut version__ = None;
                let mut replaces__ = None;
                let mut catalog__ = None;
                let mut identity__ = None;
                let mut subscription__ = None;
                let mut verdict__ = None;
                let mut allowances__ = None;
                let mut fixes__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Replaces => {
                            if replaces__.is_some() {
                                return Err(serde::de::Error::duplicate_field("replaces"));
                            }
                            replaces__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Identity => {
                            if identity__.is_some() {
                                return Err(serde::de::Error::duplicate_field("identity"));
                            }
                            identity__ = Some(map_.next_value::<bundle::Identity>()? as i32);
                        }
                        GeneratedField::Subscription => {
                            if subscription__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subscription"));
                            }
                            subscription__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = map_.next_value()?;
                        }
                        GeneratedField::Allowances => {
                            if allowances__.is_some() {
                                return Err(serde::de::Error::duplicate_field("allowances"));
                            }
                            allowances__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Fixes => {
                            if fixes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("fixes"));
                            }
                            fixes__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Bundle {
                    name: name__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    replaces: replaces__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    identity: identity__.unwrap_or_default(),
                    subscription: subscription__.unwrap_or_default(),
                    verdict: verdict__,
                    allowances: allowances__.unwrap_or_default(),
                    fixes: fixes__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.Bundle", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for bundle::Identity {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Lookup => "LOOKUP",
            Self::Step => "STEP",
            Self::Subscription => "SUBSCRIPTION",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for bundle::Identity {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "LOOKUP",
            "STEP",
            "SUBSCRIPTION",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = bundle::Identity;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "expected one of: {:?}", &FIELDS)
            }

            fn visit_i64<E>(self, v: i64) -> std::result::Result<Self::Value, E>
            where
                E: serde::de::Error,
            {
                i32::try_from(v)
                    .ok()
                    .and_then(|x| x.try_into().ok())
                    .ok_or_else(|| {
                        serde::de::Error::invalid_value(serde::de::Unexpected::Signed(v), &self)
                    })
            }

            fn visit_u64<E>(self, v: u64) -> std::result::Result<Self::Value, E>
            where
                E: serde::de::Error,
            {
                i32::try_from(v)
                    .ok()
                    .and_then(|x| x.try_into().ok())
                    .ok_or_else(|| {
                        serde::de::Error::invalid_value(serde::de::Unexpected::Unsigned(v), &self)
                    })
            }

            fn visit_str<E>(self, value: &str) -> std::result::Result<Self::Value, E>
            where
                E: serde::de::Error,
            {
                match value {
                    "UNSPECIFIED" => Ok(bundle::Identity::Unspecified),
                    "LOOKUP" => Ok(bundle::Identity::Lookup),
                    "STEP" => Ok(bundle::Identity::Step),
                    "SUBSCRIPTION" => Ok(bundle::Identity::Subscription),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Fix {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.Fix", len)?;
        if let Some(v) = self.policy.as_ref() {
            struct_ser.serialize_field("policy", v)?;
        }
        if true {
            struct_ser.serialize_field("field", &self.field)?;
        }
        if true {
            struct_ser.serialize_field("value", &self.value)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Fix {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "policy",
            "field",
            "value",
            "message",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Policy,
            Field,
            Value,
            Message,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "policy" => Ok(GeneratedField::Policy),
                            "field" => Ok(GeneratedField::Field),
                            "value" => Ok(GeneratedField::Value),
                            "message" => Ok(GeneratedField::Message),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Fix;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.Fix")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Fix, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut policy__ = None;
                let mut field__ = None;
                let mut value__ = None;
                let mut message__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Policy => {
                            if policy__.is_some() {
                                return Err(serde::de::Error::duplicate_field("policy"));
                            }
                            policy__ = map_.next_value()?;
                        }
                        GeneratedField::Field => {
                            if field__.is_some() {
                                return Err(serde::de::Error::duplicate_field("field"));
                            }
                            field__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Value => {
                            if value__.is_some() {
                                return Err(serde::de::Error::duplicate_field("value"));
                            }
                            value__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Fix {
                    policy: policy__,
                    field: field__.unwrap_or_default(),
                    value: value__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.Fix", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Ground {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.Ground", len)?;
        if let Some(v) = self.object.as_ref() {
            struct_ser.serialize_field("object", v)?;
        }
        if true {
            struct_ser.serialize_field("generation", &self.generation)?;
        }
        if true {
            struct_ser.serialize_field("broken", &self.broken)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Ground {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "object",
            "generation",
            "broken",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Object,
            Generation,
            Broken,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "object" => Ok(GeneratedField::Object),
                            "generation" => Ok(GeneratedField::Generation),
                            "broken" => Ok(GeneratedField::Broken),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Ground;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.Ground")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Ground, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut object__ = None;
                let mut generation__ = None;
                let mut broken__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = map_.next_value()?;
                        }
                        GeneratedField::Generation => {
                            if generation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("generation"));
                            }
                            generation__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Broken => {
                            if broken__.is_some() {
                                return Err(serde::de::Error::duplicate_field("broken"));
                            }
                            broken__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Ground {
                    object: object__,
                    generation: generation__.unwrap_or_default(),
                    broken: broken__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.Ground", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for MovedVersion {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.MovedVersion", len)?;
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for MovedVersion {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "bundle",
            "version",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Bundle,
            Version,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "bundle" => Ok(GeneratedField::Bundle),
                            "version" => Ok(GeneratedField::Version),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = MovedVersion;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.MovedVersion")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<MovedVersion, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut bundle__ = None;
                let mut version__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Bundle => {
                            if bundle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundle"));
                            }
                            bundle__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(MovedVersion {
                    bundle: bundle__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.MovedVersion", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Review {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.Review", len)?;
        if let Some(v) = self.plan.as_ref() {
            struct_ser.serialize_field("plan", v)?;
        }
        if true {
            struct_ser.serialize_field("phase", &self.phase)?;
        }
        if true {
            struct_ser.serialize_field("approved", &self.approved)?;
        }
        if true {
            struct_ser.serialize_field("manual", &self.manual)?;
        }
        if true {
            struct_ser.serialize_field("waits", &self.waits)?;
        }
        if let Some(v) = self.verdict.as_ref() {
            struct_ser.serialize_field("verdict", v)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        if true {
            struct_ser.serialize_field("policies", &self.policies)?;
        }
        if true {
            struct_ser.serialize_field("remarks", &self.remarks)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Review {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "plan",
            "phase",
            "approved",
            "manual",
            "waits",
            "verdict",
            "bundles",
            "policies",
            "remarks",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Plan,
            Phase,
            Approved,
            Manual,
            Waits,
            Verdict,
            Bundles,
            Policies,
            Remarks,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "plan" => Ok(GeneratedField::Plan),
                            "phase" => Ok(GeneratedField::Phase),
                            "approved" => Ok(GeneratedField::Approved),
                            "manual" => Ok(GeneratedField::Manual),
                            "waits" => Ok(GeneratedField::Waits),
                            "verdict" => Ok(GeneratedField::Verdict),
                            "bundles" => Ok(GeneratedField::Bundles),
                            "policies" => Ok(GeneratedField::Policies),
                            "remarks" => Ok(GeneratedField::Remarks),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Review;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.Review")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Review, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut plan__ = None;
                let mut phase__ = None;
                let mut approved__ = None;
                let mut manual__ = None;
                let mut waits__ = None;
                let mut verdict__ = None;
                let mut bundles__ = None;
                let mut policies__ = None;
                let mut remarks__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Plan => {
                            if plan__.is_some() {
                                return Err(serde::de::Error::duplicate_field("plan"));
                            }
                            plan__ = map_.next_value()?;
                        }
                        GeneratedField::Phase => {
                            if phase__.is_some() {
                                return Err(serde::de::Error::duplicate_field("phase"));
                            }
                            phase__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Approved => {
                            if approved__.is_some() {
                                return Err(serde::de::Error::duplicate_field("approved"));
                            }
                            approved__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Manual => {
                            if manual__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manual"));
                            }
                            manual__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Waits => {
                            if waits__.is_some() {
                                return Err(serde::de::Error::duplicate_field("waits"));
                            }
                            waits__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = map_.next_value()?;
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Policies => {
                            if policies__.is_some() {
                                return Err(serde::de::Error::duplicate_field("policies"));
                            }
                            policies__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Remarks => {
                            if remarks__.is_some() {
                                return Err(serde::de::Error::duplicate_field("remarks"));
                            }
                            remarks__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Review {
                    plan: plan__,
                    phase: phase__.unwrap_or_default(),
                    approved: approved__.unwrap_or_default(),
                    manual: manual__.unwrap_or_default(),
                    waits: waits__.unwrap_or_default(),
                    verdict: verdict__,
                    bundles: bundles__.unwrap_or_default(),
                    policies: policies__.unwrap_or_default(),
                    remarks: remarks__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.Review", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReviewNamespaceRequest {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.ReviewNamespaceRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReviewNamespaceRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "namespace" => Ok(GeneratedField::Namespace),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReviewNamespaceRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.ReviewNamespaceRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReviewNamespaceRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReviewNamespaceRequest {
                    namespace: namespace__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.ReviewNamespaceRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReviewNamespaceResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.ReviewNamespaceResponse", len)?;
        if true {
            struct_ser.serialize_field("reviews", &self.reviews)?;
        }
        if true {
            struct_ser.serialize_field("policies", &self.policies)?;
        }
        if true {
            struct_ser.serialize_field("remarks", &self.remarks)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReviewNamespaceResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "reviews",
            "policies",
            "remarks",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Reviews,
            Policies,
            Remarks,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "reviews" => Ok(GeneratedField::Reviews),
                            "policies" => Ok(GeneratedField::Policies),
                            "remarks" => Ok(GeneratedField::Remarks),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReviewNamespaceResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.ReviewNamespaceResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReviewNamespaceResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut reviews__ = None;
                let mut policies__ = None;
                let mut remarks__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Reviews => {
                            if reviews__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reviews"));
                            }
                            reviews__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Policies => {
                            if policies__.is_some() {
                                return Err(serde::de::Error::duplicate_field("policies"));
                            }
                            policies__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Remarks => {
                            if remarks__.is_some() {
                                return Err(serde::de::Error::duplicate_field("remarks"));
                            }
                            remarks__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReviewNamespaceResponse {
                    reviews: reviews__.unwrap_or_default(),
                    policies: policies__.unwrap_or_default(),
                    remarks: remarks__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.ReviewNamespaceResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReviewPlanRequest {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.ReviewPlanRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReviewPlanRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "name",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            Name,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "namespace" => Ok(GeneratedField::Namespace),
                            "name" => Ok(GeneratedField::Name),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReviewPlanRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.ReviewPlanRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReviewPlanRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut name__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReviewPlanRequest {
                    namespace: namespace__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.ReviewPlanRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReviewPlanResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.ReviewPlanResponse", len)?;
        if let Some(v) = self.review.as_ref() {
            struct_ser.serialize_field("review", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReviewPlanResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "review",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Review,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "review" => Ok(GeneratedField::Review),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReviewPlanResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.ReviewPlanResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReviewPlanResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut review__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Review => {
                            if review__.is_some() {
                                return Err(serde::de::Error::duplicate_field("review"));
                            }
                            review__ = map_.next_value()?;
                        }
                    }
                }
                Ok(ReviewPlanResponse {
                    review: review__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.ReviewPlanResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReviewUpgradeRequest {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.ReviewUpgradeRequest", len)?;
        if true {
            struct_ser.serialize_field("kind", &self.kind)?;
        }
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("labels", &self.labels)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if let Some(v) = self.from.as_ref() {
            struct_ser.serialize_field("from", v)?;
        }
        if let Some(v) = self.to.as_ref() {
            struct_ser.serialize_field("to", v)?;
        }
        if true {
            struct_ser.serialize_field("at", &self.at)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReviewUpgradeRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "kind",
            "namespace",
            "name",
            "labels",
            "package",
            "from",
            "to",
            "at",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Kind,
            Namespace,
            Name,
            Labels,
            Package,
            From,
            To,
            At,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "kind" => Ok(GeneratedField::Kind),
                            "namespace" => Ok(GeneratedField::Namespace),
                            "name" => Ok(GeneratedField::Name),
                            "labels" => Ok(GeneratedField::Labels),
                            "package" => Ok(GeneratedField::Package),
                            "from" => Ok(GeneratedField::From),
                            "to" => Ok(GeneratedField::To),
                            "at" => Ok(GeneratedField::At),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReviewUpgradeRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.ReviewUpgradeRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReviewUpgradeRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut kind__ = None;
                let mut namespace__ = None;
                let mut name__ = None;
                let mut labels__ = None;
                let mut package__ = None;
                let mut from__ = None;
                let mut to__ = None;
                let mut at__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Kind => {
                            if kind__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kind"));
                            }
                            kind__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Labels => {
                            if labels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("labels"));
                            }
                            labels__ = Some(
                                map_.next_value::<std::collections::HashMap<_, _>>()?
                            );
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = map_.next_value()?;
                        }
                        GeneratedField::To => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("to"));
                            }
                            to__ = map_.next_value()?;
                        }
                        GeneratedField::At => {
                            if at__.is_some() {
                                return Err(serde::de::Error::duplicate_field("at"));
                            }
                            at__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReviewUpgradeRequest {
                    kind: kind__.unwrap_or_default(),
                    namespace: namespace__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                    labels: labels__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    from: from__,
                    to: to__,
                    at: at__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.ReviewUpgradeRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReviewUpgradeResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.ReviewUpgradeResponse", len)?;
        if let Some(v) = self.verdict.as_ref() {
            struct_ser.serialize_field("verdict", v)?;
        }
        if true {
            struct_ser.serialize_field("allowedBy", &self.allowed_by)?;
        }
        if true {
            struct_ser.serialize_field("remarks", &self.remarks)?;
        }
        if true {
            struct_ser.serialize_field("at", &self.at)?;
        }
        if true {
            struct_ser.serialize_field("next", &self.next)?;
        }
        if true {
            struct_ser.serialize_field("grounds", &self.grounds)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReviewUpgradeResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "verdict",
            "allowed_by",
            "allowedBy",
            "remarks",
            "at",
            "next",
            "grounds",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Verdict,
            AllowedBy,
            Remarks,
            At,
            Next,
            Grounds,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "verdict" => Ok(GeneratedField::Verdict),
                            "allowedBy" | "allowed_by" => Ok(GeneratedField::AllowedBy),
                            "remarks" => Ok(GeneratedField::Remarks),
                            "at" => Ok(GeneratedField::At),
                            "next" => Ok(GeneratedField::Next),
                            "grounds" => Ok(GeneratedField::Grounds),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReviewUpgradeResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.ReviewUpgradeResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReviewUpgradeResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut verdict__ = None;
                let mut allowed_by__ = None;
                let mut remarks__ = None;
                let mut at__ = None;
                let mut next__ = None;
                let mut grounds__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = map_.next_value()?;
                        }
                        GeneratedField::AllowedBy => {
                            if allowed_by__.is_some() {
                                return Err(serde::de::Error::duplicate_field("allowedBy"));
                            }
                            allowed_by__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Remarks => {
                            if remarks__.is_some() {
                                return Err(serde::de::Error::duplicate_field("remarks"));
                            }
                            remarks__ = Some(map_.next_value()?);
                        }
                        GeneratedField::At => {
                            if at__.is_some() {
                                return Err(serde::de::Error::duplicate_field("at"));
                            }
                            at__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Next => {
                            if next__.is_some() {
                                return Err(serde::de::Error::duplicate_field("next"));
                            }
                            next__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Grounds => {
                            if grounds__.is_some() {
                                return Err(serde::de::Error::duplicate_field("grounds"));
                            }
                            grounds__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReviewUpgradeResponse {
                    verdict: verdict__,
                    allowed_by: allowed_by__.unwrap_or_default(),
                    remarks: remarks__.unwrap_or_default(),
                    at: at__.unwrap_or_default(),
                    next: next__.unwrap_or_default(),
                    grounds: grounds__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.ReviewUpgradeResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Standing {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.Standing", len)?;
        if let Some(v) = self.policy.as_ref() {
            struct_ser.serialize_field("policy", v)?;
        }
        if true {
            struct_ser.serialize_field("generation", &self.generation)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("consents", &self.consents)?;
        }
        if true {
            struct_ser.serialize_field("allowsUpdates", &self.allows_updates)?;
        }
        if true {
            struct_ser.serialize_field("allowsDependencies", &self.allows_dependencies)?;
        }
        if let Some(v) = self.withheld.as_ref() {
            struct_ser.serialize_field("withheld", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Standing {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "policy",
            "generation",
            "package",
            "namespace",
            "consents",
            "allows_updates",
            "allowsUpdates",
            "allows_dependencies",
            "allowsDependencies",
            "withheld",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Policy,
            Generation,
            Package,
            Namespace,
            Consents,
            AllowsUpdates,
            AllowsDependencies,
            Withheld,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "policy" => Ok(GeneratedField::Policy),
                            "generation" => Ok(GeneratedField::Generation),
                            "package" => Ok(GeneratedField::Package),
                            "namespace" => Ok(GeneratedField::Namespace),
                            "consents" => Ok(GeneratedField::Consents),
                            "allowsUpdates" | "allows_updates" => Ok(GeneratedField::AllowsUpdates),
                            "allowsDependencies" | "allows_dependencies" => Ok(GeneratedField::AllowsDependencies),
                            "withheld" => Ok(GeneratedField::Withheld),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Standing;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.Standing")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Standing, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut policy__ = None;
                let mut generation__ = None;
                let mut package__ = None;
                let mut namespace__ = None;
                let mut consents__ = None;
                let mut allows_updates__ = None;
                let mut allows_dependencies__ = None;
                let mut withheld__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Policy => {
                            if policy__.is_some() {
                                return Err(serde::de::Error::duplicate_field("policy"));
                            }
                            policy__ = map_.next_value()?;
                        }
                        GeneratedField::Generation => {
                            if generation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("generation"));
                            }
                            generation__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Consents => {
                            if consents__.is_some() {
                                return Err(serde::de::Error::duplicate_field("consents"));
                            }
                            consents__ = Some(map_.next_value()?);
                        }
                        GeneratedField::AllowsUpdates => {
                            if allows_updates__.is_some() {
                                return Err(serde::de::Error::duplicate_field("allowsUpdates"));
                            }
                            allows_updates__ = Some(map_.next_value()?);
                        }
                        GeneratedField::AllowsDependencies => {
                            if allows_dependencies__.is_some() {
                                return Err(serde::de::Error::duplicate_field("allowsDependencies"));
                            }
                            allows_dependencies__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Withheld => {
                            if withheld__.is_some() {
                                return Err(serde::de::Error::duplicate_field("withheld"));
                            }
                            withheld__ = map_.next_value()?;
                        }
                    }
                }
                Ok(Standing {
                    policy: policy__,
                    generation: generation__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    namespace: namespace__.unwrap_or_default(),
                    consents: consents__.unwrap_or_default(),
                    allows_updates: allows_updates__.unwrap_or_default(),
                    allows_dependencies: allows_dependencies__.unwrap_or_default(),
                    withheld: withheld__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.Standing", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Verdict {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.Verdict", len)?;
        if true {
            let v = verdict::State::try_from(self.state)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.state)))?;
            struct_ser.serialize_field("state", &v)?;
        }
        if true {
            struct_ser.serialize_field("reasons", &self.reasons)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Verdict {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "state",
            "reasons",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            State,
            Reasons,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "state" => Ok(GeneratedField::State),
                            "reasons" => Ok(GeneratedField::Reasons),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Verdict;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.Verdict")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Verdict, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut state__ = None;
                let mut reasons__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::State => {
                            if state__.is_some() {
                                return Err(serde::de::Error::duplicate_field("state"));
                            }
                            state__ = Some(map_.next_value::<verdict::State>()? as i32);
                        }
                        GeneratedField::Reasons => {
                            if reasons__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reasons"));
                            }
                            reasons__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Verdict {
                    state: state__.unwrap_or_default(),
                    reasons: reasons__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.Verdict", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for verdict::State {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Yes => "YES",
            Self::No => "NO",
            Self::NotYet => "NOT_YET",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for verdict::State {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "YES",
            "NO",
            "NOT_YET",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = verdict::State;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "expected one of: {:?}", &FIELDS)
            }

            fn visit_i64<E>(self, v: i64) -> std::result::Result<Self::Value, E>
            where
                E: serde::de::Error,
            {
                i32::try_from(v)
                    .ok()
                    .and_then(|x| x.try_into().ok())
                    .ok_or_else(|| {
                        serde::de::Error::invalid_value(serde::de::Unexpected::Signed(v), &self)
                    })
            }

            fn visit_u64<E>(self, v: u64) -> std::result::Result<Self::Value, E>
            where
                E: serde::de::Error,
            {
                i32::try_from(v)
                    .ok()
                    .and_then(|x| x.try_into().ok())
                    .ok_or_else(|| {
                        serde::de::Error::invalid_value(serde::de::Unexpected::Unsigned(v), &self)
                    })
            }

            fn visit_str<E>(self, value: &str) -> std::result::Result<Self::Value, E>
            where
                E: serde::de::Error,
            {
                match value {
                    "UNSPECIFIED" => Ok(verdict::State::Unspecified),
                    "YES" => Ok(verdict::State::Yes),
                    "NO" => Ok(verdict::State::No),
                    "NOT_YET" => Ok(verdict::State::NotYet),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for WatchRequest {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for WatchRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "namespace" => Ok(GeneratedField::Namespace),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = WatchRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<WatchRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(WatchRequest {
                    namespace: namespace__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for WatchResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if self.event.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchResponse", len)?;
        if true {
            struct_ser.serialize_field("epoch", &self.epoch)?;
        }
        if true {
            struct_ser.serialize_field("revision", &self.revision)?;
        }
        if let Some(v) = self.event.as_ref() {
            match v {
                watch_response::Event::Review(v) => {
                    struct_ser.serialize_field("review", v)?;
                }
                watch_response::Event::Gone(v) => {
                    struct_ser.serialize_field("gone", v)?;
                }
                watch_response::Event::Synced(v) => {
                    struct_ser.serialize_field("synced", v)?;
                }
                watch_response::Event::Reset(v) => {
                    struct_ser.serialize_field("reset", v)?;
                }
                watch_response::Event::Heartbeat(v) => {
                    struct_ser.serialize_field("heartbeat", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for WatchResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "epoch",
            "revision",
            "review",
            "gone",
            "synced",
            "reset",
            "heartbeat",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Epoch,
            Revision,
            Review,
            Gone,
            Synced,
            Reset,
            Heartbeat,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "epoch" => Ok(GeneratedField::Epoch),
                            "revision" => Ok(GeneratedField::Revision),
                            "review" => Ok(GeneratedField::Review),
                            "gone" => Ok(GeneratedField::Gone),
                            "synced" => Ok(GeneratedField::Synced),
                            "reset" => Ok(GeneratedField::Reset),
                            "heartbeat" => Ok(GeneratedField::Heartbeat),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = WatchResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<WatchResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut epoch__ = None;
                let mut revision__ = None;
                let mut event__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Epoch => {
                            if epoch__.is_some() {
                                return Err(serde::de::Error::duplicate_field("epoch"));
                            }
                            epoch__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Revision => {
                            if revision__.is_some() {
                                return Err(serde::de::Error::duplicate_field("revision"));
                            }
                            revision__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Review => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("review"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_response::Event::Review)
;
                        }
                        GeneratedField::Gone => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("gone"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_response::Event::Gone)
;
                        }
                        GeneratedField::Synced => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("synced"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_response::Event::Synced)
;
                        }
                        GeneratedField::Reset => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reset"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_response::Event::Reset)
;
                        }
                        GeneratedField::Heartbeat => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heartbeat"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_response::Event::Heartbeat)
;
                        }
                    }
                }
                Ok(WatchResponse {
                    epoch: epoch__.unwrap_or_default(),
                    revision: revision__.unwrap_or_default(),
                    event: event__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_response::Gone {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchResponse.Gone", len)?;
        if let Some(v) = self.plan.as_ref() {
            struct_ser.serialize_field("plan", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_response::Gone {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "plan",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Plan,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "plan" => Ok(GeneratedField::Plan),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = watch_response::Gone;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchResponse.Gone")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_response::Gone, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut plan__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Plan => {
                            if plan__.is_some() {
                                return Err(serde::de::Error::duplicate_field("plan"));
                            }
                            plan__ = map_.next_value()?;
                        }
                    }
                }
                Ok(watch_response::Gone {
                    plan: plan__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchResponse.Gone", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_response::Heartbeat {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchResponse.Heartbeat", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_response::Heartbeat {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                            Err(serde::de::Error::unknown_field(value, FIELDS))
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = watch_response::Heartbeat;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchResponse.Heartbeat")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_response::Heartbeat, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_response::Heartbeat {
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchResponse.Heartbeat", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_response::Reset {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchResponse.Reset", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_response::Reset {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                            Err(serde::de::Error::unknown_field(value, FIELDS))
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = watch_response::Reset;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchResponse.Reset")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_response::Reset, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_response::Reset {
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchResponse.Reset", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_response::Synced {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchResponse.Synced", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_response::Synced {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                            Err(serde::de::Error::unknown_field(value, FIELDS))
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = watch_response::Synced;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchResponse.Synced")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_response::Synced, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_response::Synced {
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchResponse.Synced", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for WatchUpgradesRequest {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchUpgradesRequest", len)?;
        if true {
            struct_ser.serialize_field("upgrades", &self.upgrades)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for WatchUpgradesRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "upgrades",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Upgrades,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "upgrades" => Ok(GeneratedField::Upgrades),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = WatchUpgradesRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchUpgradesRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<WatchUpgradesRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut upgrades__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Upgrades => {
                            if upgrades__.is_some() {
                                return Err(serde::de::Error::duplicate_field("upgrades"));
                            }
                            upgrades__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(WatchUpgradesRequest {
                    upgrades: upgrades__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchUpgradesRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for WatchUpgradesResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if self.event.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchUpgradesResponse", len)?;
        if true {
            struct_ser.serialize_field("epoch", &self.epoch)?;
        }
        if true {
            struct_ser.serialize_field("revision", &self.revision)?;
        }
        if let Some(v) = self.event.as_ref() {
            match v {
                watch_upgrades_response::Event::Answer(v) => {
                    struct_ser.serialize_field("answer", v)?;
                }
                watch_upgrades_response::Event::Synced(v) => {
                    struct_ser.serialize_field("synced", v)?;
                }
                watch_upgrades_response::Event::Heartbeat(v) => {
                    struct_ser.serialize_field("heartbeat", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for WatchUpgradesResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "epoch",
            "revision",
            "answer",
            "synced",
            "heartbeat",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Epoch,
            Revision,
            Answer,
            Synced,
            Heartbeat,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "epoch" => Ok(GeneratedField::Epoch),
                            "revision" => Ok(GeneratedField::Revision),
                            "answer" => Ok(GeneratedField::Answer),
                            "synced" => Ok(GeneratedField::Synced),
                            "heartbeat" => Ok(GeneratedField::Heartbeat),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = WatchUpgradesResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchUpgradesResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<WatchUpgradesResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut epoch__ = None;
                let mut revision__ = None;
                let mut event__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Epoch => {
                            if epoch__.is_some() {
                                return Err(serde::de::Error::duplicate_field("epoch"));
                            }
                            epoch__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Revision => {
                            if revision__.is_some() {
                                return Err(serde::de::Error::duplicate_field("revision"));
                            }
                            revision__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Answer => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("answer"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_upgrades_response::Event::Answer)
;
                        }
                        GeneratedField::Synced => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("synced"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_upgrades_response::Event::Synced)
;
                        }
                        GeneratedField::Heartbeat => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heartbeat"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_upgrades_response::Event::Heartbeat)
;
                        }
                    }
                }
                Ok(WatchUpgradesResponse {
                    epoch: epoch__.unwrap_or_default(),
                    revision: revision__.unwrap_or_default(),
                    event: event__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchUpgradesResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_upgrades_response::Answer {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchUpgradesResponse.Answer", len)?;
        if true {
            struct_ser.serialize_field("place", &self.place)?;
        }
        if let Some(v) = self.answer.as_ref() {
            struct_ser.serialize_field("answer", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_upgrades_response::Answer {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "place",
            "answer",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Place,
            Answer,
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                        match value {
                            "place" => Ok(GeneratedField::Place),
                            "answer" => Ok(GeneratedField::Answer),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = watch_upgrades_response::Answer;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchUpgradesResponse.Answer")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_upgrades_response::Answer, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut place__ = None;
                let mut answer__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Place => {
                            if place__.is_some() {
                                return Err(serde::de::Error::duplicate_field("place"));
                            }
                            place__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Answer => {
                            if answer__.is_some() {
                                return Err(serde::de::Error::duplicate_field("answer"));
                            }
                            answer__ = map_.next_value()?;
                        }
                    }
                }
                Ok(watch_upgrades_response::Answer {
                    place: place__.unwrap_or_default(),
                    answer: answer__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchUpgradesResponse.Answer", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_upgrades_response::Heartbeat {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchUpgradesResponse.Heartbeat", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_upgrades_response::Heartbeat {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                            Err(serde::de::Error::unknown_field(value, FIELDS))
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = watch_upgrades_response::Heartbeat;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchUpgradesResponse.Heartbeat")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_upgrades_response::Heartbeat, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_upgrades_response::Heartbeat {
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchUpgradesResponse.Heartbeat", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_upgrades_response::Synced {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.approval.v1.WatchUpgradesResponse.Synced", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_upgrades_response::Synced {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
        }
        impl<'de> serde::Deserialize<'de> for GeneratedField {
            fn deserialize<D>(deserializer: D) -> std::result::Result<GeneratedField, D::Error>
            where
                D: serde::Deserializer<'de>,
            {
                struct GeneratedVisitor;

                impl serde::de::Visitor<'_> for GeneratedVisitor {
                    type Value = GeneratedField;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "expected one of: {:?}", &FIELDS)
                    }

                    #[allow(unused_variables)]
                    fn visit_str<E>(self, value: &str) -> std::result::Result<GeneratedField, E>
                    where
                        E: serde::de::Error,
                    {
                            Err(serde::de::Error::unknown_field(value, FIELDS))
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = watch_upgrades_response::Synced;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.approval.v1.WatchUpgradesResponse.Synced")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_upgrades_response::Synced, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_upgrades_response::Synced {
                })
            }
        }
        deserializer.deserialize_struct("portolan.approval.v1.WatchUpgradesResponse.Synced", FIELDS, GeneratedVisitor)
    }
}
