impl serde::Serialize for Api {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Api", len)?;
        if true {
            struct_ser.serialize_field("group", &self.group)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("kind", &self.kind)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Api {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "group",
            "version",
            "kind",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Group,
            Version,
            Kind,
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
                            "group" => Ok(GeneratedField::Group),
                            "version" => Ok(GeneratedField::Version),
                            "kind" => Ok(GeneratedField::Kind),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Api;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Api")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Api, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut group__ = None;
                let mut version__ = None;
                let mut kind__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Group => {
                            if group__.is_some() {
                                return Err(serde::de::Error::duplicate_field("group"));
                            }
                            group__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Kind => {
                            if kind__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kind"));
                            }
                            kind__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Api {
                    group: group__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    kind: kind__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Api", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Autoremove {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Autoremove", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Autoremove {
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
            type Value = Autoremove;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Autoremove")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Autoremove, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(Autoremove {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Autoremove", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for autoremove::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::No => "NO",
            Self::Tell => "TELL",
            Self::Remove => "REMOVE",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for autoremove::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "NO",
            "TELL",
            "REMOVE",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = autoremove::Kind;

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
                    "UNSPECIFIED" => Ok(autoremove::Kind::Unspecified),
                    "NO" => Ok(autoremove::Kind::No),
                    "TELL" => Ok(autoremove::Kind::Tell),
                    "REMOVE" => Ok(autoremove::Kind::Remove),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for BatchFindPathRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BatchFindPathRequest", len)?;
        if let Some(v) = self.question.as_ref() {
            struct_ser.serialize_field("question", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BatchFindPathRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "question",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Question,
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
                            "question" => Ok(GeneratedField::Question),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BatchFindPathRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BatchFindPathRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BatchFindPathRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut question__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Question => {
                            if question__.is_some() {
                                return Err(serde::de::Error::duplicate_field("question"));
                            }
                            question__ = map_.next_value()?;
                        }
                    }
                }
                Ok(BatchFindPathRequest {
                    question: question__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BatchFindPathRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for BatchFindPathResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if self.outcome.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BatchFindPathResponse", len)?;
        if let Some(v) = self.outcome.as_ref() {
            match v {
                batch_find_path_response::Outcome::Answer(v) => {
                    struct_ser.serialize_field("answer", v)?;
                }
                batch_find_path_response::Outcome::Refused(v) => {
                    struct_ser.serialize_field("refused", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BatchFindPathResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "answer",
            "refused",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Answer,
            Refused,
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
                            "answer" => Ok(GeneratedField::Answer),
                            "refused" => Ok(GeneratedField::Refused),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BatchFindPathResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BatchFindPathResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BatchFindPathResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut outcome__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Answer => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("answer"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(batch_find_path_response::Outcome::Answer)
;
                        }
                        GeneratedField::Refused => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("refused"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(batch_find_path_response::Outcome::Refused)
;
                        }
                    }
                }
                Ok(BatchFindPathResponse {
                    outcome: outcome__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BatchFindPathResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for BatchListUpgradesRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BatchListUpgradesRequest", len)?;
        if let Some(v) = self.question.as_ref() {
            struct_ser.serialize_field("question", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BatchListUpgradesRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "question",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Question,
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
                            "question" => Ok(GeneratedField::Question),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BatchListUpgradesRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BatchListUpgradesRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BatchListUpgradesRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut question__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Question => {
                            if question__.is_some() {
                                return Err(serde::de::Error::duplicate_field("question"));
                            }
                            question__ = map_.next_value()?;
                        }
                    }
                }
                Ok(BatchListUpgradesRequest {
                    question: question__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BatchListUpgradesRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for BatchListUpgradesResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if self.outcome.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BatchListUpgradesResponse", len)?;
        if let Some(v) = self.outcome.as_ref() {
            match v {
                batch_list_upgrades_response::Outcome::Answer(v) => {
                    struct_ser.serialize_field("answer", v)?;
                }
                batch_list_upgrades_response::Outcome::Refused(v) => {
                    struct_ser.serialize_field("refused", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BatchListUpgradesResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "answer",
            "refused",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Answer,
            Refused,
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
                            "answer" => Ok(GeneratedField::Answer),
                            "refused" => Ok(GeneratedField::Refused),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BatchListUpgradesResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BatchListUpgradesResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BatchListUpgradesResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut outcome__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Answer => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("answer"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(batch_list_upgrades_response::Outcome::Answer)
;
                        }
                        GeneratedField::Refused => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("refused"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(batch_list_upgrades_response::Outcome::Refused)
;
                        }
                    }
                }
                Ok(BatchListUpgradesResponse {
                    outcome: outcome__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BatchListUpgradesResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for BatchPlanRouteRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BatchPlanRouteRequest", len)?;
        if let Some(v) = self.question.as_ref() {
            struct_ser.serialize_field("question", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BatchPlanRouteRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "question",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Question,
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
                            "question" => Ok(GeneratedField::Question),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BatchPlanRouteRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BatchPlanRouteRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BatchPlanRouteRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut question__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Question => {
                            if question__.is_some() {
                                return Err(serde::de::Error::duplicate_field("question"));
                            }
                            question__ = map_.next_value()?;
                        }
                    }
                }
                Ok(BatchPlanRouteRequest {
                    question: question__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BatchPlanRouteRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for BatchPlanRouteResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if self.outcome.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BatchPlanRouteResponse", len)?;
        if let Some(v) = self.outcome.as_ref() {
            match v {
                batch_plan_route_response::Outcome::Answer(v) => {
                    struct_ser.serialize_field("answer", v)?;
                }
                batch_plan_route_response::Outcome::Refused(v) => {
                    struct_ser.serialize_field("refused", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BatchPlanRouteResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "answer",
            "refused",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Answer,
            Refused,
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
                            "answer" => Ok(GeneratedField::Answer),
                            "refused" => Ok(GeneratedField::Refused),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BatchPlanRouteResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BatchPlanRouteResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BatchPlanRouteResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut outcome__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Answer => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("answer"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(batch_plan_route_response::Outcome::Answer)
;
                        }
                        GeneratedField::Refused => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("refused"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(batch_plan_route_response::Outcome::Refused)
;
                        }
                    }
                }
                Ok(BatchPlanRouteResponse {
                    outcome: outcome__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BatchPlanRouteResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Blockage {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Blockage", len)?;
        if let Some(v) = self.furthest.as_ref() {
            struct_ser.serialize_field("furthest", v)?;
        }
        if let Some(v) = self.missing.as_ref() {
            struct_ser.serialize_field("missing", v)?;
        }
        if true {
            struct_ser.serialize_field("reasons", &self.reasons)?;
        }
        if true {
            struct_ser.serialize_field("suggestions", &self.suggestions)?;
        }
        if true {
            struct_ser.serialize_field("text", &self.text)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Blockage {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "furthest",
            "missing",
            "reasons",
            "suggestions",
            "text",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Furthest,
            Missing,
            Reasons,
            Suggestions,
            Text,
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
                            "furthest" => Ok(GeneratedField::Furthest),
                            "missing" => Ok(GeneratedField::Missing),
                            "reasons" => Ok(GeneratedField::Reasons),
                            "suggestions" => Ok(GeneratedField::Suggestions),
                            "text" => Ok(GeneratedField::Text),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Blockage;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Blockage")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Blockage, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut furthest__ = None;
                let mut missing__ = None;
                let mut reasons__ = None;
                let mut suggestions__ = None;
                let mut text__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Furthest => {
                            if furthest__.is_some() {
                                return Err(serde::de::Error::duplicate_field("furthest"));
                            }
                            furthest__ = map_.next_value()?;
                        }
                        GeneratedField::Missing => {
                            if missing__.is_some() {
                                return Err(serde::de::Error::duplicate_field("missing"));
                            }
                            missing__ = map_.next_value()?;
                        }
                        GeneratedField::Reasons => {
                            if reasons__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reasons"));
                            }
                            reasons__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Suggestions => {
                            if suggestions__.is_some() {
                                return Err(serde::de::Error::duplicate_field("suggestions"));
                            }
                            suggestions__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Text => {
                            if text__.is_some() {
                                return Err(serde::de::Error::duplicate_field("text"));
                            }
                            text__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Blockage {
                    furthest: furthest__,
                    missing: missing__,
                    reasons: reasons__.unwrap_or_default(),
                    suggestions: suggestions__.unwrap_or_default(),
                    text: text__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Blockage", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for blockage::Missing {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Blockage.Missing", len)?;
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if true {
            struct_ser.serialize_field("to", &self.to)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for blockage::Missing {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "from",
            "to",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            From,
            To,
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
                            "from" => Ok(GeneratedField::From),
                            "to" => Ok(GeneratedField::To),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = blockage::Missing;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Blockage.Missing")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<blockage::Missing, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut from__ = None;
                let mut to__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = Some(map_.next_value()?);
                        }
                        GeneratedField::To => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("to"));
                            }
                            to__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(blockage::Missing {
                    from: from__.unwrap_or_default(),
                    to: to__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Blockage.Missing", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for blockage::Suggestion {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Blockage.Suggestion", len)?;
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("unsafe", &self.r#unsafe)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for blockage::Suggestion {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "code",
            "message",
            "channel",
            "unsafe",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Code,
            Message,
            Channel,
            Unsafe,
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
                            "code" => Ok(GeneratedField::Code),
                            "message" => Ok(GeneratedField::Message),
                            "channel" => Ok(GeneratedField::Channel),
                            "unsafe" => Ok(GeneratedField::Unsafe),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = blockage::Suggestion;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Blockage.Suggestion")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<blockage::Suggestion, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut code__ = None;
                let mut message__ = None;
                let mut channel__ = None;
                let mut r#unsafe__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Code => {
                            if code__.is_some() {
                                return Err(serde::de::Error::duplicate_field("code"));
                            }
                            code__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Unsafe => {
                            if r#unsafe__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unsafe"));
                            }
                            r#unsafe__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(blockage::Suggestion {
                    code: code__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    r#unsafe: r#unsafe__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Blockage.Suggestion", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for BundleFault {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BundleFault", len)?;
        if true {
            let v = bundle_fault::Severity::try_from(self.severity)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.severity)))?;
            struct_ser.serialize_field("severity", &v)?;
        }
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            struct_ser.serialize_field("file", &self.file)?;
        }
        if true {
            #[allow(clippy::needless_borrow)]
            #[allow(clippy::needless_borrows_for_generic_args)]
            struct_ser.serialize_field("line", ToString::to_string(&self.line).as_str())?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("option", &self.option)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BundleFault {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "severity",
            "code",
            "file",
            "line",
            "message",
            "option",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Severity,
            Code,
            File,
            Line,
            Message,
            Option,
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
                            "severity" => Ok(GeneratedField::Severity),
                            "code" => Ok(GeneratedField::Code),
                            "file" => Ok(GeneratedField::File),
                            "line" => Ok(GeneratedField::Line),
                            "message" => Ok(GeneratedField::Message),
                            "option" => Ok(GeneratedField::Option),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BundleFault;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BundleFault")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BundleFault, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut severity__ = None;
                let mut code__ = None;
                let mut file__ = None;
                let mut line__ = None;
                let mut message__ = None;
                let mut option__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Severity => {
                            if severity__.is_some() {
                                return Err(serde::de::Error::duplicate_field("severity"));
                            }
                            severity__ = Some(map_.next_value::<bundle_fault::Severity>()? as i32);
                        }
                        GeneratedField::Code => {
                            if code__.is_some() {
                                return Err(serde::de::Error::duplicate_field("code"));
                            }
                            code__ = Some(map_.next_value()?);
                        }
                        GeneratedField::File => {
                            if file__.is_some() {
                                return Err(serde::de::Error::duplicate_field("file"));
                            }
                            file__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Line => {
                            if line__.is_some() {
                                return Err(serde::de::Error::duplicate_field("line"));
                            }
                            line__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Option => {
                            if option__.is_some() {
                                return Err(serde::de::Error::duplicate_field("option"));
                            }
                            option__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(BundleFault {
                    severity: severity__.unwrap_or_default(),
                    code: code__.unwrap_or_default(),
                    file: file__.unwrap_or_default(),
                    line: line__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    option: option__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BundleFault", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for bundle_fault::Severity {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "SEVERITY_UNSPECIFIED",
            Self::Error => "SEVERITY_ERROR",
            Self::Warning => "SEVERITY_WARNING",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for bundle_fault::Severity {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "SEVERITY_UNSPECIFIED",
            "SEVERITY_ERROR",
            "SEVERITY_WARNING",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = bundle_fault::Severity;

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
                    "SEVERITY_UNSPECIFIED" => Ok(bundle_fault::Severity::Unspecified),
                    "SEVERITY_ERROR" => Ok(bundle_fault::Severity::Error),
                    "SEVERITY_WARNING" => Ok(bundle_fault::Severity::Warning),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for BundleSource {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if self.source.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.BundleSource", len)?;
        if let Some(v) = self.source.as_ref() {
            match v {
                bundle_source::Source::Image(v) => {
                    struct_ser.serialize_field("image", v)?;
                }
                bundle_source::Source::Path(v) => {
                    struct_ser.serialize_field("path", v)?;
                }
                bundle_source::Source::Catalog(v) => {
                    struct_ser.serialize_field("catalog", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for BundleSource {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "image",
            "path",
            "catalog",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Image,
            Path,
            Catalog,
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
                            "image" => Ok(GeneratedField::Image),
                            "path" => Ok(GeneratedField::Path),
                            "catalog" => Ok(GeneratedField::Catalog),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = BundleSource;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.BundleSource")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<BundleSource, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut source__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Image => {
                            if source__.is_some() {
                                return Err(serde::de::Error::duplicate_field("image"));
                            }
                            source__ = map_.next_value::<::std::option::Option<_>>()?.map(bundle_source::Source::Image);
                        }
                        GeneratedField::Path => {
                            if source__.is_some() {
                                return Err(serde::de::Error::duplicate_field("path"));
                            }
                            source__ = map_.next_value::<::std::option::Option<_>>()?.map(bundle_source::Source::Path);
                        }
                        GeneratedField::Catalog => {
                            if source__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            source__ = map_.next_value::<::std::option::Option<_>>()?.map(bundle_source::Source::Catalog);
                        }
                    }
                }
                Ok(BundleSource {
                    source: source__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.BundleSource", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Catalog {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Catalog", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if let Some(v) = self.source.as_ref() {
            struct_ser.serialize_field("source", v)?;
        }
        if true {
            struct_ser.serialize_field("priority", &self.priority)?;
        }
        if true {
            let v = catalog::State::try_from(self.state)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.state)))?;
            struct_ser.serialize_field("state", &v)?;
        }
        if true {
            struct_ser.serialize_field("since", &self.since)?;
        }
        if true {
            struct_ser.serialize_field("reasons", &self.reasons)?;
        }
        if true {
            struct_ser.serialize_field("digest", &self.digest)?;
        }
        if true {
            struct_ser.serialize_field("displayDigest", &self.display_digest)?;
        }
        if true {
            struct_ser.serialize_field("packages", &self.packages)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        if true {
            struct_ser.serialize_field("faultCount", &self.fault_count)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
        }
        if true {
            struct_ser.serialize_field("labels", &self.labels)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Catalog {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "source",
            "priority",
            "state",
            "since",
            "reasons",
            "digest",
            "display_digest",
            "displayDigest",
            "packages",
            "channels",
            "bundles",
            "fault_count",
            "faultCount",
            "faults",
            "labels",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Source,
            Priority,
            State,
            Since,
            Reasons,
            Digest,
            DisplayDigest,
            Packages,
            Channels,
            Bundles,
            FaultCount,
            Faults,
            Labels,
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
                            "source" => Ok(GeneratedField::Source),
                            "priority" => Ok(GeneratedField::Priority),
                            "state" => Ok(GeneratedField::State),
                            "since" => Ok(GeneratedField::Since),
                            "reasons" => Ok(GeneratedField::Reasons),
                            "digest" => Ok(GeneratedField::Digest),
                            "displayDigest" | "display_digest" => Ok(GeneratedField::DisplayDigest),
                            "packages" => Ok(GeneratedField::Packages),
                            "channels" => Ok(GeneratedField::Channels),
                            "bundles" => Ok(GeneratedField::Bundles),
                            "faultCount" | "fault_count" => Ok(GeneratedField::FaultCount),
                            "faults" => Ok(GeneratedField::Faults),
                            "labels" => Ok(GeneratedField::Labels),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Catalog;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Catalog")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Catalog, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut source__ = None;
                let mut priority__ = None;
                let mut state__ = None;
                let mut since__ = None;
                let mut reasons__ = None;
                let mut digest__ = None;
                let mut display_digest__ = None;
                let mut packages__ = None;
                let mut channels__ = None;
                let mut bundles__ = None;
                let mut fault_count__ = None;
                let mut faults__ = None;
                let mut labels__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Source => {
                            if source__.is_some() {
                                return Err(serde::de::Error::duplicate_field("source"));
                            }
                            source__ = map_.next_value()?;
                        }
                        GeneratedField::Priority => {
                            if priority__.is_some() {
                                return Err(serde::de::Error::duplicate_field("priority"));
                            }
                            priority__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::State => {
                            if state__.is_some() {
                                return Err(serde::de::Error::duplicate_field("state"));
                            }
                            state__ = Some(map_.next_value::<catalog::State>()? as i32);
                        }
                        GeneratedField::Since => {
                            if since__.is_some() {
                                return Err(serde::de::Error::duplicate_field("since"));
                            }
                            since__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Reasons => {
                            if reasons__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reasons"));
                            }
                            reasons__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Digest => {
                            if digest__.is_some() {
                                return Err(serde::de::Error::duplicate_field("digest"));
                            }
                            digest__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DisplayDigest => {
                            if display_digest__.is_some() {
                                return Err(serde::de::Error::duplicate_field("displayDigest"));
                            }
                            display_digest__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Packages => {
                            if packages__.is_some() {
                                return Err(serde::de::Error::duplicate_field("packages"));
                            }
                            packages__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::FaultCount => {
                            if fault_count__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faultCount"));
                            }
                            fault_count__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Labels => {
                            if labels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("labels"));
                            }
                            labels__ = Some(
                                map_.next_value::<std::collections::HashMap<_, _>>()?
                            );
                        }
                    }
                }
                Ok(Catalog {
                    name: name__.unwrap_or_default(),
                    source: source__,
                    priority: priority__.unwrap_or_default(),
                    state: state__.unwrap_or_default(),
                    since: since__.unwrap_or_default(),
                    reasons: reasons__.unwrap_or_default(),
                    digest: digest__.unwrap_or_default(),
                    display_digest: display_digest__.unwrap_or_default(),
                    packages: packages__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    bundles: bundles__.unwrap_or_default(),
                    fault_count: fault_count__.unwrap_or_default(),
                    faults: faults__.unwrap_or_default(),
                    labels: labels__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Catalog", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for catalog::State {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Pending => "PENDING",
            Self::Serving => "SERVING",
            Self::Stale => "STALE",
            Self::Failed => "FAILED",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for catalog::State {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "PENDING",
            "SERVING",
            "STALE",
            "FAILED",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = catalog::State;

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
                    "UNSPECIFIED" => Ok(catalog::State::Unspecified),
                    "PENDING" => Ok(catalog::State::Pending),
                    "SERVING" => Ok(catalog::State::Serving),
                    "STALE" => Ok(catalog::State::Stale),
                    "FAILED" => Ok(catalog::State::Failed),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for CatalogRef {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.CatalogRef", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("digest", &self.digest)?;
        }
        if true {
            struct_ser.serialize_field("faultDigest", &self.fault_digest)?;
        }
        if true {
            struct_ser.serialize_field("stale", &self.stale)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for CatalogRef {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "digest",
            "fault_digest",
            "faultDigest",
            "stale",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Digest,
            FaultDigest,
            Stale,
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
                            "digest" => Ok(GeneratedField::Digest),
                            "faultDigest" | "fault_digest" => Ok(GeneratedField::FaultDigest),
                            "stale" => Ok(GeneratedField::Stale),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = CatalogRef;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.CatalogRef")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<CatalogRef, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut digest__ = None;
                let mut fault_digest__ = None;
                let mut stale__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Digest => {
                            if digest__.is_some() {
                                return Err(serde::de::Error::duplicate_field("digest"));
                            }
                            digest__ = Some(map_.next_value()?);
                        }
                        GeneratedField::FaultDigest => {
                            if fault_digest__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faultDigest"));
                            }
                            fault_digest__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Stale => {
                            if stale__.is_some() {
                                return Err(serde::de::Error::duplicate_field("stale"));
                            }
                            stale__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(CatalogRef {
                    name: name__.unwrap_or_default(),
                    digest: digest__.unwrap_or_default(),
                    fault_digest: fault_digest__.unwrap_or_default(),
                    stale: stale__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.CatalogRef", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for CatalogScope {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.CatalogScope", len)?;
        if true {
            struct_ser.serialize_field("namespaces", &self.namespaces)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for CatalogScope {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespaces",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespaces,
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
                            "namespaces" => Ok(GeneratedField::Namespaces),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = CatalogScope;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.CatalogScope")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<CatalogScope, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespaces__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespaces => {
                            if namespaces__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespaces"));
                            }
                            namespaces__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(CatalogScope {
                    namespaces: namespaces__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.CatalogScope", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for CheckCatalogsRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.CheckCatalogsRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("pageSize", &self.page_size)?;
        }
        if true {
            struct_ser.serialize_field("pageToken", &self.page_token)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for CheckCatalogsRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "page_size",
            "pageSize",
            "page_token",
            "pageToken",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            PageSize,
            PageToken,
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
                            "pageSize" | "page_size" => Ok(GeneratedField::PageSize),
                            "pageToken" | "page_token" => Ok(GeneratedField::PageToken),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = CheckCatalogsRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.CheckCatalogsRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<CheckCatalogsRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut page_size__ = None;
                let mut page_token__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::PageSize => {
                            if page_size__.is_some() {
                                return Err(serde::de::Error::duplicate_field("pageSize"));
                            }
                            page_size__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::PageToken => {
                            if page_token__.is_some() {
                                return Err(serde::de::Error::duplicate_field("pageToken"));
                            }
                            page_token__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(CheckCatalogsRequest {
                    catalog: catalog__.unwrap_or_default(),
                    page_size: page_size__.unwrap_or_default(),
                    page_token: page_token__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.CheckCatalogsRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for CheckCatalogsResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.CheckCatalogsResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
        }
        if true {
            struct_ser.serialize_field("errors", &self.errors)?;
        }
        if true {
            struct_ser.serialize_field("warnings", &self.warnings)?;
        }
        if true {
            struct_ser.serialize_field("nextPageToken", &self.next_page_token)?;
        }
        if true {
            struct_ser.serialize_field("notes", &self.notes)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for CheckCatalogsResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "faults",
            "errors",
            "warnings",
            "next_page_token",
            "nextPageToken",
            "notes",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Faults,
            Errors,
            Warnings,
            NextPageToken,
            Notes,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "faults" => Ok(GeneratedField::Faults),
                            "errors" => Ok(GeneratedField::Errors),
                            "warnings" => Ok(GeneratedField::Warnings),
                            "nextPageToken" | "next_page_token" => Ok(GeneratedField::NextPageToken),
                            "notes" => Ok(GeneratedField::Notes),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = CheckCatalogsResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.CheckCatalogsResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<CheckCatalogsResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut faults__ = None;
                let mut errors__ = None;
                let mut warnings__ = None;
                let mut next_page_token__ = None;
                let mut notes__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Errors => {
                            if errors__.is_some() {
                                return Err(serde::de::Error::duplicate_field("errors"));
                            }
                            errors__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Warnings => {
                            if warnings__.is_some() {
                                return Err(serde::de::Error::duplicate_field("warnings"));
                            }
                            warnings__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::NextPageToken => {
                            if next_page_token__.is_some() {
                                return Err(serde::de::Error::duplicate_field("nextPageToken"));
                            }
                            next_page_token__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Notes => {
                            if notes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notes"));
                            }
                            notes__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(CheckCatalogsResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    faults: faults__.unwrap_or_default(),
                    errors: errors__.unwrap_or_default(),
                    warnings: warnings__.unwrap_or_default(),
                    next_page_token: next_page_token__.unwrap_or_default(),
                    notes: notes__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.CheckCatalogsResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Conflict {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Conflict", len)?;
        if true {
            struct_ser.serialize_field("causes", &self.causes)?;
        }
        if true {
            struct_ser.serialize_field("minimal", &self.minimal)?;
        }
        if true {
            struct_ser.serialize_field("text", &self.text)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Conflict {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "causes",
            "minimal",
            "text",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Causes,
            Minimal,
            Text,
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
                            "causes" => Ok(GeneratedField::Causes),
                            "minimal" => Ok(GeneratedField::Minimal),
                            "text" => Ok(GeneratedField::Text),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Conflict;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Conflict")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Conflict, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut causes__ = None;
                let mut minimal__ = None;
                let mut text__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Causes => {
                            if causes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("causes"));
                            }
                            causes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Minimal => {
                            if minimal__.is_some() {
                                return Err(serde::de::Error::duplicate_field("minimal"));
                            }
                            minimal__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Text => {
                            if text__.is_some() {
                                return Err(serde::de::Error::duplicate_field("text"));
                            }
                            text__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Conflict {
                    causes: causes__.unwrap_or_default(),
                    minimal: minimal__.unwrap_or_default(),
                    text: text__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Conflict", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for conflict::Cause {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Conflict.Cause", len)?;
        if true {
            let v = conflict::cause::Kind::try_from(self.kind)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.kind)))?;
            struct_ser.serialize_field("kind", &v)?;
        }
        if let Some(v) = self.reason.as_ref() {
            struct_ser.serialize_field("reason", v)?;
        }
        if true {
            struct_ser.serialize_field("wish", &self.wish)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        if true {
            struct_ser.serialize_field("required", &self.required)?;
        }
        if let Some(v) = self.api.as_ref() {
            struct_ser.serialize_field("api", v)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if let Some(v) = self.hidden_by.as_ref() {
            struct_ser.serialize_field("hiddenBy", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for conflict::Cause {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "kind",
            "reason",
            "wish",
            "package",
            "bundles",
            "required",
            "api",
            "catalog",
            "hidden_by",
            "hiddenBy",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Kind,
            Reason,
            Wish,
            Package,
            Bundles,
            Required,
            Api,
            Catalog,
            HiddenBy,
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
                            "reason" => Ok(GeneratedField::Reason),
                            "wish" => Ok(GeneratedField::Wish),
                            "package" => Ok(GeneratedField::Package),
                            "bundles" => Ok(GeneratedField::Bundles),
                            "required" => Ok(GeneratedField::Required),
                            "api" => Ok(GeneratedField::Api),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "hiddenBy" | "hidden_by" => Ok(GeneratedField::HiddenBy),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = conflict::Cause;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Conflict.Cause")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<conflict::Cause, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut kind__ = None;
                let mut reason__ = None;
                let mut wish__ = None;
                let mut package__ = None;
                let mut bundles__ = None;
                let mut required__ = None;
                let mut api__ = None;
                let mut catalog__ = None;
                let mut hidden_by__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Kind => {
                            if kind__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kind"));
                            }
                            kind__ = Some(map_.next_value::<conflict::cause::Kind>()? as i32);
                        }
                        GeneratedField::Reason => {
                            if reason__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reason"));
                            }
                            reason__ = map_.next_value()?;
                        }
                        GeneratedField::Wish => {
                            if wish__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wish"));
                            }
                            wish__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Required => {
                            if required__.is_some() {
                                return Err(serde::de::Error::duplicate_field("required"));
                            }
                            required__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Api => {
                            if api__.is_some() {
                                return Err(serde::de::Error::duplicate_field("api"));
                            }
                            api__ = map_.next_value()?;
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::HiddenBy => {
                            if hidden_by__.is_some() {
                                return Err(serde::de::Error::duplicate_field("hiddenBy"));
                            }
                            hidden_by__ = map_.next_value()?;
                        }
                    }
                }
                Ok(conflict::Cause {
                    kind: kind__.unwrap_or_default(),
                    reason: reason__,
                    wish: wish__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    bundles: bundles__.unwrap_or_default(),
                    required: required__.unwrap_or_default(),
                    api: api__,
                    catalog: catalog__.unwrap_or_default(),
                    hidden_by: hidden_by__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Conflict.Cause", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for conflict::cause::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Wish => "WISH",
            Self::Requirement => "REQUIREMENT",
            Self::Stays => "STAYS",
            Self::OnePackage => "ONE_PACKAGE",
            Self::OneProvider => "ONE_PROVIDER",
            Self::Prohibited => "PROHIBITED",
            Self::Catalog => "CATALOG",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for conflict::cause::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "WISH",
            "REQUIREMENT",
            "STAYS",
            "ONE_PACKAGE",
            "ONE_PROVIDER",
            "PROHIBITED",
            "CATALOG",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = conflict::cause::Kind;

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
                    "UNSPECIFIED" => Ok(conflict::cause::Kind::Unspecified),
                    "WISH" => Ok(conflict::cause::Kind::Wish),
                    "REQUIREMENT" => Ok(conflict::cause::Kind::Requirement),
                    "STAYS" => Ok(conflict::cause::Kind::Stays),
                    "ONE_PACKAGE" => Ok(conflict::cause::Kind::OnePackage),
                    "ONE_PROVIDER" => Ok(conflict::cause::Kind::OneProvider),
                    "PROHIBITED" => Ok(conflict::cause::Kind::Prohibited),
                    "CATALOG" => Ok(conflict::cause::Kind::Catalog),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for conflict::cause::Required {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Conflict.Cause.Required", len)?;
        if let Some(v) = self.requirement.as_ref() {
            struct_ser.serialize_field("requirement", v)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for conflict::cause::Required {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "requirement",
            "bundles",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Requirement,
            Bundles,
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
                            "requirement" => Ok(GeneratedField::Requirement),
                            "bundles" => Ok(GeneratedField::Bundles),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = conflict::cause::Required;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Conflict.Cause.Required")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<conflict::cause::Required, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut requirement__ = None;
                let mut bundles__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Requirement => {
                            if requirement__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requirement"));
                            }
                            requirement__ = map_.next_value()?;
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(conflict::cause::Required {
                    requirement: requirement__,
                    bundles: bundles__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Conflict.Cause.Required", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Deprecation {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Deprecation", len)?;
        if let Some(v) = self.object.as_ref() {
            struct_ser.serialize_field("object", v)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Deprecation {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "object",
            "message",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Object,
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
                            "object" => Ok(GeneratedField::Object),
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
            type Value = Deprecation;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Deprecation")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Deprecation, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut object__ = None;
                let mut message__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = map_.next_value()?;
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Deprecation {
                    object: object__,
                    message: message__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Deprecation", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Destination {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if self.to.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Destination", len)?;
        if let Some(v) = self.to.as_ref() {
            match v {
                destination::To::Version(v) => {
                    struct_ser.serialize_field("version", v)?;
                }
                destination::To::Range(v) => {
                    struct_ser.serialize_field("range", v)?;
                }
                destination::To::Kind(v) => {
                    let v = destination::Kind::try_from(*v)
                        .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", *v)))?;
                    struct_ser.serialize_field("kind", &v)?;
                }
                destination::To::Bundle(v) => {
                    struct_ser.serialize_field("bundle", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Destination {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "version",
            "range",
            "kind",
            "bundle",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Version,
            Range,
            Kind,
            Bundle,
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
                            "version" => Ok(GeneratedField::Version),
                            "range" => Ok(GeneratedField::Range),
                            "kind" => Ok(GeneratedField::Kind),
                            "bundle" => Ok(GeneratedField::Bundle),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Destination;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Destination")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Destination, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut to__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Version => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            to__ = map_.next_value::<::std::option::Option<_>>()?.map(destination::To::Version);
                        }
                        GeneratedField::Range => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("range"));
                            }
                            to__ = map_.next_value::<::std::option::Option<_>>()?.map(destination::To::Range);
                        }
                        GeneratedField::Kind => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kind"));
                            }
                            to__ = map_.next_value::<::std::option::Option<destination::Kind>>()?.map(|x| destination::To::Kind(x as i32));
                        }
                        GeneratedField::Bundle => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundle"));
                            }
                            to__ = map_.next_value::<::std::option::Option<_>>()?.map(destination::To::Bundle);
                        }
                    }
                }
                Ok(Destination {
                    to: to__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Destination", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for destination::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Head => "HEAD",
            Self::NewestPatch => "NEWEST_PATCH",
            Self::NewestMinor => "NEWEST_MINOR",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for destination::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "HEAD",
            "NEWEST_PATCH",
            "NEWEST_MINOR",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = destination::Kind;

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
                    "UNSPECIFIED" => Ok(destination::Kind::Unspecified),
                    "HEAD" => Ok(destination::Kind::Head),
                    "NEWEST_PATCH" => Ok(destination::Kind::NewestPatch),
                    "NEWEST_MINOR" => Ok(destination::Kind::NewestMinor),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for DiffBundlesRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.DiffBundlesRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if true {
            struct_ser.serialize_field("to", &self.to)?;
        }
        if let Some(v) = self.options.as_ref() {
            struct_ser.serialize_field("options", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for DiffBundlesRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "from",
            "to",
            "options",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            From,
            To,
            Options,
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
                            "from" => Ok(GeneratedField::From),
                            "to" => Ok(GeneratedField::To),
                            "options" => Ok(GeneratedField::Options),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = DiffBundlesRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.DiffBundlesRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<DiffBundlesRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut from__ = None;
                let mut to__ = None;
                let mut options__ = None;
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
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = Some(map_.next_value()?);
                        }
                        GeneratedField::To => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("to"));
                            }
                            to__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Options => {
                            if options__.is_some() {
                                return Err(serde::de::Error::duplicate_field("options"));
                            }
                            options__ = map_.next_value()?;
                        }
                    }
                }
                Ok(DiffBundlesRequest {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    from: from__.unwrap_or_default(),
                    to: to__.unwrap_or_default(),
                    options: options__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.DiffBundlesRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for DiffBundlesResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.DiffBundlesResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if let Some(v) = self.from.as_ref() {
            struct_ser.serialize_field("from", v)?;
        }
        if let Some(v) = self.to.as_ref() {
            struct_ser.serialize_field("to", v)?;
        }
        if true {
            struct_ser.serialize_field("fromFaults", &self.from_faults)?;
        }
        if true {
            struct_ser.serialize_field("toFaults", &self.to_faults)?;
        }
        if true {
            struct_ser.serialize_field("breaks", &self.breaks)?;
        }
        if true {
            struct_ser.serialize_field("migrations", &self.migrations)?;
        }
        if true {
            struct_ser.serialize_field("grown", &self.grown)?;
        }
        if true {
            struct_ser.serialize_field("added", &self.added)?;
        }
        if true {
            struct_ser.serialize_field("removed", &self.removed)?;
        }
        if true {
            struct_ser.serialize_field("changed", &self.changed)?;
        }
        if true {
            struct_ser.serialize_field("imagesAdded", &self.images_added)?;
        }
        if true {
            struct_ser.serialize_field("imagesRemoved", &self.images_removed)?;
        }
        if true {
            struct_ser.serialize_field("coarse", &self.coarse)?;
        }
        if true {
            struct_ser.serialize_field("versions", &self.versions)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for DiffBundlesResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "from",
            "to",
            "from_faults",
            "fromFaults",
            "to_faults",
            "toFaults",
            "breaks",
            "migrations",
            "grown",
            "added",
            "removed",
            "changed",
            "images_added",
            "imagesAdded",
            "images_removed",
            "imagesRemoved",
            "coarse",
            "versions",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            From,
            To,
            FromFaults,
            ToFaults,
            Breaks,
            Migrations,
            Grown,
            Added,
            Removed,
            Changed,
            ImagesAdded,
            ImagesRemoved,
            Coarse,
            Versions,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "from" => Ok(GeneratedField::From),
                            "to" => Ok(GeneratedField::To),
                            "fromFaults" | "from_faults" => Ok(GeneratedField::FromFaults),
                            "toFaults" | "to_faults" => Ok(GeneratedField::ToFaults),
                            "breaks" => Ok(GeneratedField::Breaks),
                            "migrations" => Ok(GeneratedField::Migrations),
                            "grown" => Ok(GeneratedField::Grown),
                            "added" => Ok(GeneratedField::Added),
                            "removed" => Ok(GeneratedField::Removed),
                            "changed" => Ok(GeneratedField::Changed),
                            "imagesAdded" | "images_added" => Ok(GeneratedField::ImagesAdded),
                            "imagesRemoved" | "images_removed" => Ok(GeneratedField::ImagesRemoved),
                            "coarse" => Ok(GeneratedField::Coarse),
                            "versions" => Ok(GeneratedField::Versions),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = DiffBundlesResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.DiffBundlesResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<DiffBundlesResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut from__ = None;
                let mut to__ = None;
                let mut from_faults__ = None;
                let mut to_faults__ = None;
                let mut breaks__ = None;
                let mut migrations__ = None;
                let mut grown__ = None;
                let mut added__ = None;
                let mut removed__ = None;
                let mut changed__ = None;
                let mut images_added__ = None;
                let mut images_removed__ = None;
                let mut coarse__ = None;
                let mut versions__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
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
                        GeneratedField::FromFaults => {
                            if from_faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("fromFaults"));
                            }
                            from_faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ToFaults => {
                            if to_faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("toFaults"));
                            }
                            to_faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Breaks => {
                            if breaks__.is_some() {
                                return Err(serde::de::Error::duplicate_field("breaks"));
                            }
                            breaks__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Migrations => {
                            if migrations__.is_some() {
                                return Err(serde::de::Error::duplicate_field("migrations"));
                            }
                            migrations__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Grown => {
                            if grown__.is_some() {
                                return Err(serde::de::Error::duplicate_field("grown"));
                            }
                            grown__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Added => {
                            if added__.is_some() {
                                return Err(serde::de::Error::duplicate_field("added"));
                            }
                            added__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Removed => {
                            if removed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("removed"));
                            }
                            removed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Changed => {
                            if changed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("changed"));
                            }
                            changed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ImagesAdded => {
                            if images_added__.is_some() {
                                return Err(serde::de::Error::duplicate_field("imagesAdded"));
                            }
                            images_added__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ImagesRemoved => {
                            if images_removed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("imagesRemoved"));
                            }
                            images_removed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Coarse => {
                            if coarse__.is_some() {
                                return Err(serde::de::Error::duplicate_field("coarse"));
                            }
                            coarse__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Versions => {
                            if versions__.is_some() {
                                return Err(serde::de::Error::duplicate_field("versions"));
                            }
                            versions__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(DiffBundlesResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    from: from__,
                    to: to__,
                    from_faults: from_faults__.unwrap_or_default(),
                    to_faults: to_faults__.unwrap_or_default(),
                    breaks: breaks__.unwrap_or_default(),
                    migrations: migrations__.unwrap_or_default(),
                    grown: grown__.unwrap_or_default(),
                    added: added__.unwrap_or_default(),
                    removed: removed__.unwrap_or_default(),
                    changed: changed__.unwrap_or_default(),
                    images_added: images_added__.unwrap_or_default(),
                    images_removed: images_removed__.unwrap_or_default(),
                    coarse: coarse__.unwrap_or_default(),
                    versions: versions__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.DiffBundlesResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for diff_bundles_response::Break {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.DiffBundlesResponse.Break", len)?;
        if true {
            struct_ser.serialize_field("definition", &self.definition)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("path", &self.path)?;
        }
        if true {
            struct_ser.serialize_field("check", &self.check)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("file", &self.file)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for diff_bundles_response::Break {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "definition",
            "version",
            "path",
            "check",
            "message",
            "file",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Definition,
            Version,
            Path,
            Check,
            Message,
            File,
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
                            "definition" => Ok(GeneratedField::Definition),
                            "version" => Ok(GeneratedField::Version),
                            "path" => Ok(GeneratedField::Path),
                            "check" => Ok(GeneratedField::Check),
                            "message" => Ok(GeneratedField::Message),
                            "file" => Ok(GeneratedField::File),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = diff_bundles_response::Break;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.DiffBundlesResponse.Break")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<diff_bundles_response::Break, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut definition__ = None;
                let mut version__ = None;
                let mut path__ = None;
                let mut check__ = None;
                let mut message__ = None;
                let mut file__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Definition => {
                            if definition__.is_some() {
                                return Err(serde::de::Error::duplicate_field("definition"));
                            }
                            definition__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Path => {
                            if path__.is_some() {
                                return Err(serde::de::Error::duplicate_field("path"));
                            }
                            path__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Check => {
                            if check__.is_some() {
                                return Err(serde::de::Error::duplicate_field("check"));
                            }
                            check__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::File => {
                            if file__.is_some() {
                                return Err(serde::de::Error::duplicate_field("file"));
                            }
                            file__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(diff_bundles_response::Break {
                    definition: definition__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    path: path__.unwrap_or_default(),
                    check: check__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    file: file__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.DiffBundlesResponse.Break", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for diff_bundles_response::Migration {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.DiffBundlesResponse.Migration", len)?;
        if true {
            struct_ser.serialize_field("definition", &self.definition)?;
        }
        if true {
            struct_ser.serialize_field("drops", &self.drops)?;
        }
        if true {
            struct_ser.serialize_field("to", &self.to)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for diff_bundles_response::Migration {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "definition",
            "drops",
            "to",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Definition,
            Drops,
            To,
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
                            "definition" => Ok(GeneratedField::Definition),
                            "drops" => Ok(GeneratedField::Drops),
                            "to" => Ok(GeneratedField::To),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = diff_bundles_response::Migration;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.DiffBundlesResponse.Migration")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<diff_bundles_response::Migration, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut definition__ = None;
                let mut drops__ = None;
                let mut to__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Definition => {
                            if definition__.is_some() {
                                return Err(serde::de::Error::duplicate_field("definition"));
                            }
                            definition__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Drops => {
                            if drops__.is_some() {
                                return Err(serde::de::Error::duplicate_field("drops"));
                            }
                            drops__ = Some(map_.next_value()?);
                        }
                        GeneratedField::To => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("to"));
                            }
                            to__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(diff_bundles_response::Migration {
                    definition: definition__.unwrap_or_default(),
                    drops: drops__.unwrap_or_default(),
                    to: to__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.DiffBundlesResponse.Migration", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for diff_bundles_response::Object {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.DiffBundlesResponse.Object", len)?;
        if true {
            struct_ser.serialize_field("group", &self.group)?;
        }
        if true {
            struct_ser.serialize_field("kind", &self.kind)?;
        }
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for diff_bundles_response::Object {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "group",
            "kind",
            "namespace",
            "name",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Group,
            Kind,
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
                            "group" => Ok(GeneratedField::Group),
                            "kind" => Ok(GeneratedField::Kind),
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
            type Value = diff_bundles_response::Object;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.DiffBundlesResponse.Object")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<diff_bundles_response::Object, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut group__ = None;
                let mut kind__ = None;
                let mut namespace__ = None;
                let mut name__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Group => {
                            if group__.is_some() {
                                return Err(serde::de::Error::duplicate_field("group"));
                            }
                            group__ = Some(map_.next_value()?);
                        }
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
                    }
                }
                Ok(diff_bundles_response::Object {
                    group: group__.unwrap_or_default(),
                    kind: kind__.unwrap_or_default(),
                    namespace: namespace__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.DiffBundlesResponse.Object", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for diff_bundles_response::Permission {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.DiffBundlesResponse.Permission", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("verbs", &self.verbs)?;
        }
        if true {
            struct_ser.serialize_field("apiGroups", &self.api_groups)?;
        }
        if true {
            struct_ser.serialize_field("resources", &self.resources)?;
        }
        if true {
            struct_ser.serialize_field("resourceNames", &self.resource_names)?;
        }
        if true {
            struct_ser.serialize_field("nonResourceUrls", &self.non_resource_urls)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for diff_bundles_response::Permission {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "verbs",
            "api_groups",
            "apiGroups",
            "resources",
            "resource_names",
            "resourceNames",
            "non_resource_urls",
            "nonResourceUrls",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            Verbs,
            ApiGroups,
            Resources,
            ResourceNames,
            NonResourceUrls,
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
                            "verbs" => Ok(GeneratedField::Verbs),
                            "apiGroups" | "api_groups" => Ok(GeneratedField::ApiGroups),
                            "resources" => Ok(GeneratedField::Resources),
                            "resourceNames" | "resource_names" => Ok(GeneratedField::ResourceNames),
                            "nonResourceUrls" | "non_resource_urls" => Ok(GeneratedField::NonResourceUrls),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = diff_bundles_response::Permission;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.DiffBundlesResponse.Permission")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<diff_bundles_response::Permission, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut verbs__ = None;
                let mut api_groups__ = None;
                let mut resources__ = None;
                let mut resource_names__ = None;
                let mut non_resource_urls__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Verbs => {
                            if verbs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verbs"));
                            }
                            verbs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ApiGroups => {
                            if api_groups__.is_some() {
                                return Err(serde::de::Error::duplicate_field("apiGroups"));
                            }
                            api_groups__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Resources => {
                            if resources__.is_some() {
                                return Err(serde::de::Error::duplicate_field("resources"));
                            }
                            resources__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ResourceNames => {
                            if resource_names__.is_some() {
                                return Err(serde::de::Error::duplicate_field("resourceNames"));
                            }
                            resource_names__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NonResourceUrls => {
                            if non_resource_urls__.is_some() {
                                return Err(serde::de::Error::duplicate_field("nonResourceUrls"));
                            }
                            non_resource_urls__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(diff_bundles_response::Permission {
                    namespace: namespace__.unwrap_or_default(),
                    verbs: verbs__.unwrap_or_default(),
                    api_groups: api_groups__.unwrap_or_default(),
                    resources: resources__.unwrap_or_default(),
                    resource_names: resource_names__.unwrap_or_default(),
                    non_resource_urls: non_resource_urls__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.DiffBundlesResponse.Permission", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for diff_bundles_response::Versions {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.DiffBundlesResponse.Versions", len)?;
        if true {
            struct_ser.serialize_field("definition", &self.definition)?;
        }
        if true {
            struct_ser.serialize_field("added", &self.added)?;
        }
        if true {
            struct_ser.serialize_field("removed", &self.removed)?;
        }
        if true {
            struct_ser.serialize_field("stored", &self.stored)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for diff_bundles_response::Versions {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "definition",
            "added",
            "removed",
            "stored",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Definition,
            Added,
            Removed,
            Stored,
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
                            "definition" => Ok(GeneratedField::Definition),
                            "added" => Ok(GeneratedField::Added),
                            "removed" => Ok(GeneratedField::Removed),
                            "stored" => Ok(GeneratedField::Stored),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = diff_bundles_response::Versions;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.DiffBundlesResponse.Versions")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<diff_bundles_response::Versions, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut definition__ = None;
                let mut added__ = None;
                let mut removed__ = None;
                let mut stored__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Definition => {
                            if definition__.is_some() {
                                return Err(serde::de::Error::duplicate_field("definition"));
                            }
                            definition__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Added => {
                            if added__.is_some() {
                                return Err(serde::de::Error::duplicate_field("added"));
                            }
                            added__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Removed => {
                            if removed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("removed"));
                            }
                            removed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Stored => {
                            if stored__.is_some() {
                                return Err(serde::de::Error::duplicate_field("stored"));
                            }
                            stored__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(diff_bundles_response::Versions {
                    definition: definition__.unwrap_or_default(),
                    added: added__.unwrap_or_default(),
                    removed: removed__.unwrap_or_default(),
                    stored: stored__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.DiffBundlesResponse.Versions", FIELDS, GeneratedVisitor)
    }
}
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
impl serde::Serialize for Fault {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Fault", len)?;
        if true {
            let v = fault::Severity::try_from(self.severity)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.severity)))?;
            struct_ser.serialize_field("severity", &v)?;
        }
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
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
            struct_ser.serialize_field("file", &self.file)?;
        }
        if true {
            struct_ser.serialize_field("line", &self.line)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Fault {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "severity",
            "code",
            "message",
            "catalog",
            "package",
            "channel",
            "file",
            "line",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Severity,
            Code,
            Message,
            Catalog,
            Package,
            Channel,
            File,
            Line,
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
                            "severity" => Ok(GeneratedField::Severity),
                            "code" => Ok(GeneratedField::Code),
                            "message" => Ok(GeneratedField::Message),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "package" => Ok(GeneratedField::Package),
                            "channel" => Ok(GeneratedField::Channel),
                            "file" => Ok(GeneratedField::File),
                            "line" => Ok(GeneratedField::Line),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Fault;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Fault")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Fault, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut severity__ = None;
                let mut code__ = None;
                let mut message__ = None;
                let mut catalog__ = None;
                let mut package__ = None;
                let mut channel__ = None;
                let mut file__ = None;
                let mut line__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Severity => {
                            if severity__.is_some() {
                                return Err(serde::de::Error::duplicate_field("severity"));
                            }
                            severity__ = Some(map_.next_value::<fault::Severity>()? as i32);
                        }
                        GeneratedField::Code => {
                            if code__.is_some() {
                                return Err(serde::de::Error::duplicate_field("code"));
                            }
                            code__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
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
                        GeneratedField::File => {
                            if file__.is_some() {
                                return Err(serde::de::Error::duplicate_field("file"));
                            }
                            file__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Line => {
                            if line__.is_some() {
                                return Err(serde::de::Error::duplicate_field("line"));
                            }
                            line__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(Fault {
                    severity: severity__.unwrap_or_default(),
                    code: code__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    file: file__.unwrap_or_default(),
                    line: line__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Fault", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for fault::Severity {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Error => "ERROR",
            Self::Warning => "WARNING",
            Self::Note => "NOTE",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for fault::Severity {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "ERROR",
            "WARNING",
            "NOTE",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = fault::Severity;

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
                    "UNSPECIFIED" => Ok(fault::Severity::Unspecified),
                    "ERROR" => Ok(fault::Severity::Error),
                    "WARNING" => Ok(fault::Severity::Warning),
                    "NOTE" => Ok(fault::Severity::Note),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for FindPathRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.FindPathRequest", len)?;
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
        if let Some(v) = self.destination.as_ref() {
            struct_ser.serialize_field("destination", v)?;
        }
        if true {
            let v = walk::Kind::try_from(self.walk)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.walk)))?;
            struct_ser.serialize_field("walk", &v)?;
        }
        if true {
            struct_ser.serialize_field("allowDowngrade", &self.allow_downgrade)?;
        }
        if true {
            struct_ser.serialize_field("allowUnconnected", &self.allow_unconnected)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for FindPathRequest {
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
            "destination",
            "walk",
            "allow_downgrade",
            "allowDowngrade",
            "allow_unconnected",
            "allowUnconnected",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Channel,
            Installed,
            InstalledVersion,
            Destination,
            Walk,
            AllowDowngrade,
            AllowUnconnected,
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
                            "destination" => Ok(GeneratedField::Destination),
                            "walk" => Ok(GeneratedField::Walk),
                            "allowDowngrade" | "allow_downgrade" => Ok(GeneratedField::AllowDowngrade),
                            "allowUnconnected" | "allow_unconnected" => Ok(GeneratedField::AllowUnconnected),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = FindPathRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.FindPathRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<FindPathRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut channel__ = None;
                let mut installed__ = None;
                let mut installed_version__ = None;
                let mut destination__ = None;
                let mut walk__ = None;
                let mut allow_downgrade__ = None;
                let mut allow_unconnected__ = None;
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
                        GeneratedField::Destination => {
                            if destination__.is_some() {
                                return Err(serde::de::Error::duplicate_field("destination"));
                            }
                            destination__ = map_.next_value()?;
                        }
                        GeneratedField::Walk => {
                            if walk__.is_some() {
                                return Err(serde::de::Error::duplicate_field("walk"));
                            }
                            walk__ = Some(map_.next_value::<walk::Kind>()? as i32);
                        }
                        GeneratedField::AllowDowngrade => {
                            if allow_downgrade__.is_some() {
                                return Err(serde::de::Error::duplicate_field("allowDowngrade"));
                            }
                            allow_downgrade__ = Some(map_.next_value()?);
                        }
                        GeneratedField::AllowUnconnected => {
                            if allow_unconnected__.is_some() {
                                return Err(serde::de::Error::duplicate_field("allowUnconnected"));
                            }
                            allow_unconnected__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(FindPathRequest {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    installed_version: installed_version__.unwrap_or_default(),
                    destination: destination__,
                    walk: walk__.unwrap_or_default(),
                    allow_downgrade: allow_downgrade__.unwrap_or_default(),
                    allow_unconnected: allow_unconnected__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.FindPathRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for FindPathResponse {
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
        if self.answer.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.FindPathResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if let Some(v) = self.installed.as_ref() {
            struct_ser.serialize_field("installed", v)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
        }
        if let Some(v) = self.answer.as_ref() {
            match v {
                find_path_response::Answer::Reached(v) => {
                    struct_ser.serialize_field("reached", v)?;
                }
                find_path_response::Answer::AlreadyThere(v) => {
                    struct_ser.serialize_field("alreadyThere", v)?;
                }
                find_path_response::Answer::Blocked(v) => {
                    struct_ser.serialize_field("blocked", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for FindPathResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "installed",
            "faults",
            "reached",
            "already_there",
            "alreadyThere",
            "blocked",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Installed,
            Faults,
            Reached,
            AlreadyThere,
            Blocked,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "installed" => Ok(GeneratedField::Installed),
                            "faults" => Ok(GeneratedField::Faults),
                            "reached" => Ok(GeneratedField::Reached),
                            "alreadyThere" | "already_there" => Ok(GeneratedField::AlreadyThere),
                            "blocked" => Ok(GeneratedField::Blocked),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = FindPathResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.FindPathResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<FindPathResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut installed__ = None;
                let mut faults__ = None;
                let mut answer__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = map_.next_value()?;
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Reached => {
                            if answer__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reached"));
                            }
                            answer__ = map_.next_value::<::std::option::Option<_>>()?.map(find_path_response::Answer::Reached)
;
                        }
                        GeneratedField::AlreadyThere => {
                            if answer__.is_some() {
                                return Err(serde::de::Error::duplicate_field("alreadyThere"));
                            }
                            answer__ = map_.next_value::<::std::option::Option<_>>()?.map(find_path_response::Answer::AlreadyThere)
;
                        }
                        GeneratedField::Blocked => {
                            if answer__.is_some() {
                                return Err(serde::de::Error::duplicate_field("blocked"));
                            }
                            answer__ = map_.next_value::<::std::option::Option<_>>()?.map(find_path_response::Answer::Blocked)
;
                        }
                    }
                }
                Ok(FindPathResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    installed: installed__,
                    faults: faults__.unwrap_or_default(),
                    answer: answer__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.FindPathResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for find_path_response::AlreadyThere {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.FindPathResponse.AlreadyThere", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for find_path_response::AlreadyThere {
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
            type Value = find_path_response::AlreadyThere;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.FindPathResponse.AlreadyThere")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<find_path_response::AlreadyThere, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(find_path_response::AlreadyThere {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.FindPathResponse.AlreadyThere", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for find_path_response::Path {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.FindPathResponse.Path", len)?;
        if true {
            struct_ser.serialize_field("hops", &self.hops)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for find_path_response::Path {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "hops",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Hops,
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
                            "hops" => Ok(GeneratedField::Hops),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = find_path_response::Path;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.FindPathResponse.Path")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<find_path_response::Path, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut hops__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Hops => {
                            if hops__.is_some() {
                                return Err(serde::de::Error::duplicate_field("hops"));
                            }
                            hops__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(find_path_response::Path {
                    hops: hops__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.FindPathResponse.Path", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GenerateRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GenerateRequest", len)?;
        if let Some(v) = self.configuration.as_ref() {
            struct_ser.serialize_field("configuration", v)?;
        }
        if let Some(v) = self.manifest.as_ref() {
            struct_ser.serialize_field("manifest", v)?;
        }
        if true {
            struct_ser.serialize_field("wishes", &self.wishes)?;
        }
        if true {
            struct_ser.serialize_field("deletes", &self.deletes)?;
        }
        if true {
            let v = autoremove::Kind::try_from(self.autoremove)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.autoremove)))?;
            struct_ser.serialize_field("autoremove", &v)?;
        }
        if let Some(v) = self.cluster.as_ref() {
            struct_ser.serialize_field("cluster", v)?;
        }
        if true {
            struct_ser.serialize_field("kubernetes", &self.kubernetes)?;
        }
        if let Some(v) = self.scope.as_ref() {
            struct_ser.serialize_field("scope", v)?;
        }
        if true {
            struct_ser.serialize_field("owners", &self.owners)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GenerateRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "configuration",
            "manifest",
            "wishes",
            "deletes",
            "autoremove",
            "cluster",
            "kubernetes",
            "scope",
            "owners",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Configuration,
            Manifest,
            Wishes,
            Deletes,
            Autoremove,
            Cluster,
            Kubernetes,
            Scope,
            Owners,
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
                            "configuration" => Ok(GeneratedField::Configuration),
                            "manifest" => Ok(GeneratedField::Manifest),
                            "wishes" => Ok(GeneratedField::Wishes),
                            "deletes" => Ok(GeneratedField::Deletes),
                            "autoremove" => Ok(GeneratedField::Autoremove),
                            "cluster" => Ok(GeneratedField::Cluster),
                            "kubernetes" => Ok(GeneratedField::Kubernetes),
                            "scope" => Ok(GeneratedField::Scope),
                            "owners" => Ok(GeneratedField::Owners),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GenerateRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GenerateRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GenerateRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut configuration__ = None;
                let mut manifest__ = None;
                let mut wishes__ = None;
                let mut deletes__ = None;
                let mut autoremove__ = None;
                let mut cluster__ = None;
                let mut kubernetes__ = None;
                let mut scope__ = None;
                let mut owners__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Configuration => {
                            if configuration__.is_some() {
                                return Err(serde::de::Error::duplicate_field("configuration"));
                            }
                            configuration__ = map_.next_value()?;
                        }
                        GeneratedField::Manifest => {
                            if manifest__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manifest"));
                            }
                            manifest__ = map_.next_value()?;
                        }
                        GeneratedField::Wishes => {
                            if wishes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wishes"));
                            }
                            wishes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deletes => {
                            if deletes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deletes"));
                            }
                            deletes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Autoremove => {
                            if autoremove__.is_some() {
                                return Err(serde::de::Error::duplicate_field("autoremove"));
                            }
                            autoremove__ = Some(map_.next_value::<autoremove::Kind>()? as i32);
                        }
                        GeneratedField::Cluster => {
                            if cluster__.is_some() {
                                return Err(serde::de::Error::duplicate_field("cluster"));
                            }
                            cluster__ = map_.next_value()?;
                        }
                        GeneratedField::Kubernetes => {
                            if kubernetes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kubernetes"));
                            }
                            kubernetes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Scope => {
                            if scope__.is_some() {
                                return Err(serde::de::Error::duplicate_field("scope"));
                            }
                            scope__ = map_.next_value()?;
                        }
                        GeneratedField::Owners => {
                            if owners__.is_some() {
                                return Err(serde::de::Error::duplicate_field("owners"));
                            }
                            owners__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(GenerateRequest {
                    configuration: configuration__,
                    manifest: manifest__,
                    wishes: wishes__.unwrap_or_default(),
                    deletes: deletes__.unwrap_or_default(),
                    autoremove: autoremove__.unwrap_or_default(),
                    cluster: cluster__,
                    kubernetes: kubernetes__.unwrap_or_default(),
                    scope: scope__,
                    owners: owners__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GenerateRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for generate_request::Cluster {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GenerateRequest.Cluster", len)?;
        if true {
            struct_ser.serialize_field("operators", &self.operators)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for generate_request::Cluster {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "operators",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Operators,
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
                            "operators" => Ok(GeneratedField::Operators),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = generate_request::Cluster;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GenerateRequest.Cluster")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<generate_request::Cluster, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut operators__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Operators => {
                            if operators__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operators"));
                            }
                            operators__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(generate_request::Cluster {
                    operators: operators__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GenerateRequest.Cluster", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for generate_request::Configuration {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GenerateRequest.Configuration", len)?;
        if true {
            struct_ser.serialize_field("documents", &self.documents)?;
        }
        if true {
            struct_ser.serialize_field("unread", &self.unread)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for generate_request::Configuration {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "documents",
            "unread",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Documents,
            Unread,
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
                            "documents" => Ok(GeneratedField::Documents),
                            "unread" => Ok(GeneratedField::Unread),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = generate_request::Configuration;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GenerateRequest.Configuration")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<generate_request::Configuration, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut documents__ = None;
                let mut unread__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Documents => {
                            if documents__.is_some() {
                                return Err(serde::de::Error::duplicate_field("documents"));
                            }
                            documents__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Unread => {
                            if unread__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unread"));
                            }
                            unread__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(generate_request::Configuration {
                    documents: documents__.unwrap_or_default(),
                    unread: unread__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GenerateRequest.Configuration", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for generate_request::Document {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GenerateRequest.Document", len)?;
        if true {
            struct_ser.serialize_field("place", &self.place)?;
        }
        if true {
            struct_ser.serialize_field("object", &self.object)?;
        }
        if true {
            struct_ser.serialize_field("wasJson", &self.was_json)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for generate_request::Document {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "place",
            "object",
            "was_json",
            "wasJson",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Place,
            Object,
            WasJson,
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
                            "object" => Ok(GeneratedField::Object),
                            "wasJson" | "was_json" => Ok(GeneratedField::WasJson),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = generate_request::Document;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GenerateRequest.Document")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<generate_request::Document, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut place__ = None;
                let mut object__ = None;
                let mut was_json__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Place => {
                            if place__.is_some() {
                                return Err(serde::de::Error::duplicate_field("place"));
                            }
                            place__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = Some(map_.next_value()?);
                        }
                        GeneratedField::WasJson => {
                            if was_json__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wasJson"));
                            }
                            was_json__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(generate_request::Document {
                    place: place__.unwrap_or_default(),
                    object: object__.unwrap_or_default(),
                    was_json: was_json__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GenerateRequest.Document", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GenerateResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GenerateResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            let v = verdict::Kind::try_from(self.verdict)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.verdict)))?;
            struct_ser.serialize_field("verdict", &v)?;
        }
        if true {
            struct_ser.serialize_field("objects", &self.objects)?;
        }
        if true {
            struct_ser.serialize_field("changes", &self.changes)?;
        }
        if true {
            struct_ser.serialize_field("wasJson", &self.was_json)?;
        }
        if true {
            struct_ser.serialize_field("errors", &self.errors)?;
        }
        if true {
            struct_ser.serialize_field("warnings", &self.warnings)?;
        }
        if true {
            struct_ser.serialize_field("notes", &self.notes)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GenerateResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "verdict",
            "objects",
            "changes",
            "was_json",
            "wasJson",
            "errors",
            "warnings",
            "notes",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Verdict,
            Objects,
            Changes,
            WasJson,
            Errors,
            Warnings,
            Notes,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "verdict" => Ok(GeneratedField::Verdict),
                            "objects" => Ok(GeneratedField::Objects),
                            "changes" => Ok(GeneratedField::Changes),
                            "wasJson" | "was_json" => Ok(GeneratedField::WasJson),
                            "errors" => Ok(GeneratedField::Errors),
                            "warnings" => Ok(GeneratedField::Warnings),
                            "notes" => Ok(GeneratedField::Notes),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GenerateResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GenerateResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GenerateResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut verdict__ = None;
                let mut objects__ = None;
                let mut changes__ = None;
                let mut was_json__ = None;
                let mut errors__ = None;
                let mut warnings__ = None;
                let mut notes__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = Some(map_.next_value::<verdict::Kind>()? as i32);
                        }
                        GeneratedField::Objects => {
                            if objects__.is_some() {
                                return Err(serde::de::Error::duplicate_field("objects"));
                            }
                            objects__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Changes => {
                            if changes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("changes"));
                            }
                            changes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::WasJson => {
                            if was_json__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wasJson"));
                            }
                            was_json__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Errors => {
                            if errors__.is_some() {
                                return Err(serde::de::Error::duplicate_field("errors"));
                            }
                            errors__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Warnings => {
                            if warnings__.is_some() {
                                return Err(serde::de::Error::duplicate_field("warnings"));
                            }
                            warnings__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Notes => {
                            if notes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notes"));
                            }
                            notes__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(GenerateResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    verdict: verdict__.unwrap_or_default(),
                    objects: objects__.unwrap_or_default(),
                    changes: changes__.unwrap_or_default(),
                    was_json: was_json__.unwrap_or_default(),
                    errors: errors__.unwrap_or_default(),
                    warnings: warnings__.unwrap_or_default(),
                    notes: notes__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GenerateResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for generate_response::BundlePath {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GenerateResponse.BundlePath", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for generate_response::BundlePath {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "installed",
            "bundles",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Installed,
            Bundles,
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
                            "installed" => Ok(GeneratedField::Installed),
                            "bundles" => Ok(GeneratedField::Bundles),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = generate_response::BundlePath;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GenerateResponse.BundlePath")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<generate_response::BundlePath, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut installed__ = None;
                let mut bundles__ = None;
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
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(generate_response::BundlePath {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    bundles: bundles__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GenerateResponse.BundlePath", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for generate_response::Change {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GenerateResponse.Change", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("previous", &self.previous)?;
        }
        if true {
            struct_ser.serialize_field("available", &self.available)?;
        }
        if true {
            struct_ser.serialize_field("replacedRange", &self.replaced_range)?;
        }
        if let Some(v) = self.path.as_ref() {
            struct_ser.serialize_field("path", v)?;
        }
        if let Some(v) = self.owner.as_ref() {
            struct_ser.serialize_field("owner", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for generate_response::Change {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "previous",
            "available",
            "replaced_range",
            "replacedRange",
            "path",
            "owner",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Previous,
            Available,
            ReplacedRange,
            Path,
            Owner,
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
                            "version" => Ok(GeneratedField::Version),
                            "previous" => Ok(GeneratedField::Previous),
                            "available" => Ok(GeneratedField::Available),
                            "replacedRange" | "replaced_range" => Ok(GeneratedField::ReplacedRange),
                            "path" => Ok(GeneratedField::Path),
                            "owner" => Ok(GeneratedField::Owner),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = generate_response::Change;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GenerateResponse.Change")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<generate_response::Change, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut previous__ = None;
                let mut available__ = None;
                let mut replaced_range__ = None;
                let mut path__ = None;
                let mut owner__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Previous => {
                            if previous__.is_some() {
                                return Err(serde::de::Error::duplicate_field("previous"));
                            }
                            previous__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Available => {
                            if available__.is_some() {
                                return Err(serde::de::Error::duplicate_field("available"));
                            }
                            available__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ReplacedRange => {
                            if replaced_range__.is_some() {
                                return Err(serde::de::Error::duplicate_field("replacedRange"));
                            }
                            replaced_range__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Path => {
                            if path__.is_some() {
                                return Err(serde::de::Error::duplicate_field("path"));
                            }
                            path__ = map_.next_value()?;
                        }
                        GeneratedField::Owner => {
                            if owner__.is_some() {
                                return Err(serde::de::Error::duplicate_field("owner"));
                            }
                            owner__ = map_.next_value()?;
                        }
                    }
                }
                Ok(generate_response::Change {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    previous: previous__.unwrap_or_default(),
                    available: available__.unwrap_or_default(),
                    replaced_range: replaced_range__.unwrap_or_default(),
                    path: path__,
                    owner: owner__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GenerateResponse.Change", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetBundleRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetBundleRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if true {
            struct_ser.serialize_field("objects", &self.objects)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetBundleRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "bundle",
            "objects",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Bundle,
            Objects,
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
                            "bundle" => Ok(GeneratedField::Bundle),
                            "objects" => Ok(GeneratedField::Objects),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GetBundleRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetBundleRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetBundleRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut bundle__ = None;
                let mut objects__ = None;
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
                        GeneratedField::Bundle => {
                            if bundle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundle"));
                            }
                            bundle__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Objects => {
                            if objects__.is_some() {
                                return Err(serde::de::Error::duplicate_field("objects"));
                            }
                            objects__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(GetBundleRequest {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    bundle: bundle__.unwrap_or_default(),
                    objects: objects__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetBundleRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetBundleResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetBundleResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("release", &self.release)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        if true {
            struct_ser.serialize_field("prohibited", &self.prohibited)?;
        }
        if true {
            struct_ser.serialize_field("displayName", &self.display_name)?;
        }
        if true {
            struct_ser.serialize_field("image", &self.image)?;
        }
        if true {
            struct_ser.serialize_field("relatedImages", &self.related_images)?;
        }
        if true {
            struct_ser.serialize_field("installModes", &self.install_modes)?;
        }
        if true {
            struct_ser.serialize_field("provides", &self.provides)?;
        }
        if let Some(v) = self.requires.as_ref() {
            struct_ser.serialize_field("requires", v)?;
        }
        if true {
            struct_ser.serialize_field("minKubeVersion", &self.min_kube_version)?;
        }
        if true {
            struct_ser.serialize_field("maxOpenshiftVersion", &self.max_openshift_version)?;
        }
        if true {
            struct_ser.serialize_field("properties", &self.properties)?;
        }
        if true {
            struct_ser.serialize_field("objects", &self.objects)?;
        }
        if true {
            struct_ser.serialize_field("notGiven", &self.not_given)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetBundleResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "package",
            "name",
            "version",
            "release",
            "channels",
            "deprecation",
            "prohibited",
            "display_name",
            "displayName",
            "image",
            "related_images",
            "relatedImages",
            "install_modes",
            "installModes",
            "provides",
            "requires",
            "min_kube_version",
            "minKubeVersion",
            "max_openshift_version",
            "maxOpenshiftVersion",
            "properties",
            "objects",
            "not_given",
            "notGiven",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Package,
            Name,
            Version,
            Release,
            Channels,
            Deprecation,
            Prohibited,
            DisplayName,
            Image,
            RelatedImages,
            InstallModes,
            Provides,
            Requires,
            MinKubeVersion,
            MaxOpenshiftVersion,
            Properties,
            Objects,
            NotGiven,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "package" => Ok(GeneratedField::Package),
                            "name" => Ok(GeneratedField::Name),
                            "version" => Ok(GeneratedField::Version),
                            "release" => Ok(GeneratedField::Release),
                            "channels" => Ok(GeneratedField::Channels),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            "prohibited" => Ok(GeneratedField::Prohibited),
                            "displayName" | "display_name" => Ok(GeneratedField::DisplayName),
                            "image" => Ok(GeneratedField::Image),
                            "relatedImages" | "related_images" => Ok(GeneratedField::RelatedImages),
                            "installModes" | "install_modes" => Ok(GeneratedField::InstallModes),
                            "provides" => Ok(GeneratedField::Provides),
                            "requires" => Ok(GeneratedField::Requires),
                            "minKubeVersion" | "min_kube_version" => Ok(GeneratedField::MinKubeVersion),
                            "maxOpenshiftVersion" | "max_openshift_version" => Ok(GeneratedField::MaxOpenshiftVersion),
                            "properties" => Ok(GeneratedField::Properties),
                            "objects" => Ok(GeneratedField::Objects),
                            "notGiven" | "not_given" => Ok(GeneratedField::NotGiven),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GetBundleResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetBundleResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetBundleResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut package__ = None;
                let mut name__ = None;
                let mut version__ = None;
                let mut release__ = None;
                let mut channels__ = None;
                let mut deprecation__ = None;
                let mut prohibited__ = None;
                let mut display_name__ = None;
                let mut image__ = None;
                let mut related_images__ = None;
                let mut install_modes__ = None;
                let mut provides__ = None;
                let mut requires__ = None;
                let mut min_kube_version__ = None;
                let mut max_openshift_version__ = None;
                let mut properties__ = None;
                let mut objects__ = None;
                let mut not_given__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Release => {
                            if release__.is_some() {
                                return Err(serde::de::Error::duplicate_field("release"));
                            }
                            release__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Prohibited => {
                            if prohibited__.is_some() {
                                return Err(serde::de::Error::duplicate_field("prohibited"));
                            }
                            prohibited__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DisplayName => {
                            if display_name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("displayName"));
                            }
                            display_name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Image => {
                            if image__.is_some() {
                                return Err(serde::de::Error::duplicate_field("image"));
                            }
                            image__ = Some(map_.next_value()?);
                        }
                        GeneratedField::RelatedImages => {
                            if related_images__.is_some() {
                                return Err(serde::de::Error::duplicate_field("relatedImages"));
                            }
                            related_images__ = Some(map_.next_value()?);
                        }
                        GeneratedField::InstallModes => {
                            if install_modes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installModes"));
                            }
                            install_modes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Provides => {
                            if provides__.is_some() {
                                return Err(serde::de::Error::duplicate_field("provides"));
                            }
                            provides__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Requires => {
                            if requires__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requires"));
                            }
                            requires__ = map_.next_value()?;
                        }
                        GeneratedField::MinKubeVersion => {
                            if min_kube_version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("minKubeVersion"));
                            }
                            min_kube_version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::MaxOpenshiftVersion => {
                            if max_openshift_version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("maxOpenshiftVersion"));
                            }
                            max_openshift_version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Properties => {
                            if properties__.is_some() {
                                return Err(serde::de::Error::duplicate_field("properties"));
                            }
                            properties__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Objects => {
                            if objects__.is_some() {
                                return Err(serde::de::Error::duplicate_field("objects"));
                            }
                            objects__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NotGiven => {
                            if not_given__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notGiven"));
                            }
                            not_given__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(GetBundleResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    release: release__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                    prohibited: prohibited__.unwrap_or_default(),
                    display_name: display_name__.unwrap_or_default(),
                    image: image__.unwrap_or_default(),
                    related_images: related_images__.unwrap_or_default(),
                    install_modes: install_modes__.unwrap_or_default(),
                    provides: provides__.unwrap_or_default(),
                    requires: requires__,
                    min_kube_version: min_kube_version__.unwrap_or_default(),
                    max_openshift_version: max_openshift_version__.unwrap_or_default(),
                    properties: properties__.unwrap_or_default(),
                    objects: objects__.unwrap_or_default(),
                    not_given: not_given__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetBundleResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_bundle_response::Image {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetBundleResponse.Image", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("image", &self.image)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_bundle_response::Image {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "image",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Image,
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
                            "image" => Ok(GeneratedField::Image),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_bundle_response::Image;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetBundleResponse.Image")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_bundle_response::Image, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut image__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Image => {
                            if image__.is_some() {
                                return Err(serde::de::Error::duplicate_field("image"));
                            }
                            image__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(get_bundle_response::Image {
                    name: name__.unwrap_or_default(),
                    image: image__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetBundleResponse.Image", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_bundle_response::InstallMode {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetBundleResponse.InstallMode", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("supported", &self.supported)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_bundle_response::InstallMode {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "supported",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Supported,
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
                            "supported" => Ok(GeneratedField::Supported),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_bundle_response::InstallMode;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetBundleResponse.InstallMode")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_bundle_response::InstallMode, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut supported__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Supported => {
                            if supported__.is_some() {
                                return Err(serde::de::Error::duplicate_field("supported"));
                            }
                            supported__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(get_bundle_response::InstallMode {
                    name: name__.unwrap_or_default(),
                    supported: supported__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetBundleResponse.InstallMode", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_bundle_response::Property {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetBundleResponse.Property", len)?;
        if true {
            struct_ser.serialize_field("type", &self.r#type)?;
        }
        if true {
            struct_ser.serialize_field("value", &self.value)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_bundle_response::Property {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "type",
            "value",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Type,
            Value,
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
                            "type" => Ok(GeneratedField::Type),
                            "value" => Ok(GeneratedField::Value),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_bundle_response::Property;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetBundleResponse.Property")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_bundle_response::Property, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut r#type__ = None;
                let mut value__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Type => {
                            if r#type__.is_some() {
                                return Err(serde::de::Error::duplicate_field("type"));
                            }
                            r#type__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Value => {
                            if value__.is_some() {
                                return Err(serde::de::Error::duplicate_field("value"));
                            }
                            value__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(get_bundle_response::Property {
                    r#type: r#type__.unwrap_or_default(),
                    value: value__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetBundleResponse.Property", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetGraphRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetGraphRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetGraphRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "channel",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Channel,
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
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GetGraphRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetGraphRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetGraphRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut channel__ = None;
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
                    }
                }
                Ok(GetGraphRequest {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetGraphRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetGraphResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetGraphResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("defaultChannel", &self.default_channel)?;
        }
        if true {
            struct_ser.serialize_field("nodes", &self.nodes)?;
        }
        if true {
            struct_ser.serialize_field("updates", &self.updates)?;
        }
        if true {
            struct_ser.serialize_field("heads", &self.heads)?;
        }
        if true {
            struct_ser.serialize_field("deprecations", &self.deprecations)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetGraphResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "package",
            "default_channel",
            "defaultChannel",
            "nodes",
            "updates",
            "heads",
            "deprecations",
            "faults",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Package,
            DefaultChannel,
            Nodes,
            Updates,
            Heads,
            Deprecations,
            Faults,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "package" => Ok(GeneratedField::Package),
                            "defaultChannel" | "default_channel" => Ok(GeneratedField::DefaultChannel),
                            "nodes" => Ok(GeneratedField::Nodes),
                            "updates" => Ok(GeneratedField::Updates),
                            "heads" => Ok(GeneratedField::Heads),
                            "deprecations" => Ok(GeneratedField::Deprecations),
                            "faults" => Ok(GeneratedField::Faults),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GetGraphResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetGraphResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetGraphResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut package__ = None;
                let mut default_channel__ = None;
                let mut nodes__ = None;
                let mut updates__ = None;
                let mut heads__ = None;
                let mut deprecations__ = None;
                let mut faults__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DefaultChannel => {
                            if default_channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("defaultChannel"));
                            }
                            default_channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Nodes => {
                            if nodes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("nodes"));
                            }
                            nodes__ = Some(map_.next_value()?);
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
                        GeneratedField::Deprecations => {
                            if deprecations__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecations"));
                            }
                            deprecations__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(GetGraphResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    default_channel: default_channel__.unwrap_or_default(),
                    nodes: nodes__.unwrap_or_default(),
                    updates: updates__.unwrap_or_default(),
                    heads: heads__.unwrap_or_default(),
                    deprecations: deprecations__.unwrap_or_default(),
                    faults: faults__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetGraphResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_graph_response::Node {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetGraphResponse.Node", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_graph_response::Node {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "channels",
            "deprecation",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Channels,
            Deprecation,
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
                            "version" => Ok(GeneratedField::Version),
                            "channels" => Ok(GeneratedField::Channels),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_graph_response::Node;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetGraphResponse.Node")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_graph_response::Node, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut channels__ = None;
                let mut deprecation__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(get_graph_response::Node {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetGraphResponse.Node", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_graph_response::Update {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetGraphResponse.Update", len)?;
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if true {
            struct_ser.serialize_field("to", &self.to)?;
        }
        if true {
            let v = self.via.iter().cloned().map(|v| {
                edge::Kind::try_from(v)
                    .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", v)))
                }).collect::<std::result::Result<Vec<_>, _>>()?;
            struct_ser.serialize_field("via", &v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_graph_response::Update {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "channel",
            "from",
            "to",
            "via",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Channel,
            From,
            To,
            Via,
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
                            "from" => Ok(GeneratedField::From),
                            "to" => Ok(GeneratedField::To),
                            "via" => Ok(GeneratedField::Via),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_graph_response::Update;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetGraphResponse.Update")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_graph_response::Update, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut channel__ = None;
                let mut from__ = None;
                let mut to__ = None;
                let mut via__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = Some(map_.next_value()?);
                        }
                        GeneratedField::To => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("to"));
                            }
                            to__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Via => {
                            if via__.is_some() {
                                return Err(serde::de::Error::duplicate_field("via"));
                            }
                            via__ = Some(map_.next_value::<Vec<edge::Kind>>()?.into_iter().map(|x| x as i32).collect());
                        }
                    }
                }
                Ok(get_graph_response::Update {
                    channel: channel__.unwrap_or_default(),
                    from: from__.unwrap_or_default(),
                    to: to__.unwrap_or_default(),
                    via: via__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetGraphResponse.Update", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetPackageRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetPackageRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("icon", &self.icon)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetPackageRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "icon",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Icon,
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
                            "icon" => Ok(GeneratedField::Icon),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GetPackageRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetPackageRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetPackageRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut icon__ = None;
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
                        GeneratedField::Icon => {
                            if icon__.is_some() {
                                return Err(serde::de::Error::duplicate_field("icon"));
                            }
                            icon__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(GetPackageRequest {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    icon: icon__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetPackageRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetPackageResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetPackageResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("defaultChannel", &self.default_channel)?;
        }
        if true {
            struct_ser.serialize_field("description", &self.description)?;
        }
        if let Some(v) = self.icon.as_ref() {
            struct_ser.serialize_field("icon", v)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
        }
        if true {
            struct_ser.serialize_field("notGiven", &self.not_given)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetPackageResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "name",
            "default_channel",
            "defaultChannel",
            "description",
            "icon",
            "deprecation",
            "channels",
            "bundles",
            "faults",
            "not_given",
            "notGiven",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Name,
            DefaultChannel,
            Description,
            Icon,
            Deprecation,
            Channels,
            Bundles,
            Faults,
            NotGiven,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "name" => Ok(GeneratedField::Name),
                            "defaultChannel" | "default_channel" => Ok(GeneratedField::DefaultChannel),
                            "description" => Ok(GeneratedField::Description),
                            "icon" => Ok(GeneratedField::Icon),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            "channels" => Ok(GeneratedField::Channels),
                            "bundles" => Ok(GeneratedField::Bundles),
                            "faults" => Ok(GeneratedField::Faults),
                            "notGiven" | "not_given" => Ok(GeneratedField::NotGiven),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GetPackageResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetPackageResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetPackageResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut name__ = None;
                let mut default_channel__ = None;
                let mut description__ = None;
                let mut icon__ = None;
                let mut deprecation__ = None;
                let mut channels__ = None;
                let mut bundles__ = None;
                let mut faults__ = None;
                let mut not_given__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DefaultChannel => {
                            if default_channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("defaultChannel"));
                            }
                            default_channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Description => {
                            if description__.is_some() {
                                return Err(serde::de::Error::duplicate_field("description"));
                            }
                            description__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Icon => {
                            if icon__.is_some() {
                                return Err(serde::de::Error::duplicate_field("icon"));
                            }
                            icon__ = map_.next_value()?;
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NotGiven => {
                            if not_given__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notGiven"));
                            }
                            not_given__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(GetPackageResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                    default_channel: default_channel__.unwrap_or_default(),
                    description: description__.unwrap_or_default(),
                    icon: icon__,
                    deprecation: deprecation__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    bundles: bundles__.unwrap_or_default(),
                    faults: faults__.unwrap_or_default(),
                    not_given: not_given__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetPackageResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_package_response::Bundle {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetPackageResponse.Bundle", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("release", &self.release)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_package_response::Bundle {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "release",
            "channels",
            "deprecation",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Release,
            Channels,
            Deprecation,
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
                            "version" => Ok(GeneratedField::Version),
                            "release" => Ok(GeneratedField::Release),
                            "channels" => Ok(GeneratedField::Channels),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_package_response::Bundle;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetPackageResponse.Bundle")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_package_response::Bundle, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut release__ = None;
                let mut channels__ = None;
                let mut deprecation__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Release => {
                            if release__.is_some() {
                                return Err(serde::de::Error::duplicate_field("release"));
                            }
                            release__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(get_package_response::Bundle {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    release: release__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetPackageResponse.Bundle", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_package_response::Channel {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetPackageResponse.Channel", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("heads", &self.heads)?;
        }
        if true {
            struct_ser.serialize_field("entries", &self.entries)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_package_response::Channel {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "heads",
            "entries",
            "deprecation",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Heads,
            Entries,
            Deprecation,
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
                            "heads" => Ok(GeneratedField::Heads),
                            "entries" => Ok(GeneratedField::Entries),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_package_response::Channel;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetPackageResponse.Channel")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_package_response::Channel, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut heads__ = None;
                let mut entries__ = None;
                let mut deprecation__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Heads => {
                            if heads__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heads"));
                            }
                            heads__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Entries => {
                            if entries__.is_some() {
                                return Err(serde::de::Error::duplicate_field("entries"));
                            }
                            entries__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(get_package_response::Channel {
                    name: name__.unwrap_or_default(),
                    heads: heads__.unwrap_or_default(),
                    entries: entries__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetPackageResponse.Channel", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for get_package_response::Icon {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.GetPackageResponse.Icon", len)?;
        if true {
            struct_ser.serialize_field("mediaType", &self.media_type)?;
        }
        if true {
            #[allow(clippy::needless_borrow)]
            #[allow(clippy::needless_borrows_for_generic_args)]
            struct_ser.serialize_field("data", pbjson::private::base64::encode(&self.data).as_str())?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for get_package_response::Icon {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "media_type",
            "mediaType",
            "data",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            MediaType,
            Data,
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
                            "mediaType" | "media_type" => Ok(GeneratedField::MediaType),
                            "data" => Ok(GeneratedField::Data),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = get_package_response::Icon;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.GetPackageResponse.Icon")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<get_package_response::Icon, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut media_type__ = None;
                let mut data__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::MediaType => {
                            if media_type__.is_some() {
                                return Err(serde::de::Error::duplicate_field("mediaType"));
                            }
                            media_type__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Data => {
                            if data__.is_some() {
                                return Err(serde::de::Error::duplicate_field("data"));
                            }
                            data__ = 
                                Some(map_.next_value::<::pbjson::private::BytesDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(get_package_response::Icon {
                    media_type: media_type__.unwrap_or_default(),
                    data: data__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.GetPackageResponse.Icon", FIELDS, GeneratedVisitor)
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
            struct_ser.serialize_field("name", &self.name)?;
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
            "name",
            "version",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Channel,
            Name,
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
                            "name" => Ok(GeneratedField::Name),
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
                let mut name__ = None;
                let mut version__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
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
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Head", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Hop {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Hop", len)?;
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if true {
            struct_ser.serialize_field("to", &self.to)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            let v = self.via.iter().cloned().map(|v| {
                edge::Kind::try_from(v)
                    .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", v)))
                }).collect::<std::result::Result<Vec<_>, _>>()?;
            struct_ser.serialize_field("via", &v)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("downgrade", &self.downgrade)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Hop {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "from",
            "to",
            "version",
            "via",
            "channels",
            "downgrade",
            "deprecation",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            From,
            To,
            Version,
            Via,
            Channels,
            Downgrade,
            Deprecation,
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
                            "from" => Ok(GeneratedField::From),
                            "to" => Ok(GeneratedField::To),
                            "version" => Ok(GeneratedField::Version),
                            "via" => Ok(GeneratedField::Via),
                            "channels" => Ok(GeneratedField::Channels),
                            "downgrade" => Ok(GeneratedField::Downgrade),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Hop;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Hop")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Hop, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut from__ = None;
                let mut to__ = None;
                let mut version__ = None;
                let mut via__ = None;
                let mut channels__ = None;
                let mut downgrade__ = None;
                let mut deprecation__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = Some(map_.next_value()?);
                        }
                        GeneratedField::To => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("to"));
                            }
                            to__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Via => {
                            if via__.is_some() {
                                return Err(serde::de::Error::duplicate_field("via"));
                            }
                            via__ = Some(map_.next_value::<Vec<edge::Kind>>()?.into_iter().map(|x| x as i32).collect());
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Downgrade => {
                            if downgrade__.is_some() {
                                return Err(serde::de::Error::duplicate_field("downgrade"));
                            }
                            downgrade__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Hop {
                    from: from__.unwrap_or_default(),
                    to: to__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    via: via__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    downgrade: downgrade__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Hop", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for InstallOptions {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.InstallOptions", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("watchNamespaces", &self.watch_namespaces)?;
        }
        if true {
            let v = install_options::Certificates::try_from(self.certificates)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.certificates)))?;
            struct_ser.serialize_field("certificates", &v)?;
        }
        if true {
            struct_ser.serialize_field("likeOlmV1", &self.like_olm_v1)?;
        }
        if true {
            struct_ser.serialize_field("config", &self.config)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for InstallOptions {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "watch_namespaces",
            "watchNamespaces",
            "certificates",
            "like_olm_v1",
            "likeOlmV1",
            "config",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            WatchNamespaces,
            Certificates,
            LikeOlmV1,
            Config,
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
                            "watchNamespaces" | "watch_namespaces" => Ok(GeneratedField::WatchNamespaces),
                            "certificates" => Ok(GeneratedField::Certificates),
                            "likeOlmV1" | "like_olm_v1" => Ok(GeneratedField::LikeOlmV1),
                            "config" => Ok(GeneratedField::Config),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = InstallOptions;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.InstallOptions")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<InstallOptions, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut watch_namespaces__ = None;
                let mut certificates__ = None;
                let mut like_olm_v1__ = None;
                let mut config__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::WatchNamespaces => {
                            if watch_namespaces__.is_some() {
                                return Err(serde::de::Error::duplicate_field("watchNamespaces"));
                            }
                            watch_namespaces__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Certificates => {
                            if certificates__.is_some() {
                                return Err(serde::de::Error::duplicate_field("certificates"));
                            }
                            certificates__ = Some(map_.next_value::<install_options::Certificates>()? as i32);
                        }
                        GeneratedField::LikeOlmV1 => {
                            if like_olm_v1__.is_some() {
                                return Err(serde::de::Error::duplicate_field("likeOlmV1"));
                            }
                            like_olm_v1__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Config => {
                            if config__.is_some() {
                                return Err(serde::de::Error::duplicate_field("config"));
                            }
                            config__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(InstallOptions {
                    namespace: namespace__.unwrap_or_default(),
                    watch_namespaces: watch_namespaces__.unwrap_or_default(),
                    certificates: certificates__.unwrap_or_default(),
                    like_olm_v1: like_olm_v1__.unwrap_or_default(),
                    config: config__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.InstallOptions", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for install_options::Certificates {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "CERTIFICATES_UNSPECIFIED",
            Self::Own => "CERTIFICATES_OWN",
            Self::CertManager => "CERTIFICATES_CERT_MANAGER",
            Self::ServiceCa => "CERTIFICATES_SERVICE_CA",
            Self::None => "CERTIFICATES_NONE",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for install_options::Certificates {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "CERTIFICATES_UNSPECIFIED",
            "CERTIFICATES_OWN",
            "CERTIFICATES_CERT_MANAGER",
            "CERTIFICATES_SERVICE_CA",
            "CERTIFICATES_NONE",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = install_options::Certificates;

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
                    "CERTIFICATES_UNSPECIFIED" => Ok(install_options::Certificates::Unspecified),
                    "CERTIFICATES_OWN" => Ok(install_options::Certificates::Own),
                    "CERTIFICATES_CERT_MANAGER" => Ok(install_options::Certificates::CertManager),
                    "CERTIFICATES_SERVICE_CA" => Ok(install_options::Certificates::ServiceCa),
                    "CERTIFICATES_NONE" => Ok(install_options::Certificates::None),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Installed {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Installed", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Installed {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "channels",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Channels,
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
                            "version" => Ok(GeneratedField::Version),
                            "channels" => Ok(GeneratedField::Channels),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Installed;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Installed")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Installed, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut channels__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Installed {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Installed", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for InstalledOperator {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.InstalledOperator", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("described", &self.described)?;
        }
        if true {
            struct_ser.serialize_field("provides", &self.provides)?;
        }
        if let Some(v) = self.requires.as_ref() {
            struct_ser.serialize_field("requires", v)?;
        }
        if true {
            struct_ser.serialize_field("properties", &self.properties)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for InstalledOperator {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "package",
            "described",
            "provides",
            "requires",
            "properties",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Package,
            Described,
            Provides,
            Requires,
            Properties,
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
                            "version" => Ok(GeneratedField::Version),
                            "package" => Ok(GeneratedField::Package),
                            "described" => Ok(GeneratedField::Described),
                            "provides" => Ok(GeneratedField::Provides),
                            "requires" => Ok(GeneratedField::Requires),
                            "properties" => Ok(GeneratedField::Properties),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = InstalledOperator;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.InstalledOperator")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<InstalledOperator, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut package__ = None;
                let mut described__ = None;
                let mut provides__ = None;
                let mut requires__ = None;
                let mut properties__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Described => {
                            if described__.is_some() {
                                return Err(serde::de::Error::duplicate_field("described"));
                            }
                            described__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Provides => {
                            if provides__.is_some() {
                                return Err(serde::de::Error::duplicate_field("provides"));
                            }
                            provides__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Requires => {
                            if requires__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requires"));
                            }
                            requires__ = map_.next_value()?;
                        }
                        GeneratedField::Properties => {
                            if properties__.is_some() {
                                return Err(serde::de::Error::duplicate_field("properties"));
                            }
                            properties__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(InstalledOperator {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    described: described__.unwrap_or_default(),
                    provides: provides__.unwrap_or_default(),
                    requires: requires__,
                    properties: properties__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.InstalledOperator", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for installed_operator::Property {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.InstalledOperator.Property", len)?;
        if true {
            struct_ser.serialize_field("type", &self.r#type)?;
        }
        if true {
            struct_ser.serialize_field("value", &self.value)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for installed_operator::Property {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "type",
            "value",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Type,
            Value,
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
                            "type" => Ok(GeneratedField::Type),
                            "value" => Ok(GeneratedField::Value),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = installed_operator::Property;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.InstalledOperator.Property")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<installed_operator::Property, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut r#type__ = None;
                let mut value__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Type => {
                            if r#type__.is_some() {
                                return Err(serde::de::Error::duplicate_field("type"));
                            }
                            r#type__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Value => {
                            if value__.is_some() {
                                return Err(serde::de::Error::duplicate_field("value"));
                            }
                            value__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(installed_operator::Property {
                    r#type: r#type__.unwrap_or_default(),
                    value: value__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.InstalledOperator.Property", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListCatalogsRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListCatalogsRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListCatalogsRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
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
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ListCatalogsRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListCatalogsRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListCatalogsRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListCatalogsRequest {
                    catalog: catalog__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListCatalogsRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListCatalogsResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListCatalogsResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListCatalogsResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ListCatalogsResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListCatalogsResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListCatalogsResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListCatalogsResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListCatalogsResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListPackagesRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListPackagesRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("pageSize", &self.page_size)?;
        }
        if true {
            struct_ser.serialize_field("pageToken", &self.page_token)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListPackagesRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "page_size",
            "pageSize",
            "page_token",
            "pageToken",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            PageSize,
            PageToken,
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
                            "pageSize" | "page_size" => Ok(GeneratedField::PageSize),
                            "pageToken" | "page_token" => Ok(GeneratedField::PageToken),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ListPackagesRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListPackagesRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListPackagesRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut page_size__ = None;
                let mut page_token__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::PageSize => {
                            if page_size__.is_some() {
                                return Err(serde::de::Error::duplicate_field("pageSize"));
                            }
                            page_size__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::PageToken => {
                            if page_token__.is_some() {
                                return Err(serde::de::Error::duplicate_field("pageToken"));
                            }
                            page_token__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListPackagesRequest {
                    catalog: catalog__.unwrap_or_default(),
                    page_size: page_size__.unwrap_or_default(),
                    page_token: page_token__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListPackagesRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListPackagesResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListPackagesResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("packages", &self.packages)?;
        }
        if true {
            struct_ser.serialize_field("nextPageToken", &self.next_page_token)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListPackagesResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "packages",
            "next_page_token",
            "nextPageToken",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Packages,
            NextPageToken,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "packages" => Ok(GeneratedField::Packages),
                            "nextPageToken" | "next_page_token" => Ok(GeneratedField::NextPageToken),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ListPackagesResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListPackagesResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListPackagesResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut packages__ = None;
                let mut next_page_token__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Packages => {
                            if packages__.is_some() {
                                return Err(serde::de::Error::duplicate_field("packages"));
                            }
                            packages__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NextPageToken => {
                            if next_page_token__.is_some() {
                                return Err(serde::de::Error::duplicate_field("nextPageToken"));
                            }
                            next_page_token__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListPackagesResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    packages: packages__.unwrap_or_default(),
                    next_page_token: next_page_token__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListPackagesResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for list_packages_response::Package {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListPackagesResponse.Package", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("displayName", &self.display_name)?;
        }
        if true {
            struct_ser.serialize_field("defaultChannel", &self.default_channel)?;
        }
        if true {
            struct_ser.serialize_field("heads", &self.heads)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for list_packages_response::Package {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "name",
            "display_name",
            "displayName",
            "default_channel",
            "defaultChannel",
            "heads",
            "channels",
            "bundles",
            "deprecation",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Name,
            DisplayName,
            DefaultChannel,
            Heads,
            Channels,
            Bundles,
            Deprecation,
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
                            "name" => Ok(GeneratedField::Name),
                            "displayName" | "display_name" => Ok(GeneratedField::DisplayName),
                            "defaultChannel" | "default_channel" => Ok(GeneratedField::DefaultChannel),
                            "heads" => Ok(GeneratedField::Heads),
                            "channels" => Ok(GeneratedField::Channels),
                            "bundles" => Ok(GeneratedField::Bundles),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = list_packages_response::Package;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListPackagesResponse.Package")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<list_packages_response::Package, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut name__ = None;
                let mut display_name__ = None;
                let mut default_channel__ = None;
                let mut heads__ = None;
                let mut channels__ = None;
                let mut bundles__ = None;
                let mut deprecation__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DisplayName => {
                            if display_name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("displayName"));
                            }
                            display_name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DefaultChannel => {
                            if default_channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("defaultChannel"));
                            }
                            default_channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Heads => {
                            if heads__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heads"));
                            }
                            heads__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(list_packages_response::Package {
                    catalog: catalog__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                    display_name: display_name__.unwrap_or_default(),
                    default_channel: default_channel__.unwrap_or_default(),
                    heads: heads__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    bundles: bundles__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListPackagesResponse.Package", FIELDS, GeneratedVisitor)
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
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if let Some(v) = self.installed.as_ref() {
            struct_ser.serialize_field("installed", v)?;
        }
        if true {
            struct_ser.serialize_field("successors", &self.successors)?;
        }
        if true {
            struct_ser.serialize_field("reachable", &self.reachable)?;
        }
        if true {
            struct_ser.serialize_field("newerUnreachable", &self.newer_unreachable)?;
        }
        if true {
            struct_ser.serialize_field("heads", &self.heads)?;
        }
        if true {
            struct_ser.serialize_field("recommended", &self.recommended)?;
        }
        if true {
            struct_ser.serialize_field("deprecations", &self.deprecations)?;
        }
        if true {
            struct_ser.serialize_field("reasons", &self.reasons)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
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
            "catalogs",
            "installed",
            "successors",
            "reachable",
            "newer_unreachable",
            "newerUnreachable",
            "heads",
            "recommended",
            "deprecations",
            "reasons",
            "faults",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Installed,
            Successors,
            Reachable,
            NewerUnreachable,
            Heads,
            Recommended,
            Deprecations,
            Reasons,
            Faults,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "installed" => Ok(GeneratedField::Installed),
                            "successors" => Ok(GeneratedField::Successors),
                            "reachable" => Ok(GeneratedField::Reachable),
                            "newerUnreachable" | "newer_unreachable" => Ok(GeneratedField::NewerUnreachable),
                            "heads" => Ok(GeneratedField::Heads),
                            "recommended" => Ok(GeneratedField::Recommended),
                            "deprecations" => Ok(GeneratedField::Deprecations),
                            "reasons" => Ok(GeneratedField::Reasons),
                            "faults" => Ok(GeneratedField::Faults),
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
                let mut catalogs__ = None;
                let mut installed__ = None;
                let mut successors__ = None;
                let mut reachable__ = None;
                let mut newer_unreachable__ = None;
                let mut heads__ = None;
                let mut recommended__ = None;
                let mut deprecations__ = None;
                let mut reasons__ = None;
                let mut faults__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = map_.next_value()?;
                        }
                        GeneratedField::Successors => {
                            if successors__.is_some() {
                                return Err(serde::de::Error::duplicate_field("successors"));
                            }
                            successors__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Reachable => {
                            if reachable__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reachable"));
                            }
                            reachable__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NewerUnreachable => {
                            if newer_unreachable__.is_some() {
                                return Err(serde::de::Error::duplicate_field("newerUnreachable"));
                            }
                            newer_unreachable__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Heads => {
                            if heads__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heads"));
                            }
                            heads__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Recommended => {
                            if recommended__.is_some() {
                                return Err(serde::de::Error::duplicate_field("recommended"));
                            }
                            recommended__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deprecations => {
                            if deprecations__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecations"));
                            }
                            deprecations__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Reasons => {
                            if reasons__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reasons"));
                            }
                            reasons__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListUpgradesResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    installed: installed__,
                    successors: successors__.unwrap_or_default(),
                    reachable: reachable__.unwrap_or_default(),
                    newer_unreachable: newer_unreachable__.unwrap_or_default(),
                    heads: heads__.unwrap_or_default(),
                    recommended: recommended__.unwrap_or_default(),
                    deprecations: deprecations__.unwrap_or_default(),
                    reasons: reasons__.unwrap_or_default(),
                    faults: faults__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListUpgradesResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for list_upgrades_response::Successor {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListUpgradesResponse.Successor", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            let v = self.via.iter().cloned().map(|v| {
                edge::Kind::try_from(v)
                    .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", v)))
                }).collect::<std::result::Result<Vec<_>, _>>()?;
            struct_ser.serialize_field("via", &v)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if true {
            struct_ser.serialize_field("downgrade", &self.downgrade)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        if let Some(v) = self.requires.as_ref() {
            struct_ser.serialize_field("requires", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for list_upgrades_response::Successor {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "via",
            "channels",
            "downgrade",
            "deprecation",
            "requires",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Via,
            Channels,
            Downgrade,
            Deprecation,
            Requires,
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
                            "version" => Ok(GeneratedField::Version),
                            "via" => Ok(GeneratedField::Via),
                            "channels" => Ok(GeneratedField::Channels),
                            "downgrade" => Ok(GeneratedField::Downgrade),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            "requires" => Ok(GeneratedField::Requires),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = list_upgrades_response::Successor;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListUpgradesResponse.Successor")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<list_upgrades_response::Successor, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut via__ = None;
                let mut channels__ = None;
                let mut downgrade__ = None;
                let mut deprecation__ = None;
                let mut requires__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Via => {
                            if via__.is_some() {
                                return Err(serde::de::Error::duplicate_field("via"));
                            }
                            via__ = Some(map_.next_value::<Vec<edge::Kind>>()?.into_iter().map(|x| x as i32).collect());
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Downgrade => {
                            if downgrade__.is_some() {
                                return Err(serde::de::Error::duplicate_field("downgrade"));
                            }
                            downgrade__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Requires => {
                            if requires__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requires"));
                            }
                            requires__ = map_.next_value()?;
                        }
                    }
                }
                Ok(list_upgrades_response::Successor {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    via: via__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    downgrade: downgrade__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                    requires: requires__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListUpgradesResponse.Successor", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for list_upgrades_response::Unreachable {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ListUpgradesResponse.Unreachable", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if let Some(v) = self.blockage.as_ref() {
            struct_ser.serialize_field("blockage", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for list_upgrades_response::Unreachable {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "channels",
            "blockage",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Channels,
            Blockage,
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
                            "version" => Ok(GeneratedField::Version),
                            "channels" => Ok(GeneratedField::Channels),
                            "blockage" => Ok(GeneratedField::Blockage),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = list_upgrades_response::Unreachable;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ListUpgradesResponse.Unreachable")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<list_upgrades_response::Unreachable, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut channels__ = None;
                let mut blockage__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Blockage => {
                            if blockage__.is_some() {
                                return Err(serde::de::Error::duplicate_field("blockage"));
                            }
                            blockage__ = map_.next_value()?;
                        }
                    }
                }
                Ok(list_upgrades_response::Unreachable {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    blockage: blockage__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ListUpgradesResponse.Unreachable", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Mode {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Mode", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Mode {
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
            type Value = Mode;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Mode")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Mode, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(Mode {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Mode", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for mode::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Together => "TOGETHER",
            Self::Each => "EACH",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for mode::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "TOGETHER",
            "EACH",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = mode::Kind;

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
                    "UNSPECIFIED" => Ok(mode::Kind::Unspecified),
                    "TOGETHER" => Ok(mode::Kind::Together),
                    "EACH" => Ok(mode::Kind::Each),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Overrides {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Overrides", len)?;
        if true {
            struct_ser.serialize_field("ignoreDependencies", &self.ignore_dependencies)?;
        }
        if true {
            struct_ser.serialize_field("directUpgrades", &self.direct_upgrades)?;
        }
        if true {
            struct_ser.serialize_field("downgrades", &self.downgrades)?;
        }
        if true {
            struct_ser.serialize_field("ignoreConflicts", &self.ignore_conflicts)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Overrides {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "ignore_dependencies",
            "ignoreDependencies",
            "direct_upgrades",
            "directUpgrades",
            "downgrades",
            "ignore_conflicts",
            "ignoreConflicts",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            IgnoreDependencies,
            DirectUpgrades,
            Downgrades,
            IgnoreConflicts,
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
                            "ignoreDependencies" | "ignore_dependencies" => Ok(GeneratedField::IgnoreDependencies),
                            "directUpgrades" | "direct_upgrades" => Ok(GeneratedField::DirectUpgrades),
                            "downgrades" => Ok(GeneratedField::Downgrades),
                            "ignoreConflicts" | "ignore_conflicts" => Ok(GeneratedField::IgnoreConflicts),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Overrides;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Overrides")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Overrides, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut ignore_dependencies__ = None;
                let mut direct_upgrades__ = None;
                let mut downgrades__ = None;
                let mut ignore_conflicts__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::IgnoreDependencies => {
                            if ignore_dependencies__.is_some() {
                                return Err(serde::de::Error::duplicate_field("ignoreDependencies"));
                            }
                            ignore_dependencies__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DirectUpgrades => {
                            if direct_upgrades__.is_some() {
                                return Err(serde::de::Error::duplicate_field("directUpgrades"));
                            }
                            direct_upgrades__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Downgrades => {
                            if downgrades__.is_some() {
                                return Err(serde::de::Error::duplicate_field("downgrades"));
                            }
                            downgrades__ = Some(map_.next_value()?);
                        }
                        GeneratedField::IgnoreConflicts => {
                            if ignore_conflicts__.is_some() {
                                return Err(serde::de::Error::duplicate_field("ignoreConflicts"));
                            }
                            ignore_conflicts__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Overrides {
                    ignore_dependencies: ignore_dependencies__.unwrap_or_default(),
                    direct_upgrades: direct_upgrades__.unwrap_or_default(),
                    downgrades: downgrades__.unwrap_or_default(),
                    ignore_conflicts: ignore_conflicts__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Overrides", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for PackageOwner {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PackageOwner", len)?;
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            let v = package_owner::Manager::try_from(self.manager)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.manager)))?;
            struct_ser.serialize_field("manager", &v)?;
        }
        if true {
            struct_ser.serialize_field("object", &self.object)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if true {
            struct_ser.serialize_field("remedy", &self.remedy)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for PackageOwner {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "package",
            "manager",
            "object",
            "installed",
            "remedy",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Package,
            Manager,
            Object,
            Installed,
            Remedy,
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
                            "package" => Ok(GeneratedField::Package),
                            "manager" => Ok(GeneratedField::Manager),
                            "object" => Ok(GeneratedField::Object),
                            "installed" => Ok(GeneratedField::Installed),
                            "remedy" => Ok(GeneratedField::Remedy),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = PackageOwner;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PackageOwner")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<PackageOwner, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut package__ = None;
                let mut manager__ = None;
                let mut object__ = None;
                let mut installed__ = None;
                let mut remedy__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Manager => {
                            if manager__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manager"));
                            }
                            manager__ = Some(map_.next_value::<package_owner::Manager>()? as i32);
                        }
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Remedy => {
                            if remedy__.is_some() {
                                return Err(serde::de::Error::duplicate_field("remedy"));
                            }
                            remedy__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(PackageOwner {
                    package: package__.unwrap_or_default(),
                    manager: manager__.unwrap_or_default(),
                    object: object__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    remedy: remedy__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PackageOwner", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for package_owner::Manager {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Olm => "OLM",
            Self::ClusterExtension => "CLUSTER_EXTENSION",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for package_owner::Manager {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "OLM",
            "CLUSTER_EXTENSION",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = package_owner::Manager;

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
                    "UNSPECIFIED" => Ok(package_owner::Manager::Unspecified),
                    "OLM" => Ok(package_owner::Manager::Olm),
                    "CLUSTER_EXTENSION" => Ok(package_owner::Manager::ClusterExtension),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for PlanRouteRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PlanRouteRequest", len)?;
        if true {
            struct_ser.serialize_field("operators", &self.operators)?;
        }
        if true {
            struct_ser.serialize_field("others", &self.others)?;
        }
        if true {
            struct_ser.serialize_field("states", &self.states)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for PlanRouteRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "operators",
            "others",
            "states",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Operators,
            Others,
            States,
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
                            "operators" => Ok(GeneratedField::Operators),
                            "others" => Ok(GeneratedField::Others),
                            "states" => Ok(GeneratedField::States),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = PlanRouteRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PlanRouteRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<PlanRouteRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut operators__ = None;
                let mut others__ = None;
                let mut states__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Operators => {
                            if operators__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operators"));
                            }
                            operators__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Others => {
                            if others__.is_some() {
                                return Err(serde::de::Error::duplicate_field("others"));
                            }
                            others__ = Some(map_.next_value()?);
                        }
                        GeneratedField::States => {
                            if states__.is_some() {
                                return Err(serde::de::Error::duplicate_field("states"));
                            }
                            states__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(PlanRouteRequest {
                    operators: operators__.unwrap_or_default(),
                    others: others__.unwrap_or_default(),
                    states: states__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PlanRouteRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for plan_route_request::Operator {
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
        if self.wish.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PlanRouteRequest.Operator", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("channels", &self.channels)?;
        }
        if let Some(v) = self.installed.as_ref() {
            struct_ser.serialize_field("installed", v)?;
        }
        if let Some(v) = self.overrides.as_ref() {
            struct_ser.serialize_field("overrides", v)?;
        }
        if let Some(v) = self.wish.as_ref() {
            match v {
                plan_route_request::operator::Wish::Range(v) => {
                    struct_ser.serialize_field("range", v)?;
                }
                plan_route_request::operator::Wish::Stay(v) => {
                    struct_ser.serialize_field("stay", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for plan_route_request::Operator {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "channels",
            "installed",
            "overrides",
            "range",
            "stay",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Channels,
            Installed,
            Overrides,
            Range,
            Stay,
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
                            "channels" => Ok(GeneratedField::Channels),
                            "installed" => Ok(GeneratedField::Installed),
                            "overrides" => Ok(GeneratedField::Overrides),
                            "range" => Ok(GeneratedField::Range),
                            "stay" => Ok(GeneratedField::Stay),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = plan_route_request::Operator;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PlanRouteRequest.Operator")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<plan_route_request::Operator, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut channels__ = None;
                let mut installed__ = None;
                let mut overrides__ = None;
                let mut wish__ = None;
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
                        GeneratedField::Channels => {
                            if channels__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channels"));
                            }
                            channels__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = map_.next_value()?;
                        }
                        GeneratedField::Overrides => {
                            if overrides__.is_some() {
                                return Err(serde::de::Error::duplicate_field("overrides"));
                            }
                            overrides__ = map_.next_value()?;
                        }
                        GeneratedField::Range => {
                            if wish__.is_some() {
                                return Err(serde::de::Error::duplicate_field("range"));
                            }
                            wish__ = map_.next_value::<::std::option::Option<_>>()?.map(plan_route_request::operator::Wish::Range);
                        }
                        GeneratedField::Stay => {
                            if wish__.is_some() {
                                return Err(serde::de::Error::duplicate_field("stay"));
                            }
                            wish__ = map_.next_value::<::std::option::Option<_>>()?.map(plan_route_request::operator::Wish::Stay)
;
                        }
                    }
                }
                Ok(plan_route_request::Operator {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    channels: channels__.unwrap_or_default(),
                    installed: installed__,
                    overrides: overrides__,
                    wish: wish__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PlanRouteRequest.Operator", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for plan_route_request::Stay {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.PlanRouteRequest.Stay", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for plan_route_request::Stay {
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
            type Value = plan_route_request::Stay;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PlanRouteRequest.Stay")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<plan_route_request::Stay, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(plan_route_request::Stay {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PlanRouteRequest.Stay", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for PlanRouteResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PlanRouteResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("routes", &self.routes)?;
        }
        if true {
            struct_ser.serialize_field("text", &self.text)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for PlanRouteResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "routes",
            "text",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Routes,
            Text,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "routes" => Ok(GeneratedField::Routes),
                            "text" => Ok(GeneratedField::Text),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = PlanRouteResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PlanRouteResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<PlanRouteResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut routes__ = None;
                let mut text__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Routes => {
                            if routes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("routes"));
                            }
                            routes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Text => {
                            if text__.is_some() {
                                return Err(serde::de::Error::duplicate_field("text"));
                            }
                            text__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(PlanRouteResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    routes: routes__.unwrap_or_default(),
                    text: text__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PlanRouteResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for PredictOlmRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("globalNamespace", &self.global_namespace)?;
        }
        if true {
            struct_ser.serialize_field("operatorGroups", &self.operator_groups)?;
        }
        if true {
            struct_ser.serialize_field("subscriptions", &self.subscriptions)?;
        }
        if true {
            struct_ser.serialize_field("csvs", &self.csvs)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for PredictOlmRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "global_namespace",
            "globalNamespace",
            "operator_groups",
            "operatorGroups",
            "subscriptions",
            "csvs",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            GlobalNamespace,
            OperatorGroups,
            Subscriptions,
            Csvs,
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
                            "globalNamespace" | "global_namespace" => Ok(GeneratedField::GlobalNamespace),
                            "operatorGroups" | "operator_groups" => Ok(GeneratedField::OperatorGroups),
                            "subscriptions" => Ok(GeneratedField::Subscriptions),
                            "csvs" => Ok(GeneratedField::Csvs),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = PredictOlmRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<PredictOlmRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut global_namespace__ = None;
                let mut operator_groups__ = None;
                let mut subscriptions__ = None;
                let mut csvs__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::GlobalNamespace => {
                            if global_namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("globalNamespace"));
                            }
                            global_namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::OperatorGroups => {
                            if operator_groups__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operatorGroups"));
                            }
                            operator_groups__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Subscriptions => {
                            if subscriptions__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subscriptions"));
                            }
                            subscriptions__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Csvs => {
                            if csvs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("csvs"));
                            }
                            csvs__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(PredictOlmRequest {
                    namespace: namespace__.unwrap_or_default(),
                    global_namespace: global_namespace__.unwrap_or_default(),
                    operator_groups: operator_groups__.unwrap_or_default(),
                    subscriptions: subscriptions__.unwrap_or_default(),
                    csvs: csvs__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_request::Csv {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmRequest.Csv", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("replaces", &self.replaces)?;
        }
        if true {
            struct_ser.serialize_field("phase", &self.phase)?;
        }
        if true {
            struct_ser.serialize_field("copied", &self.copied)?;
        }
        if true {
            struct_ser.serialize_field("properties", &self.properties)?;
        }
        if true {
            struct_ser.serialize_field("provides", &self.provides)?;
        }
        if true {
            struct_ser.serialize_field("requires", &self.requires)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_request::Csv {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "replaces",
            "phase",
            "copied",
            "properties",
            "provides",
            "requires",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Replaces,
            Phase,
            Copied,
            Properties,
            Provides,
            Requires,
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
                            "version" => Ok(GeneratedField::Version),
                            "replaces" => Ok(GeneratedField::Replaces),
                            "phase" => Ok(GeneratedField::Phase),
                            "copied" => Ok(GeneratedField::Copied),
                            "properties" => Ok(GeneratedField::Properties),
                            "provides" => Ok(GeneratedField::Provides),
                            "requires" => Ok(GeneratedField::Requires),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_request::Csv;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmRequest.Csv")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_request::Csv, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut replaces__ = None;
                let mut phase__ = None;
                let mut copied__ = None;
                let mut properties__ = None;
                let mut provides__ = None;
                let mut requires__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
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
                        GeneratedField::Phase => {
                            if phase__.is_some() {
                                return Err(serde::de::Error::duplicate_field("phase"));
                            }
                            phase__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Copied => {
                            if copied__.is_some() {
                                return Err(serde::de::Error::duplicate_field("copied"));
                            }
                            copied__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Properties => {
                            if properties__.is_some() {
                                return Err(serde::de::Error::duplicate_field("properties"));
                            }
                            properties__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Provides => {
                            if provides__.is_some() {
                                return Err(serde::de::Error::duplicate_field("provides"));
                            }
                            provides__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Requires => {
                            if requires__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requires"));
                            }
                            requires__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_request::Csv {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    replaces: replaces__.unwrap_or_default(),
                    phase: phase__.unwrap_or_default(),
                    copied: copied__.unwrap_or_default(),
                    properties: properties__.unwrap_or_default(),
                    provides: provides__.unwrap_or_default(),
                    requires: requires__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmRequest.Csv", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_request::OperatorGroup {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmRequest.OperatorGroup", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("excludesGlobalCatalogs", &self.excludes_global_catalogs)?;
        }
        if true {
            struct_ser.serialize_field("failsForward", &self.fails_forward)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_request::OperatorGroup {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "excludes_global_catalogs",
            "excludesGlobalCatalogs",
            "fails_forward",
            "failsForward",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            ExcludesGlobalCatalogs,
            FailsForward,
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
                            "excludesGlobalCatalogs" | "excludes_global_catalogs" => Ok(GeneratedField::ExcludesGlobalCatalogs),
                            "failsForward" | "fails_forward" => Ok(GeneratedField::FailsForward),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_request::OperatorGroup;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmRequest.OperatorGroup")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_request::OperatorGroup, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut excludes_global_catalogs__ = None;
                let mut fails_forward__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ExcludesGlobalCatalogs => {
                            if excludes_global_catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("excludesGlobalCatalogs"));
                            }
                            excludes_global_catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::FailsForward => {
                            if fails_forward__.is_some() {
                                return Err(serde::de::Error::duplicate_field("failsForward"));
                            }
                            fails_forward__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_request::OperatorGroup {
                    name: name__.unwrap_or_default(),
                    excludes_global_catalogs: excludes_global_catalogs__.unwrap_or_default(),
                    fails_forward: fails_forward__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmRequest.OperatorGroup", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_request::Subscription {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmRequest.Subscription", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("startingCsv", &self.starting_csv)?;
        }
        if true {
            struct_ser.serialize_field("installedCsv", &self.installed_csv)?;
        }
        if true {
            struct_ser.serialize_field("currentCsv", &self.current_csv)?;
        }
        if true {
            struct_ser.serialize_field("approvedByHand", &self.approved_by_hand)?;
        }
        if true {
            struct_ser.serialize_field("hasPlan", &self.has_plan)?;
        }
        if true {
            struct_ser.serialize_field("planFailed", &self.plan_failed)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_request::Subscription {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "package",
            "channel",
            "catalog",
            "starting_csv",
            "startingCsv",
            "installed_csv",
            "installedCsv",
            "current_csv",
            "currentCsv",
            "approved_by_hand",
            "approvedByHand",
            "has_plan",
            "hasPlan",
            "plan_failed",
            "planFailed",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Package,
            Channel,
            Catalog,
            StartingCsv,
            InstalledCsv,
            CurrentCsv,
            ApprovedByHand,
            HasPlan,
            PlanFailed,
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
                            "channel" => Ok(GeneratedField::Channel),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "startingCsv" | "starting_csv" => Ok(GeneratedField::StartingCsv),
                            "installedCsv" | "installed_csv" => Ok(GeneratedField::InstalledCsv),
                            "currentCsv" | "current_csv" => Ok(GeneratedField::CurrentCsv),
                            "approvedByHand" | "approved_by_hand" => Ok(GeneratedField::ApprovedByHand),
                            "hasPlan" | "has_plan" => Ok(GeneratedField::HasPlan),
                            "planFailed" | "plan_failed" => Ok(GeneratedField::PlanFailed),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_request::Subscription;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmRequest.Subscription")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_request::Subscription, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut package__ = None;
                let mut channel__ = None;
                let mut catalog__ = None;
                let mut starting_csv__ = None;
                let mut installed_csv__ = None;
                let mut current_csv__ = None;
                let mut approved_by_hand__ = None;
                let mut has_plan__ = None;
                let mut plan_failed__ = None;
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
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::StartingCsv => {
                            if starting_csv__.is_some() {
                                return Err(serde::de::Error::duplicate_field("startingCsv"));
                            }
                            starting_csv__ = Some(map_.next_value()?);
                        }
                        GeneratedField::InstalledCsv => {
                            if installed_csv__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installedCsv"));
                            }
                            installed_csv__ = Some(map_.next_value()?);
                        }
                        GeneratedField::CurrentCsv => {
                            if current_csv__.is_some() {
                                return Err(serde::de::Error::duplicate_field("currentCsv"));
                            }
                            current_csv__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ApprovedByHand => {
                            if approved_by_hand__.is_some() {
                                return Err(serde::de::Error::duplicate_field("approvedByHand"));
                            }
                            approved_by_hand__ = Some(map_.next_value()?);
                        }
                        GeneratedField::HasPlan => {
                            if has_plan__.is_some() {
                                return Err(serde::de::Error::duplicate_field("hasPlan"));
                            }
                            has_plan__ = Some(map_.next_value()?);
                        }
                        GeneratedField::PlanFailed => {
                            if plan_failed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("planFailed"));
                            }
                            plan_failed__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_request::Subscription {
                    name: name__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    starting_csv: starting_csv__.unwrap_or_default(),
                    installed_csv: installed_csv__.unwrap_or_default(),
                    current_csv: current_csv__.unwrap_or_default(),
                    approved_by_hand: approved_by_hand__.unwrap_or_default(),
                    has_plan: has_plan__.unwrap_or_default(),
                    plan_failed: plan_failed__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmRequest.Subscription", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for PredictOlmResponse {
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
        if self.end.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("unread", &self.unread)?;
        }
        if true {
            struct_ser.serialize_field("stale", &self.stale)?;
        }
        if true {
            struct_ser.serialize_field("passes", &self.passes)?;
        }
        if let Some(v) = self.end.as_ref() {
            match v {
                predict_olm_response::End::Settled(v) => {
                    struct_ser.serialize_field("settled", v)?;
                }
                predict_olm_response::End::Failed(v) => {
                    struct_ser.serialize_field("failed", v)?;
                }
                predict_olm_response::End::Silent(v) => {
                    struct_ser.serialize_field("silent", v)?;
                }
                predict_olm_response::End::AwaitsApproval(v) => {
                    struct_ser.serialize_field("awaitsApproval", v)?;
                }
                predict_olm_response::End::AwaitsPlans(v) => {
                    struct_ser.serialize_field("awaitsPlans", v)?;
                }
                predict_olm_response::End::Circles(v) => {
                    struct_ser.serialize_field("circles", v)?;
                }
                predict_olm_response::End::Endless(v) => {
                    struct_ser.serialize_field("endless", v)?;
                }
                predict_olm_response::End::GaveUp(v) => {
                    struct_ser.serialize_field("gaveUp", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for PredictOlmResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "unread",
            "stale",
            "passes",
            "settled",
            "failed",
            "silent",
            "awaits_approval",
            "awaitsApproval",
            "awaits_plans",
            "awaitsPlans",
            "circles",
            "endless",
            "gave_up",
            "gaveUp",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Unread,
            Stale,
            Passes,
            Settled,
            Failed,
            Silent,
            AwaitsApproval,
            AwaitsPlans,
            Circles,
            Endless,
            GaveUp,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "unread" => Ok(GeneratedField::Unread),
                            "stale" => Ok(GeneratedField::Stale),
                            "passes" => Ok(GeneratedField::Passes),
                            "settled" => Ok(GeneratedField::Settled),
                            "failed" => Ok(GeneratedField::Failed),
                            "silent" => Ok(GeneratedField::Silent),
                            "awaitsApproval" | "awaits_approval" => Ok(GeneratedField::AwaitsApproval),
                            "awaitsPlans" | "awaits_plans" => Ok(GeneratedField::AwaitsPlans),
                            "circles" => Ok(GeneratedField::Circles),
                            "endless" => Ok(GeneratedField::Endless),
                            "gaveUp" | "gave_up" => Ok(GeneratedField::GaveUp),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = PredictOlmResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<PredictOlmResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut unread__ = None;
                let mut stale__ = None;
                let mut passes__ = None;
                let mut end__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Unread => {
                            if unread__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unread"));
                            }
                            unread__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Stale => {
                            if stale__.is_some() {
                                return Err(serde::de::Error::duplicate_field("stale"));
                            }
                            stale__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Passes => {
                            if passes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("passes"));
                            }
                            passes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Settled => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("settled"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::Settled)
;
                        }
                        GeneratedField::Failed => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("failed"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::Failed)
;
                        }
                        GeneratedField::Silent => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("silent"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::Silent)
;
                        }
                        GeneratedField::AwaitsApproval => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("awaitsApproval"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::AwaitsApproval)
;
                        }
                        GeneratedField::AwaitsPlans => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("awaitsPlans"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::AwaitsPlans)
;
                        }
                        GeneratedField::Circles => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("circles"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::Circles)
;
                        }
                        GeneratedField::Endless => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("endless"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::Endless)
;
                        }
                        GeneratedField::GaveUp => {
                            if end__.is_some() {
                                return Err(serde::de::Error::duplicate_field("gaveUp"));
                            }
                            end__ = map_.next_value::<::std::option::Option<_>>()?.map(predict_olm_response::End::GaveUp)
;
                        }
                    }
                }
                Ok(PredictOlmResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    unread: unread__.unwrap_or_default(),
                    stale: stale__.unwrap_or_default(),
                    passes: passes__.unwrap_or_default(),
                    end: end__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::AwaitsApproval {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.AwaitsApproval", len)?;
        if true {
            struct_ser.serialize_field("subscriptions", &self.subscriptions)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::AwaitsApproval {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "subscriptions",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subscriptions,
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
                            "subscriptions" => Ok(GeneratedField::Subscriptions),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::AwaitsApproval;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.AwaitsApproval")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::AwaitsApproval, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subscriptions__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Subscriptions => {
                            if subscriptions__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subscriptions"));
                            }
                            subscriptions__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::AwaitsApproval {
                    subscriptions: subscriptions__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.AwaitsApproval", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::AwaitsPlans {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.AwaitsPlans", len)?;
        if true {
            struct_ser.serialize_field("subscriptions", &self.subscriptions)?;
        }
        if true {
            struct_ser.serialize_field("approvedByHand", &self.approved_by_hand)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::AwaitsPlans {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "subscriptions",
            "approved_by_hand",
            "approvedByHand",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subscriptions,
            ApprovedByHand,
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
                            "subscriptions" => Ok(GeneratedField::Subscriptions),
                            "approvedByHand" | "approved_by_hand" => Ok(GeneratedField::ApprovedByHand),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::AwaitsPlans;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.AwaitsPlans")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::AwaitsPlans, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subscriptions__ = None;
                let mut approved_by_hand__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Subscriptions => {
                            if subscriptions__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subscriptions"));
                            }
                            subscriptions__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ApprovedByHand => {
                            if approved_by_hand__.is_some() {
                                return Err(serde::de::Error::duplicate_field("approvedByHand"));
                            }
                            approved_by_hand__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::AwaitsPlans {
                    subscriptions: subscriptions__.unwrap_or_default(),
                    approved_by_hand: approved_by_hand__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.AwaitsPlans", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Blame {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Blame", len)?;
        if let Some(v) = self.object.as_ref() {
            struct_ser.serialize_field("object", v)?;
        }
        if true {
            struct_ser.serialize_field("why", &self.why)?;
        }
        if true {
            struct_ser.serialize_field("remedy", &self.remedy)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Blame {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "object",
            "why",
            "remedy",
            "catalog",
            "channel",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Object,
            Why,
            Remedy,
            Catalog,
            Channel,
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
                            "why" => Ok(GeneratedField::Why),
                            "remedy" => Ok(GeneratedField::Remedy),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "channel" => Ok(GeneratedField::Channel),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Blame;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Blame")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Blame, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut object__ = None;
                let mut why__ = None;
                let mut remedy__ = None;
                let mut catalog__ = None;
                let mut channel__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = map_.next_value()?;
                        }
                        GeneratedField::Why => {
                            if why__.is_some() {
                                return Err(serde::de::Error::duplicate_field("why"));
                            }
                            why__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Remedy => {
                            if remedy__.is_some() {
                                return Err(serde::de::Error::duplicate_field("remedy"));
                            }
                            remedy__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::Blame {
                    object: object__,
                    why: why__.unwrap_or_default(),
                    remedy: remedy__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Blame", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Circles {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Circles", len)?;
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Circles {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "from",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            From,
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
                            "from" => Ok(GeneratedField::From),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Circles;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Circles")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Circles, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut from__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(predict_olm_response::Circles {
                    from: from__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Circles", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Endless {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Endless", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Endless {
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
            type Value = predict_olm_response::Endless;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Endless")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Endless, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(predict_olm_response::Endless {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Endless", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Failed {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Failed", len)?;
        if true {
            struct_ser.serialize_field("reason", &self.reason)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("blames", &self.blames)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Failed {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "reason",
            "message",
            "blames",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Reason,
            Message,
            Blames,
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
                            "reason" => Ok(GeneratedField::Reason),
                            "message" => Ok(GeneratedField::Message),
                            "blames" => Ok(GeneratedField::Blames),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Failed;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Failed")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Failed, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut reason__ = None;
                let mut message__ = None;
                let mut blames__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Reason => {
                            if reason__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reason"));
                            }
                            reason__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Blames => {
                            if blames__.is_some() {
                                return Err(serde::de::Error::duplicate_field("blames"));
                            }
                            blames__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::Failed {
                    reason: reason__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    blames: blames__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Failed", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::GaveUp {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.GaveUp", len)?;
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::GaveUp {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "steps",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Steps,
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
                            "steps" => Ok(GeneratedField::Steps),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::GaveUp;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.GaveUp")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::GaveUp, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut steps__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(predict_olm_response::GaveUp {
                    steps: steps__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.GaveUp", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Install {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Install", len)?;
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("subscriptions", &self.subscriptions)?;
        }
        if true {
            struct_ser.serialize_field("generated", &self.generated)?;
        }
        if true {
            struct_ser.serialize_field("replaces", &self.replaces)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Install {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "bundle",
            "version",
            "package",
            "channel",
            "catalog",
            "subscriptions",
            "generated",
            "replaces",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Bundle,
            Version,
            Package,
            Channel,
            Catalog,
            Subscriptions,
            Generated,
            Replaces,
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
                            "package" => Ok(GeneratedField::Package),
                            "channel" => Ok(GeneratedField::Channel),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "subscriptions" => Ok(GeneratedField::Subscriptions),
                            "generated" => Ok(GeneratedField::Generated),
                            "replaces" => Ok(GeneratedField::Replaces),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Install;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Install")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Install, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut bundle__ = None;
                let mut version__ = None;
                let mut package__ = None;
                let mut channel__ = None;
                let mut catalog__ = None;
                let mut subscriptions__ = None;
                let mut generated__ = None;
                let mut replaces__ = None;
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
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Subscriptions => {
                            if subscriptions__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subscriptions"));
                            }
                            subscriptions__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Generated => {
                            if generated__.is_some() {
                                return Err(serde::de::Error::duplicate_field("generated"));
                            }
                            generated__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Replaces => {
                            if replaces__.is_some() {
                                return Err(serde::de::Error::duplicate_field("replaces"));
                            }
                            replaces__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::Install {
                    bundle: bundle__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    subscriptions: subscriptions__.unwrap_or_default(),
                    generated: generated__.unwrap_or_default(),
                    replaces: replaces__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Install", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Pass {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Pass", len)?;
        if true {
            struct_ser.serialize_field("installs", &self.installs)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Pass {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "installs",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Installs,
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
                            "installs" => Ok(GeneratedField::Installs),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Pass;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Pass")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Pass, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut installs__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Installs => {
                            if installs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installs"));
                            }
                            installs__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::Pass {
                    installs: installs__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Pass", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Settled {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Settled", len)?;
        if true {
            struct_ser.serialize_field("stays", &self.stays)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Settled {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "stays",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Stays,
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
                            "stays" => Ok(GeneratedField::Stays),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Settled;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Settled")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Settled, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut stays__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Stays => {
                            if stays__.is_some() {
                                return Err(serde::de::Error::duplicate_field("stays"));
                            }
                            stays__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::Settled {
                    stays: stays__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Settled", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Silent {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Silent", len)?;
        if let Some(v) = self.cause.as_ref() {
            struct_ser.serialize_field("cause", v)?;
        }
        if true {
            struct_ser.serialize_field("operatorGroups", &self.operator_groups)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Silent {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "cause",
            "operator_groups",
            "operatorGroups",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Cause,
            OperatorGroups,
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
                            "cause" => Ok(GeneratedField::Cause),
                            "operatorGroups" | "operator_groups" => Ok(GeneratedField::OperatorGroups),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Silent;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Silent")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Silent, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut cause__ = None;
                let mut operator_groups__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Cause => {
                            if cause__.is_some() {
                                return Err(serde::de::Error::duplicate_field("cause"));
                            }
                            cause__ = map_.next_value()?;
                        }
                        GeneratedField::OperatorGroups => {
                            if operator_groups__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operatorGroups"));
                            }
                            operator_groups__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(predict_olm_response::Silent {
                    cause: cause__,
                    operator_groups: operator_groups__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Silent", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for predict_olm_response::Stay {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PredictOlmResponse.Stay", len)?;
        if true {
            struct_ser.serialize_field("subscription", &self.subscription)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if let Some(v) = self.cause.as_ref() {
            struct_ser.serialize_field("cause", v)?;
        }
        if true {
            struct_ser.serialize_field("successors", &self.successors)?;
        }
        if true {
            struct_ser.serialize_field("obstacles", &self.obstacles)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for predict_olm_response::Stay {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "subscription",
            "installed",
            "cause",
            "successors",
            "obstacles",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subscription,
            Installed,
            Cause,
            Successors,
            Obstacles,
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
                            "subscription" => Ok(GeneratedField::Subscription),
                            "installed" => Ok(GeneratedField::Installed),
                            "cause" => Ok(GeneratedField::Cause),
                            "successors" => Ok(GeneratedField::Successors),
                            "obstacles" => Ok(GeneratedField::Obstacles),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = predict_olm_response::Stay;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PredictOlmResponse.Stay")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<predict_olm_response::Stay, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subscription__ = None;
                let mut installed__ = None;
                let mut cause__ = None;
                let mut successors__ = None;
                let mut obstacles__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Subscription => {
                            if subscription__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subscription"));
                            }
                            subscription__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Cause => {
                            if cause__.is_some() {
                                return Err(serde::de::Error::duplicate_field("cause"));
                            }
                            cause__ = map_.next_value()?;
                        }
                        GeneratedField::Successors => {
                            if successors__.is_some() {
                                return Err(serde::de::Error::duplicate_field("successors"));
                            }
                            successors__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Obstacles => {
                            if obstacles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("obstacles"));
                            }
                            obstacles__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(predict_olm_response::Stay {
                    subscription: subscription__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    cause: cause__,
                    successors: successors__.unwrap_or_default(),
                    obstacles: obstacles__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PredictOlmResponse.Stay", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for PreviewRequest {
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
        if self.change.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PreviewRequest", len)?;
        if true {
            struct_ser.serialize_field("operators", &self.operators)?;
        }
        if true {
            struct_ser.serialize_field("kubernetes", &self.kubernetes)?;
        }
        if let Some(v) = self.scope.as_ref() {
            struct_ser.serialize_field("scope", v)?;
        }
        if true {
            struct_ser.serialize_field("owners", &self.owners)?;
        }
        if let Some(v) = self.change.as_ref() {
            match v {
                preview_request::Change::Add(v) => {
                    struct_ser.serialize_field("add", v)?;
                }
                preview_request::Change::Upgrade(v) => {
                    struct_ser.serialize_field("upgrade", v)?;
                }
                preview_request::Change::Delete(v) => {
                    struct_ser.serialize_field("delete", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for PreviewRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "operators",
            "kubernetes",
            "scope",
            "owners",
            "add",
            "upgrade",
            "delete",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Operators,
            Kubernetes,
            Scope,
            Owners,
            Add,
            Upgrade,
            Delete,
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
                            "operators" => Ok(GeneratedField::Operators),
                            "kubernetes" => Ok(GeneratedField::Kubernetes),
                            "scope" => Ok(GeneratedField::Scope),
                            "owners" => Ok(GeneratedField::Owners),
                            "add" => Ok(GeneratedField::Add),
                            "upgrade" => Ok(GeneratedField::Upgrade),
                            "delete" => Ok(GeneratedField::Delete),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = PreviewRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PreviewRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<PreviewRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut operators__ = None;
                let mut kubernetes__ = None;
                let mut scope__ = None;
                let mut owners__ = None;
                let mut change__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Operators => {
                            if operators__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operators"));
                            }
                            operators__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Kubernetes => {
                            if kubernetes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kubernetes"));
                            }
                            kubernetes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Scope => {
                            if scope__.is_some() {
                                return Err(serde::de::Error::duplicate_field("scope"));
                            }
                            scope__ = map_.next_value()?;
                        }
                        GeneratedField::Owners => {
                            if owners__.is_some() {
                                return Err(serde::de::Error::duplicate_field("owners"));
                            }
                            owners__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Add => {
                            if change__.is_some() {
                                return Err(serde::de::Error::duplicate_field("add"));
                            }
                            change__ = map_.next_value::<::std::option::Option<_>>()?.map(preview_request::Change::Add);
                        }
                        GeneratedField::Upgrade => {
                            if change__.is_some() {
                                return Err(serde::de::Error::duplicate_field("upgrade"));
                            }
                            change__ = map_.next_value::<::std::option::Option<_>>()?.map(preview_request::Change::Upgrade);
                        }
                        GeneratedField::Delete => {
                            if change__.is_some() {
                                return Err(serde::de::Error::duplicate_field("delete"));
                            }
                            change__ = map_.next_value::<::std::option::Option<_>>()?.map(preview_request::Change::Delete);
                        }
                    }
                }
                Ok(PreviewRequest {
                    operators: operators__.unwrap_or_default(),
                    kubernetes: kubernetes__.unwrap_or_default(),
                    scope: scope__,
                    owners: owners__.unwrap_or_default(),
                    change: change__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PreviewRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for PreviewResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.PreviewResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            let v = verdict::Kind::try_from(self.verdict)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.verdict)))?;
            struct_ser.serialize_field("verdict", &v)?;
        }
        if true {
            struct_ser.serialize_field("changes", &self.changes)?;
        }
        if true {
            struct_ser.serialize_field("errors", &self.errors)?;
        }
        if true {
            struct_ser.serialize_field("warnings", &self.warnings)?;
        }
        if true {
            struct_ser.serialize_field("notes", &self.notes)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for PreviewResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "verdict",
            "changes",
            "errors",
            "warnings",
            "notes",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Verdict,
            Changes,
            Errors,
            Warnings,
            Notes,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "verdict" => Ok(GeneratedField::Verdict),
                            "changes" => Ok(GeneratedField::Changes),
                            "errors" => Ok(GeneratedField::Errors),
                            "warnings" => Ok(GeneratedField::Warnings),
                            "notes" => Ok(GeneratedField::Notes),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = PreviewResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.PreviewResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<PreviewResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut verdict__ = None;
                let mut changes__ = None;
                let mut errors__ = None;
                let mut warnings__ = None;
                let mut notes__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = Some(map_.next_value::<verdict::Kind>()? as i32);
                        }
                        GeneratedField::Changes => {
                            if changes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("changes"));
                            }
                            changes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Errors => {
                            if errors__.is_some() {
                                return Err(serde::de::Error::duplicate_field("errors"));
                            }
                            errors__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Warnings => {
                            if warnings__.is_some() {
                                return Err(serde::de::Error::duplicate_field("warnings"));
                            }
                            warnings__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Notes => {
                            if notes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notes"));
                            }
                            notes__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(PreviewResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    verdict: verdict__.unwrap_or_default(),
                    changes: changes__.unwrap_or_default(),
                    errors: errors__.unwrap_or_default(),
                    warnings: warnings__.unwrap_or_default(),
                    notes: notes__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.PreviewResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Reachable {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Reachable", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("hops", &self.hops)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Reachable {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "version",
            "hops",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Version,
            Hops,
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
                            "version" => Ok(GeneratedField::Version),
                            "hops" => Ok(GeneratedField::Hops),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Reachable;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Reachable")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Reachable, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut version__ = None;
                let mut hops__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Hops => {
                            if hops__.is_some() {
                                return Err(serde::de::Error::duplicate_field("hops"));
                            }
                            hops__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(Reachable {
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    hops: hops__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Reachable", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Refusal {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Refusal", len)?;
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("field", &self.field)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Refusal {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "code",
            "message",
            "field",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Code,
            Message,
            Field,
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
                            "code" => Ok(GeneratedField::Code),
                            "message" => Ok(GeneratedField::Message),
                            "field" => Ok(GeneratedField::Field),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Refusal;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Refusal")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Refusal, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut code__ = None;
                let mut message__ = None;
                let mut field__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Code => {
                            if code__.is_some() {
                                return Err(serde::de::Error::duplicate_field("code"));
                            }
                            code__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Field => {
                            if field__.is_some() {
                                return Err(serde::de::Error::duplicate_field("field"));
                            }
                            field__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Refusal {
                    code: code__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    field: field__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Refusal", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for RenderBundleRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.RenderBundleRequest", len)?;
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if let Some(v) = self.options.as_ref() {
            struct_ser.serialize_field("options", v)?;
        }
        if true {
            struct_ser.serialize_field("image", &self.image)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for RenderBundleRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalog",
            "package",
            "bundle",
            "options",
            "image",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalog,
            Package,
            Bundle,
            Options,
            Image,
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
                            "bundle" => Ok(GeneratedField::Bundle),
                            "options" => Ok(GeneratedField::Options),
                            "image" => Ok(GeneratedField::Image),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = RenderBundleRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.RenderBundleRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<RenderBundleRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalog__ = None;
                let mut package__ = None;
                let mut bundle__ = None;
                let mut options__ = None;
                let mut image__ = None;
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
                        GeneratedField::Bundle => {
                            if bundle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundle"));
                            }
                            bundle__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Options => {
                            if options__.is_some() {
                                return Err(serde::de::Error::duplicate_field("options"));
                            }
                            options__ = map_.next_value()?;
                        }
                        GeneratedField::Image => {
                            if image__.is_some() {
                                return Err(serde::de::Error::duplicate_field("image"));
                            }
                            image__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(RenderBundleRequest {
                    catalog: catalog__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    bundle: bundle__.unwrap_or_default(),
                    options: options__,
                    image: image__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.RenderBundleRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for RenderBundleResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.RenderBundleResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if let Some(v) = self.source.as_ref() {
            struct_ser.serialize_field("source", v)?;
        }
        if true {
            struct_ser.serialize_field("manifests", &self.manifests)?;
        }
        if true {
            struct_ser.serialize_field("certificates", &self.certificates)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
        }
        if true {
            struct_ser.serialize_field("clusterServiceVersion", &self.cluster_service_version)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for RenderBundleResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "source",
            "manifests",
            "certificates",
            "faults",
            "cluster_service_version",
            "clusterServiceVersion",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Source,
            Manifests,
            Certificates,
            Faults,
            ClusterServiceVersion,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "source" => Ok(GeneratedField::Source),
                            "manifests" => Ok(GeneratedField::Manifests),
                            "certificates" => Ok(GeneratedField::Certificates),
                            "faults" => Ok(GeneratedField::Faults),
                            "clusterServiceVersion" | "cluster_service_version" => Ok(GeneratedField::ClusterServiceVersion),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = RenderBundleResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.RenderBundleResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<RenderBundleResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut source__ = None;
                let mut manifests__ = None;
                let mut certificates__ = None;
                let mut faults__ = None;
                let mut cluster_service_version__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Source => {
                            if source__.is_some() {
                                return Err(serde::de::Error::duplicate_field("source"));
                            }
                            source__ = map_.next_value()?;
                        }
                        GeneratedField::Manifests => {
                            if manifests__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manifests"));
                            }
                            manifests__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Certificates => {
                            if certificates__.is_some() {
                                return Err(serde::de::Error::duplicate_field("certificates"));
                            }
                            certificates__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::ClusterServiceVersion => {
                            if cluster_service_version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("clusterServiceVersion"));
                            }
                            cluster_service_version__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(RenderBundleResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    source: source__,
                    manifests: manifests__.unwrap_or_default(),
                    certificates: certificates__.unwrap_or_default(),
                    faults: faults__.unwrap_or_default(),
                    cluster_service_version: cluster_service_version__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.RenderBundleResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for render_bundle_response::Certificate {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.RenderBundleResponse.Certificate", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("secret", &self.secret)?;
        }
        if true {
            struct_ser.serialize_field("hosts", &self.hosts)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for render_bundle_response::Certificate {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "secret",
            "hosts",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            Secret,
            Hosts,
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
                            "secret" => Ok(GeneratedField::Secret),
                            "hosts" => Ok(GeneratedField::Hosts),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = render_bundle_response::Certificate;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.RenderBundleResponse.Certificate")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<render_bundle_response::Certificate, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut secret__ = None;
                let mut hosts__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Secret => {
                            if secret__.is_some() {
                                return Err(serde::de::Error::duplicate_field("secret"));
                            }
                            secret__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Hosts => {
                            if hosts__.is_some() {
                                return Err(serde::de::Error::duplicate_field("hosts"));
                            }
                            hosts__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(render_bundle_response::Certificate {
                    namespace: namespace__.unwrap_or_default(),
                    secret: secret__.unwrap_or_default(),
                    hosts: hosts__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.RenderBundleResponse.Certificate", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for render_bundle_response::Manifest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.RenderBundleResponse.Manifest", len)?;
        if true {
            struct_ser.serialize_field("object", &self.object)?;
        }
        if true {
            struct_ser.serialize_field("origin", &self.origin)?;
        }
        if true {
            struct_ser.serialize_field("notes", &self.notes)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for render_bundle_response::Manifest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "object",
            "origin",
            "notes",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Object,
            Origin,
            Notes,
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
                            "origin" => Ok(GeneratedField::Origin),
                            "notes" => Ok(GeneratedField::Notes),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = render_bundle_response::Manifest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.RenderBundleResponse.Manifest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<render_bundle_response::Manifest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut object__ = None;
                let mut origin__ = None;
                let mut notes__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Origin => {
                            if origin__.is_some() {
                                return Err(serde::de::Error::duplicate_field("origin"));
                            }
                            origin__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Notes => {
                            if notes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notes"));
                            }
                            notes__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(render_bundle_response::Manifest {
                    object: object__.unwrap_or_default(),
                    origin: origin__.unwrap_or_default(),
                    notes: notes__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.RenderBundleResponse.Manifest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Requirement {
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
        if self.of.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Requirement", len)?;
        if true {
            struct_ser.serialize_field("text", &self.text)?;
        }
        if let Some(v) = self.of.as_ref() {
            match v {
                requirement::Of::Package(v) => {
                    struct_ser.serialize_field("package", v)?;
                }
                requirement::Of::Api(v) => {
                    struct_ser.serialize_field("api", v)?;
                }
                requirement::Of::Constraint(v) => {
                    struct_ser.serialize_field("constraint", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Requirement {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "text",
            "package",
            "api",
            "constraint",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Text,
            Package,
            Api,
            Constraint,
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
                            "text" => Ok(GeneratedField::Text),
                            "package" => Ok(GeneratedField::Package),
                            "api" => Ok(GeneratedField::Api),
                            "constraint" => Ok(GeneratedField::Constraint),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Requirement;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Requirement")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Requirement, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut text__ = None;
                let mut of__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Text => {
                            if text__.is_some() {
                                return Err(serde::de::Error::duplicate_field("text"));
                            }
                            text__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Package => {
                            if of__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            of__ = map_.next_value::<::std::option::Option<_>>()?.map(requirement::Of::Package)
;
                        }
                        GeneratedField::Api => {
                            if of__.is_some() {
                                return Err(serde::de::Error::duplicate_field("api"));
                            }
                            of__ = map_.next_value::<::std::option::Option<_>>()?.map(requirement::Of::Api)
;
                        }
                        GeneratedField::Constraint => {
                            if of__.is_some() {
                                return Err(serde::de::Error::duplicate_field("constraint"));
                            }
                            of__ = map_.next_value::<::std::option::Option<_>>()?.map(requirement::Of::Constraint);
                        }
                    }
                }
                Ok(Requirement {
                    text: text__.unwrap_or_default(),
                    of: of__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Requirement", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Requirements {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Requirements", len)?;
        if true {
            struct_ser.serialize_field("apis", &self.apis)?;
        }
        if true {
            struct_ser.serialize_field("packages", &self.packages)?;
        }
        if true {
            struct_ser.serialize_field("constraints", &self.constraints)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Requirements {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "apis",
            "packages",
            "constraints",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Apis,
            Packages,
            Constraints,
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
                            "apis" => Ok(GeneratedField::Apis),
                            "packages" => Ok(GeneratedField::Packages),
                            "constraints" => Ok(GeneratedField::Constraints),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Requirements;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Requirements")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Requirements, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut apis__ = None;
                let mut packages__ = None;
                let mut constraints__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Apis => {
                            if apis__.is_some() {
                                return Err(serde::de::Error::duplicate_field("apis"));
                            }
                            apis__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Packages => {
                            if packages__.is_some() {
                                return Err(serde::de::Error::duplicate_field("packages"));
                            }
                            packages__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Constraints => {
                            if constraints__.is_some() {
                                return Err(serde::de::Error::duplicate_field("constraints"));
                            }
                            constraints__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Requirements {
                    apis: apis__.unwrap_or_default(),
                    packages: packages__.unwrap_or_default(),
                    constraints: constraints__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Requirements", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for requirements::Package {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Requirements.Package", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("range", &self.range)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for requirements::Package {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "range",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Range,
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
                            "range" => Ok(GeneratedField::Range),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = requirements::Package;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Requirements.Package")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<requirements::Package, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut range__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Range => {
                            if range__.is_some() {
                                return Err(serde::de::Error::duplicate_field("range"));
                            }
                            range__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(requirements::Package {
                    name: name__.unwrap_or_default(),
                    range: range__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Requirements.Package", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ResolveRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ResolveRequest", len)?;
        if true {
            struct_ser.serialize_field("wishes", &self.wishes)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if true {
            let v = mode::Kind::try_from(self.mode)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.mode)))?;
            struct_ser.serialize_field("mode", &v)?;
        }
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ResolveRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "wishes",
            "installed",
            "mode",
            "steps",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Wishes,
            Installed,
            Mode,
            Steps,
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
                            "wishes" => Ok(GeneratedField::Wishes),
                            "installed" => Ok(GeneratedField::Installed),
                            "mode" => Ok(GeneratedField::Mode),
                            "steps" => Ok(GeneratedField::Steps),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ResolveRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ResolveRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ResolveRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut wishes__ = None;
                let mut installed__ = None;
                let mut mode__ = None;
                let mut steps__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Wishes => {
                            if wishes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wishes"));
                            }
                            wishes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Mode => {
                            if mode__.is_some() {
                                return Err(serde::de::Error::duplicate_field("mode"));
                            }
                            mode__ = Some(map_.next_value::<mode::Kind>()? as i32);
                        }
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(ResolveRequest {
                    wishes: wishes__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    mode: mode__.unwrap_or_default(),
                    steps: steps__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ResolveRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ResolveResponse {
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
        if self.answer.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ResolveResponse", len)?;
        if true {
            struct_ser.serialize_field("catalogs", &self.catalogs)?;
        }
        if true {
            struct_ser.serialize_field("unread", &self.unread)?;
        }
        if let Some(v) = self.answer.as_ref() {
            match v {
                resolve_response::Answer::Solution(v) => {
                    struct_ser.serialize_field("solution", v)?;
                }
                resolve_response::Answer::Conflict(v) => {
                    struct_ser.serialize_field("conflict", v)?;
                }
                resolve_response::Answer::GaveUp(v) => {
                    struct_ser.serialize_field("gaveUp", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ResolveResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "catalogs",
            "unread",
            "solution",
            "conflict",
            "gave_up",
            "gaveUp",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Catalogs,
            Unread,
            Solution,
            Conflict,
            GaveUp,
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
                            "catalogs" => Ok(GeneratedField::Catalogs),
                            "unread" => Ok(GeneratedField::Unread),
                            "solution" => Ok(GeneratedField::Solution),
                            "conflict" => Ok(GeneratedField::Conflict),
                            "gaveUp" | "gave_up" => Ok(GeneratedField::GaveUp),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ResolveResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ResolveResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ResolveResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut catalogs__ = None;
                let mut unread__ = None;
                let mut answer__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Catalogs => {
                            if catalogs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalogs"));
                            }
                            catalogs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Unread => {
                            if unread__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unread"));
                            }
                            unread__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Solution => {
                            if answer__.is_some() {
                                return Err(serde::de::Error::duplicate_field("solution"));
                            }
                            answer__ = map_.next_value::<::std::option::Option<_>>()?.map(resolve_response::Answer::Solution)
;
                        }
                        GeneratedField::Conflict => {
                            if answer__.is_some() {
                                return Err(serde::de::Error::duplicate_field("conflict"));
                            }
                            answer__ = map_.next_value::<::std::option::Option<_>>()?.map(resolve_response::Answer::Conflict)
;
                        }
                        GeneratedField::GaveUp => {
                            if answer__.is_some() {
                                return Err(serde::de::Error::duplicate_field("gaveUp"));
                            }
                            answer__ = map_.next_value::<::std::option::Option<_>>()?.map(resolve_response::Answer::GaveUp)
;
                        }
                    }
                }
                Ok(ResolveResponse {
                    catalogs: catalogs__.unwrap_or_default(),
                    unread: unread__.unwrap_or_default(),
                    answer: answer__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ResolveResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for resolve_response::GaveUp {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.ResolveResponse.GaveUp", len)?;
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for resolve_response::GaveUp {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "steps",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Steps,
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
                            "steps" => Ok(GeneratedField::Steps),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = resolve_response::GaveUp;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.ResolveResponse.GaveUp")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<resolve_response::GaveUp, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut steps__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(resolve_response::GaveUp {
                    steps: steps__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.ResolveResponse.GaveUp", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Route {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Route", len)?;
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        if true {
            struct_ser.serialize_field("ends", &self.ends)?;
        }
        if true {
            struct_ser.serialize_field("states", &self.states)?;
        }
        if true {
            struct_ser.serialize_field("onlySingle", &self.only_single)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Route {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "steps",
            "ends",
            "states",
            "only_single",
            "onlySingle",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Steps,
            Ends,
            States,
            OnlySingle,
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
                            "steps" => Ok(GeneratedField::Steps),
                            "ends" => Ok(GeneratedField::Ends),
                            "states" => Ok(GeneratedField::States),
                            "onlySingle" | "only_single" => Ok(GeneratedField::OnlySingle),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Route;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Route")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Route, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut steps__ = None;
                let mut ends__ = None;
                let mut states__ = None;
                let mut only_single__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Ends => {
                            if ends__.is_some() {
                                return Err(serde::de::Error::duplicate_field("ends"));
                            }
                            ends__ = Some(map_.next_value()?);
                        }
                        GeneratedField::States => {
                            if states__.is_some() {
                                return Err(serde::de::Error::duplicate_field("states"));
                            }
                            states__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::OnlySingle => {
                            if only_single__.is_some() {
                                return Err(serde::de::Error::duplicate_field("onlySingle"));
                            }
                            only_single__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Route {
                    steps: steps__.unwrap_or_default(),
                    ends: ends__.unwrap_or_default(),
                    states: states__.unwrap_or_default(),
                    only_single: only_single__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Route", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for route::Blocked {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Route.Blocked", len)?;
        if true {
            struct_ser.serialize_field("causes", &self.causes)?;
        }
        if true {
            struct_ser.serialize_field("suggestions", &self.suggestions)?;
        }
        if true {
            struct_ser.serialize_field("text", &self.text)?;
        }
        if true {
            struct_ser.serialize_field("sentences", &self.sentences)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for route::Blocked {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "causes",
            "suggestions",
            "text",
            "sentences",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Causes,
            Suggestions,
            Text,
            Sentences,
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
                            "causes" => Ok(GeneratedField::Causes),
                            "suggestions" => Ok(GeneratedField::Suggestions),
                            "text" => Ok(GeneratedField::Text),
                            "sentences" => Ok(GeneratedField::Sentences),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = route::Blocked;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Route.Blocked")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<route::Blocked, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut causes__ = None;
                let mut suggestions__ = None;
                let mut text__ = None;
                let mut sentences__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Causes => {
                            if causes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("causes"));
                            }
                            causes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Suggestions => {
                            if suggestions__.is_some() {
                                return Err(serde::de::Error::duplicate_field("suggestions"));
                            }
                            suggestions__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Text => {
                            if text__.is_some() {
                                return Err(serde::de::Error::duplicate_field("text"));
                            }
                            text__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Sentences => {
                            if sentences__.is_some() {
                                return Err(serde::de::Error::duplicate_field("sentences"));
                            }
                            sentences__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(route::Blocked {
                    causes: causes__.unwrap_or_default(),
                    suggestions: suggestions__.unwrap_or_default(),
                    text: text__.unwrap_or_default(),
                    sentences: sentences__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Route.Blocked", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for route::End {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Route.End", len)?;
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if let Some(v) = self.blocked.as_ref() {
            struct_ser.serialize_field("blocked", v)?;
        }
        if let Some(v) = self.wanted.as_ref() {
            struct_ser.serialize_field("wanted", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for route::End {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "package",
            "bundle",
            "version",
            "blocked",
            "wanted",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Package,
            Bundle,
            Version,
            Blocked,
            Wanted,
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
                            "package" => Ok(GeneratedField::Package),
                            "bundle" => Ok(GeneratedField::Bundle),
                            "version" => Ok(GeneratedField::Version),
                            "blocked" => Ok(GeneratedField::Blocked),
                            "wanted" => Ok(GeneratedField::Wanted),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = route::End;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Route.End")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<route::End, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut package__ = None;
                let mut bundle__ = None;
                let mut version__ = None;
                let mut blocked__ = None;
                let mut wanted__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
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
                        GeneratedField::Blocked => {
                            if blocked__.is_some() {
                                return Err(serde::de::Error::duplicate_field("blocked"));
                            }
                            blocked__ = map_.next_value()?;
                        }
                        GeneratedField::Wanted => {
                            if wanted__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wanted"));
                            }
                            wanted__ = map_.next_value()?;
                        }
                    }
                }
                Ok(route::End {
                    package: package__.unwrap_or_default(),
                    bundle: bundle__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    blocked: blocked__,
                    wanted: wanted__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Route.End", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for route::Move {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Route.Move", len)?;
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if true {
            struct_ser.serialize_field("to", &self.to)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            let v = self.via.iter().cloned().map(|v| {
                edge::Kind::try_from(v)
                    .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", v)))
                }).collect::<std::result::Result<Vec<_>, _>>()?;
            struct_ser.serialize_field("via", &v)?;
        }
        if true {
            struct_ser.serialize_field("unsafe", &self.r#unsafe)?;
        }
        if true {
            struct_ser.serialize_field("downgrade", &self.downgrade)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for route::Move {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "package",
            "from",
            "to",
            "version",
            "via",
            "unsafe",
            "downgrade",
            "deprecation",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Package,
            From,
            To,
            Version,
            Via,
            Unsafe,
            Downgrade,
            Deprecation,
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
                            "package" => Ok(GeneratedField::Package),
                            "from" => Ok(GeneratedField::From),
                            "to" => Ok(GeneratedField::To),
                            "version" => Ok(GeneratedField::Version),
                            "via" => Ok(GeneratedField::Via),
                            "unsafe" => Ok(GeneratedField::Unsafe),
                            "downgrade" => Ok(GeneratedField::Downgrade),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = route::Move;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Route.Move")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<route::Move, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut package__ = None;
                let mut from__ = None;
                let mut to__ = None;
                let mut version__ = None;
                let mut via__ = None;
                let mut r#unsafe__ = None;
                let mut downgrade__ = None;
                let mut deprecation__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
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
                            from__ = Some(map_.next_value()?);
                        }
                        GeneratedField::To => {
                            if to__.is_some() {
                                return Err(serde::de::Error::duplicate_field("to"));
                            }
                            to__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Via => {
                            if via__.is_some() {
                                return Err(serde::de::Error::duplicate_field("via"));
                            }
                            via__ = Some(map_.next_value::<Vec<edge::Kind>>()?.into_iter().map(|x| x as i32).collect());
                        }
                        GeneratedField::Unsafe => {
                            if r#unsafe__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unsafe"));
                            }
                            r#unsafe__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Downgrade => {
                            if downgrade__.is_some() {
                                return Err(serde::de::Error::duplicate_field("downgrade"));
                            }
                            downgrade__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(route::Move {
                    package: package__.unwrap_or_default(),
                    from: from__.unwrap_or_default(),
                    to: to__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    via: via__.unwrap_or_default(),
                    r#unsafe: r#unsafe__.unwrap_or_default(),
                    downgrade: downgrade__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Route.Move", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for route::Step {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Route.Step", len)?;
        if true {
            struct_ser.serialize_field("moves", &self.moves)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for route::Step {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "moves",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Moves,
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
                            "moves" => Ok(GeneratedField::Moves),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = route::Step;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Route.Step")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<route::Step, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut moves__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Moves => {
                            if moves__.is_some() {
                                return Err(serde::de::Error::duplicate_field("moves"));
                            }
                            moves__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(route::Step {
                    moves: moves__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Route.Step", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for route::Suggestion {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Route.Suggestion", len)?;
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if let Some(v) = self.overrides.as_ref() {
            struct_ser.serialize_field("overrides", v)?;
        }
        if true {
            struct_ser.serialize_field("unsafe", &self.r#unsafe)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for route::Suggestion {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "code",
            "message",
            "package",
            "version",
            "overrides",
            "unsafe",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Code,
            Message,
            Package,
            Version,
            Overrides,
            Unsafe,
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
                            "code" => Ok(GeneratedField::Code),
                            "message" => Ok(GeneratedField::Message),
                            "package" => Ok(GeneratedField::Package),
                            "version" => Ok(GeneratedField::Version),
                            "overrides" => Ok(GeneratedField::Overrides),
                            "unsafe" => Ok(GeneratedField::Unsafe),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = route::Suggestion;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Route.Suggestion")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<route::Suggestion, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut code__ = None;
                let mut message__ = None;
                let mut package__ = None;
                let mut version__ = None;
                let mut overrides__ = None;
                let mut r#unsafe__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Code => {
                            if code__.is_some() {
                                return Err(serde::de::Error::duplicate_field("code"));
                            }
                            code__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
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
                        GeneratedField::Overrides => {
                            if overrides__.is_some() {
                                return Err(serde::de::Error::duplicate_field("overrides"));
                            }
                            overrides__ = map_.next_value()?;
                        }
                        GeneratedField::Unsafe => {
                            if r#unsafe__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unsafe"));
                            }
                            r#unsafe__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(route::Suggestion {
                    code: code__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    overrides: overrides__,
                    r#unsafe: r#unsafe__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Route.Suggestion", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for route::Wanted {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Route.Wanted", len)?;
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if let Some(v) = self.requires.as_ref() {
            struct_ser.serialize_field("requires", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for route::Wanted {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "bundle",
            "version",
            "requires",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Bundle,
            Version,
            Requires,
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
                            "requires" => Ok(GeneratedField::Requires),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = route::Wanted;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Route.Wanted")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<route::Wanted, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut bundle__ = None;
                let mut version__ = None;
                let mut requires__ = None;
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
                        GeneratedField::Requires => {
                            if requires__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requires"));
                            }
                            requires__ = map_.next_value()?;
                        }
                    }
                }
                Ok(route::Wanted {
                    bundle: bundle__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    requires: requires__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Route.Wanted", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Solution {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution", len)?;
        if true {
            struct_ser.serialize_field("choices", &self.choices)?;
        }
        if true {
            struct_ser.serialize_field("operators", &self.operators)?;
        }
        if true {
            let v = solution::optimality::Kind::try_from(self.optimality)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.optimality)))?;
            struct_ser.serialize_field("optimality", &v)?;
        }
        if true {
            struct_ser.serialize_field("lacking", &self.lacking)?;
        }
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Solution {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "choices",
            "operators",
            "optimality",
            "lacking",
            "steps",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Choices,
            Operators,
            Optimality,
            Lacking,
            Steps,
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
                            "choices" => Ok(GeneratedField::Choices),
                            "operators" => Ok(GeneratedField::Operators),
                            "optimality" => Ok(GeneratedField::Optimality),
                            "lacking" => Ok(GeneratedField::Lacking),
                            "steps" => Ok(GeneratedField::Steps),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Solution;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Solution, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut choices__ = None;
                let mut operators__ = None;
                let mut optimality__ = None;
                let mut lacking__ = None;
                let mut steps__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Choices => {
                            if choices__.is_some() {
                                return Err(serde::de::Error::duplicate_field("choices"));
                            }
                            choices__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Operators => {
                            if operators__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operators"));
                            }
                            operators__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Optimality => {
                            if optimality__.is_some() {
                                return Err(serde::de::Error::duplicate_field("optimality"));
                            }
                            optimality__ = Some(map_.next_value::<solution::optimality::Kind>()? as i32);
                        }
                        GeneratedField::Lacking => {
                            if lacking__.is_some() {
                                return Err(serde::de::Error::duplicate_field("lacking"));
                            }
                            lacking__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(Solution {
                    choices: choices__.unwrap_or_default(),
                    operators: operators__.unwrap_or_default(),
                    optimality: optimality__.unwrap_or_default(),
                    lacking: lacking__.unwrap_or_default(),
                    steps: steps__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::Change {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution.Change", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for solution::Change {
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
            type Value = solution::Change;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution.Change")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<solution::Change, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(solution::Change {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution.Change", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::change::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Install => "INSTALL",
            Self::Move => "MOVE",
            Self::Stay => "STAY",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for solution::change::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "INSTALL",
            "MOVE",
            "STAY",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = solution::change::Kind;

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
                    "UNSPECIFIED" => Ok(solution::change::Kind::Unspecified),
                    "INSTALL" => Ok(solution::change::Kind::Install),
                    "MOVE" => Ok(solution::change::Kind::Move),
                    "STAY" => Ok(solution::change::Kind::Stay),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for solution::Choice {
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
        if self.outcome.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution.Choice", len)?;
        if let Some(v) = self.wish.as_ref() {
            struct_ser.serialize_field("wish", v)?;
        }
        if true {
            struct_ser.serialize_field("faults", &self.faults)?;
        }
        if let Some(v) = self.outcome.as_ref() {
            match v {
                solution::choice::Outcome::Granted(v) => {
                    struct_ser.serialize_field("granted", v)?;
                }
                solution::choice::Outcome::Refused(v) => {
                    struct_ser.serialize_field("refused", v)?;
                }
                solution::choice::Outcome::GaveUp(v) => {
                    struct_ser.serialize_field("gaveUp", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for solution::Choice {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "wish",
            "faults",
            "granted",
            "refused",
            "gave_up",
            "gaveUp",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Wish,
            Faults,
            Granted,
            Refused,
            GaveUp,
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
                            "wish" => Ok(GeneratedField::Wish),
                            "faults" => Ok(GeneratedField::Faults),
                            "granted" => Ok(GeneratedField::Granted),
                            "refused" => Ok(GeneratedField::Refused),
                            "gaveUp" | "gave_up" => Ok(GeneratedField::GaveUp),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = solution::Choice;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution.Choice")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<solution::Choice, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut wish__ = None;
                let mut faults__ = None;
                let mut outcome__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Wish => {
                            if wish__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wish"));
                            }
                            wish__ = map_.next_value()?;
                        }
                        GeneratedField::Faults => {
                            if faults__.is_some() {
                                return Err(serde::de::Error::duplicate_field("faults"));
                            }
                            faults__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Granted => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("granted"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<::pbjson::private::NumberDeserialize<_>>>()?.map(|x| solution::choice::Outcome::Granted(x.0));
                        }
                        GeneratedField::Refused => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("refused"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(solution::choice::Outcome::Refused)
;
                        }
                        GeneratedField::GaveUp => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("gaveUp"));
                            }
                            outcome__ = map_.next_value::<::std::option::Option<_>>()?.map(solution::choice::Outcome::GaveUp)
;
                        }
                    }
                }
                Ok(solution::Choice {
                    wish: wish__,
                    faults: faults__.unwrap_or_default(),
                    outcome: outcome__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution.Choice", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::choice::GaveUp {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution.Choice.GaveUp", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for solution::choice::GaveUp {
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
            type Value = solution::choice::GaveUp;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution.Choice.GaveUp")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<solution::choice::GaveUp, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(solution::choice::GaveUp {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution.Choice.GaveUp", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::Lacking {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution.Lacking", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if let Some(v) = self.requirement.as_ref() {
            struct_ser.serialize_field("requirement", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for solution::Lacking {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
            "requirement",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Name,
            Requirement,
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
                            "requirement" => Ok(GeneratedField::Requirement),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = solution::Lacking;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution.Lacking")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<solution::Lacking, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                let mut requirement__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Requirement => {
                            if requirement__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requirement"));
                            }
                            requirement__ = map_.next_value()?;
                        }
                    }
                }
                Ok(solution::Lacking {
                    name: name__.unwrap_or_default(),
                    requirement: requirement__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution.Lacking", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::Need {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution.Need", len)?;
        if let Some(v) = self.requirement.as_ref() {
            struct_ser.serialize_field("requirement", v)?;
        }
        if true {
            struct_ser.serialize_field("by", &self.by)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for solution::Need {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "requirement",
            "by",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Requirement,
            By,
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
                            "requirement" => Ok(GeneratedField::Requirement),
                            "by" => Ok(GeneratedField::By),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = solution::Need;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution.Need")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<solution::Need, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut requirement__ = None;
                let mut by__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Requirement => {
                            if requirement__.is_some() {
                                return Err(serde::de::Error::duplicate_field("requirement"));
                            }
                            requirement__ = map_.next_value()?;
                        }
                        GeneratedField::By => {
                            if by__.is_some() {
                                return Err(serde::de::Error::duplicate_field("by"));
                            }
                            by__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(solution::Need {
                    requirement: requirement__,
                    by: by__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution.Need", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::Operator {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution.Operator", len)?;
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            let v = solution::change::Kind::try_from(self.change)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.change)))?;
            struct_ser.serialize_field("change", &v)?;
        }
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if true {
            struct_ser.serialize_field("hops", &self.hops)?;
        }
        if true {
            struct_ser.serialize_field("wishes", &self.wishes)?;
        }
        if true {
            struct_ser.serialize_field("deprecation", &self.deprecation)?;
        }
        if true {
            struct_ser.serialize_field("needs", &self.needs)?;
        }
        if true {
            struct_ser.serialize_field("head", &self.head)?;
        }
        if true {
            struct_ser.serialize_field("defaultChannel", &self.default_channel)?;
        }
        if let Some(v) = self.passed_over.as_ref() {
            struct_ser.serialize_field("passedOver", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for solution::Operator {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "package",
            "name",
            "version",
            "catalog",
            "channel",
            "change",
            "from",
            "hops",
            "wishes",
            "deprecation",
            "needs",
            "head",
            "default_channel",
            "defaultChannel",
            "passed_over",
            "passedOver",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Package,
            Name,
            Version,
            Catalog,
            Channel,
            Change,
            From,
            Hops,
            Wishes,
            Deprecation,
            Needs,
            Head,
            DefaultChannel,
            PassedOver,
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
                            "package" => Ok(GeneratedField::Package),
                            "name" => Ok(GeneratedField::Name),
                            "version" => Ok(GeneratedField::Version),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "channel" => Ok(GeneratedField::Channel),
                            "change" => Ok(GeneratedField::Change),
                            "from" => Ok(GeneratedField::From),
                            "hops" => Ok(GeneratedField::Hops),
                            "wishes" => Ok(GeneratedField::Wishes),
                            "deprecation" => Ok(GeneratedField::Deprecation),
                            "needs" => Ok(GeneratedField::Needs),
                            "head" => Ok(GeneratedField::Head),
                            "defaultChannel" | "default_channel" => Ok(GeneratedField::DefaultChannel),
                            "passedOver" | "passed_over" => Ok(GeneratedField::PassedOver),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = solution::Operator;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution.Operator")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<solution::Operator, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut package__ = None;
                let mut name__ = None;
                let mut version__ = None;
                let mut catalog__ = None;
                let mut channel__ = None;
                let mut change__ = None;
                let mut from__ = None;
                let mut hops__ = None;
                let mut wishes__ = None;
                let mut deprecation__ = None;
                let mut needs__ = None;
                let mut head__ = None;
                let mut default_channel__ = None;
                let mut passed_over__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Version => {
                            if version__.is_some() {
                                return Err(serde::de::Error::duplicate_field("version"));
                            }
                            version__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Change => {
                            if change__.is_some() {
                                return Err(serde::de::Error::duplicate_field("change"));
                            }
                            change__ = Some(map_.next_value::<solution::change::Kind>()? as i32);
                        }
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Hops => {
                            if hops__.is_some() {
                                return Err(serde::de::Error::duplicate_field("hops"));
                            }
                            hops__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                        GeneratedField::Wishes => {
                            if wishes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("wishes"));
                            }
                            wishes__ = 
                                Some(map_.next_value::<Vec<::pbjson::private::NumberDeserialize<_>>>()?
                                    .into_iter().map(|x| x.0).collect())
                            ;
                        }
                        GeneratedField::Deprecation => {
                            if deprecation__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deprecation"));
                            }
                            deprecation__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Needs => {
                            if needs__.is_some() {
                                return Err(serde::de::Error::duplicate_field("needs"));
                            }
                            needs__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Head => {
                            if head__.is_some() {
                                return Err(serde::de::Error::duplicate_field("head"));
                            }
                            head__ = Some(map_.next_value()?);
                        }
                        GeneratedField::DefaultChannel => {
                            if default_channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("defaultChannel"));
                            }
                            default_channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::PassedOver => {
                            if passed_over__.is_some() {
                                return Err(serde::de::Error::duplicate_field("passedOver"));
                            }
                            passed_over__ = map_.next_value()?;
                        }
                    }
                }
                Ok(solution::Operator {
                    package: package__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    change: change__.unwrap_or_default(),
                    from: from__.unwrap_or_default(),
                    hops: hops__.unwrap_or_default(),
                    wishes: wishes__.unwrap_or_default(),
                    deprecation: deprecation__.unwrap_or_default(),
                    needs: needs__.unwrap_or_default(),
                    head: head__.unwrap_or_default(),
                    default_channel: default_channel__.unwrap_or_default(),
                    passed_over: passed_over__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution.Operator", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::Optimality {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Solution.Optimality", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for solution::Optimality {
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
            type Value = solution::Optimality;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Solution.Optimality")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<solution::Optimality, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(solution::Optimality {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Solution.Optimality", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for solution::optimality::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Best => "BEST",
            Self::NoSingleChangeBetters => "NO_SINGLE_CHANGE_BETTERS",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for solution::optimality::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "BEST",
            "NO_SINGLE_CHANGE_BETTERS",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = solution::optimality::Kind;

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
                    "UNSPECIFIED" => Ok(solution::optimality::Kind::Unspecified),
                    "BEST" => Ok(solution::optimality::Kind::Best),
                    "NO_SINGLE_CHANGE_BETTERS" => Ok(solution::optimality::Kind::NoSingleChangeBetters),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Verdict {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Verdict", len)?;
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
            type Value = Verdict;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Verdict")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Verdict, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(Verdict {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Verdict", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for verdict::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Generated => "GENERATED",
            Self::Warned => "WARNED",
            Self::Refused => "REFUSED",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for verdict::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "GENERATED",
            "WARNED",
            "REFUSED",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = verdict::Kind;

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
                    "UNSPECIFIED" => Ok(verdict::Kind::Unspecified),
                    "GENERATED" => Ok(verdict::Kind::Generated),
                    "WARNED" => Ok(verdict::Kind::Warned),
                    "REFUSED" => Ok(verdict::Kind::Refused),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Walk {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.Walk", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Walk {
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
            type Value = Walk;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Walk")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Walk, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(Walk {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Walk", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for walk::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Catalog => "CATALOG",
            Self::OlmV0 => "OLM_V0",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for walk::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "CATALOG",
            "OLM_V0",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = walk::Kind;

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
                    "UNSPECIFIED" => Ok(walk::Kind::Unspecified),
                    "CATALOG" => Ok(walk::Kind::Catalog),
                    "OLM_V0" => Ok(walk::Kind::OlmV0),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for WatchCatalogsRequest {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.WatchCatalogsRequest", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for WatchCatalogsRequest {
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
            type Value = WatchCatalogsRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.WatchCatalogsRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<WatchCatalogsRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(WatchCatalogsRequest {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.WatchCatalogsRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for WatchCatalogsResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.WatchCatalogsResponse", len)?;
        if true {
            struct_ser.serialize_field("epoch", &self.epoch)?;
        }
        if true {
            struct_ser.serialize_field("revision", &self.revision)?;
        }
        if let Some(v) = self.event.as_ref() {
            match v {
                watch_catalogs_response::Event::Changed(v) => {
                    struct_ser.serialize_field("changed", v)?;
                }
                watch_catalogs_response::Event::Gone(v) => {
                    struct_ser.serialize_field("gone", v)?;
                }
                watch_catalogs_response::Event::Synced(v) => {
                    struct_ser.serialize_field("synced", v)?;
                }
                watch_catalogs_response::Event::Reset(v) => {
                    struct_ser.serialize_field("reset", v)?;
                }
                watch_catalogs_response::Event::Heartbeat(v) => {
                    struct_ser.serialize_field("heartbeat", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for WatchCatalogsResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "epoch",
            "revision",
            "changed",
            "gone",
            "synced",
            "reset",
            "heartbeat",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Epoch,
            Revision,
            Changed,
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
                            "changed" => Ok(GeneratedField::Changed),
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
            type Value = WatchCatalogsResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.WatchCatalogsResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<WatchCatalogsResponse, V::Error>
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
                        GeneratedField::Changed => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("changed"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_catalogs_response::Event::Changed)
;
                        }
                        GeneratedField::Gone => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("gone"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_catalogs_response::Event::Gone)
;
                        }
                        GeneratedField::Synced => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("synced"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_catalogs_response::Event::Synced)
;
                        }
                        GeneratedField::Reset => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reset"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_catalogs_response::Event::Reset)
;
                        }
                        GeneratedField::Heartbeat => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heartbeat"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_catalogs_response::Event::Heartbeat)
;
                        }
                    }
                }
                Ok(WatchCatalogsResponse {
                    epoch: epoch__.unwrap_or_default(),
                    revision: revision__.unwrap_or_default(),
                    event: event__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.WatchCatalogsResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_catalogs_response::Gone {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Gone", len)?;
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_catalogs_response::Gone {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "name",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
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
            type Value = watch_catalogs_response::Gone;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.WatchCatalogsResponse.Gone")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_catalogs_response::Gone, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut name__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Name => {
                            if name__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            name__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(watch_catalogs_response::Gone {
                    name: name__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Gone", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_catalogs_response::Heartbeat {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Heartbeat", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_catalogs_response::Heartbeat {
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
            type Value = watch_catalogs_response::Heartbeat;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.WatchCatalogsResponse.Heartbeat")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_catalogs_response::Heartbeat, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_catalogs_response::Heartbeat {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Heartbeat", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_catalogs_response::Reset {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Reset", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_catalogs_response::Reset {
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
            type Value = watch_catalogs_response::Reset;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.WatchCatalogsResponse.Reset")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_catalogs_response::Reset, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_catalogs_response::Reset {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Reset", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for watch_catalogs_response::Synced {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Synced", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for watch_catalogs_response::Synced {
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
            type Value = watch_catalogs_response::Synced;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.WatchCatalogsResponse.Synced")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_catalogs_response::Synced, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(watch_catalogs_response::Synced {
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.WatchCatalogsResponse.Synced", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Wish {
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
        let mut struct_ser = serializer.serialize_struct("portolan.resolver.v1.Wish", len)?;
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("range", &self.range)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Wish {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "package",
            "range",
            "channel",
            "catalog",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Package,
            Range,
            Channel,
            Catalog,
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
                            "package" => Ok(GeneratedField::Package),
                            "range" => Ok(GeneratedField::Range),
                            "channel" => Ok(GeneratedField::Channel),
                            "catalog" => Ok(GeneratedField::Catalog),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Wish;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.resolver.v1.Wish")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Wish, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut package__ = None;
                let mut range__ = None;
                let mut channel__ = None;
                let mut catalog__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Range => {
                            if range__.is_some() {
                                return Err(serde::de::Error::duplicate_field("range"));
                            }
                            range__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Channel => {
                            if channel__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channel"));
                            }
                            channel__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Wish {
                    package: package__.unwrap_or_default(),
                    range: range__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.resolver.v1.Wish", FIELDS, GeneratedVisitor)
    }
}
