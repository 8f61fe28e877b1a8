impl serde::Serialize for Edge {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Edge", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Edge {
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
            type Value = Edge;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Edge")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Edge, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(Edge {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Edge", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for edge::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Replaces => "REPLACES",
            Self::Skips => "SKIPS",
            Self::SkipRange => "SKIP_RANGE",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for edge::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "REPLACES",
            "SKIPS",
            "SKIP_RANGE",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = edge::Kind;

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
                    "UNSPECIFIED" => Ok(edge::Kind::Unspecified),
                    "REPLACES" => Ok(edge::Kind::Replaces),
                    "SKIPS" => Ok(edge::Kind::Skips),
                    "SKIP_RANGE" => Ok(edge::Kind::SkipRange),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Head {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Head", len)?;
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Head {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "channel",
            "bundle",
            "version",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Channel,
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
                            "channel" => Ok(GeneratedField::Channel),
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
            type Value = Head;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Head")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Head, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut channel__ = None;
                let mut bundle__ = None;
                let mut version__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
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
                Ok(Head {
                    channel: channel__.unwrap_or_default(),
                    bundle: bundle__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Head", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListUpgradesRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListUpgradesRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if true {
            struct_ser.serialize_field("installedVersion", &self.installed_version)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListUpgradesRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "channel",
            "installed",
            "installed_version",
            "installedVersion",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Channel,
            Installed,
            InstalledVersion,
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
                            "catalog" => Ok(GeneratedField::Catalog),
                            "package" => Ok(GeneratedField::Package),
                            "channel" => Ok(GeneratedField::Channel),
                            "installed" => Ok(GeneratedField::Installed),
                            "installedVersion" | "installed_version" => Ok(GeneratedField::InstalledVersion),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ListUpgradesRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListUpgradesRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListUpgradesRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut channel__ = None;
                let mut installed__ = None;
                let mut installed_version__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::InstalledVersion => {
                            if installed_version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installedVersion"));
                            }
                            installed_version__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListUpgradesRequest {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    installed_version: installed_version__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListUpgradesRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListUpgradesResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListUpgradesResponse", len)?;
        if true {
            struct_ser.serialize_field("observed", &self.observed)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if true {
            struct_ser.serialize_field("installedVersion", &self.installed_version)?;
        }
        if true {
            struct_ser.serialize_field("updates", &self.updates)?;
        }
        if true {
            struct_ser.serialize_field("heads", &self.heads)?;
        }
        if true {
            struct_ser.serialize_field("reasons", &self.reasons)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListUpgradesResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "observed",
            "installed",
            "installed_version",
            "installedVersion",
            "updates",
            "heads",
            "reasons",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Observed,
            Installed,
            InstalledVersion,
            Updates,
            Heads,
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
                            "observed" => Ok(GeneratedField::Observed),
                            "installed" => Ok(GeneratedField::Installed),
                            "installedVersion" | "installed_version" => Ok(GeneratedField::InstalledVersion),
                            "updates" => Ok(GeneratedField::Updates),
                            "heads" => Ok(GeneratedField::Heads),
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
            type Value = ListUpgradesResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListUpgradesResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListUpgradesResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut observed__ = None;
                let mut installed__ = None;
                let mut installed_version__ = None;
                let mut updates__ = None;
                let mut heads__ = None;
                let mut reasons__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Observed => {
                            if observed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("observed"));
                            }
                            observed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::InstalledVersion => {
                            if installed_version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installedVersion"));
                            }
                            installed_version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Updates => {
                            if updates__.is_some() {
                                return Err(serde::de::Error::duplicate_field("updates"));
                            }
                            updates__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Heads => {
                            if heads__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heads"));
                            }
                            heads__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Reasons => {
                            if reasons__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reasons"));
                            }
                            reasons__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListUpgradesResponse {
                    observed: observed__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    installed_version: installed_version__.unwrap_or_default(),
                    updates: updates__.unwrap_or_default(),
                    heads: heads__.unwrap_or_default(),
                    reasons: reasons__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListUpgradesResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Update {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Update", len)?;
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            let v = self.edges.iter().cloned().map(|v| {
                edge::Kind::try_from(v)
                    .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", v)))
                }).collect::<std::result::Result<Vec<_>, _>>()?;
            struct_ser.serialize_field("edges", &v)?;
        }
        if true {
            struct_ser.serialize_field("recommended", &self.recommended)?;
        }
        if true {
            struct_ser.serialize_field("downgrade", &self.downgrade)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Update {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "bundle",
            "version",
            "channel",
            "edges",
            "recommended",
            "downgrade",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Bundle,
            Version,
            Channel,
            Edges,
            Recommended,
            Downgrade,
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
                            "channel" => Ok(GeneratedField::Channel),
                            "edges" => Ok(GeneratedField::Edges),
                            "recommended" => Ok(GeneratedField::Recommended),
                            "downgrade" => Ok(GeneratedField::Downgrade),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Update;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Update")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Update, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut bundle__ = None;
                let mut version__ = None;
                let mut channel__ = None;
                let mut edges__ = None;
                let mut recommended__ = None;
                let mut downgrade__ = None;
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
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Edges => {
                            if edges__.is_some() {
                                return Err(serde::de::Error::duplicate_field("edges"));
                            }
                            edges__ = Some(map_.next_value::<Vec<edge::Kind>>()?.into_iter().map(|x| x as i32).collect());
                        }
                        GeneratedField::Recommended => {
                            if recommended__.is_some() {
                                return Err(serde::de::Error::duplicate_field("recommended"));
                            }
                            recommended__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Downgrade => {
                            if downgrade__.is_some() {
                                return Err(serde::de::Error::duplicate_field("downgrade"));
                            }
                            downgrade__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Update {
                    bundle: bundle__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    edges: edges__.unwrap_or_default(),
                    recommended: recommended__.unwrap_or_default(),
                    downgrade: downgrade__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Update", FIELDS, GeneratedVisitor)
    }
}
