impl serde::Serialize for Cause {
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
        if self.cure.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Cause", len)?;
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            let v = operator_diagnosis::State::try_from(self.state)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.state)))?;
            struct_ser.serialize_field("state", &v)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if let Some(v) = self.guilty.as_ref() {
            struct_ser.serialize_field("guilty", v)?;
        }
        if true {
            struct_ser.serialize_field("evidence", &self.evidence)?;
        }
        if true {
            struct_ser.serialize_field("below", &self.below)?;
        }
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        if let Some(v) = self.blocked_by.as_ref() {
            struct_ser.serialize_field("blockedBy", v)?;
        }
        if true {
            struct_ser.serialize_field("guiltyMissing", &self.guilty_missing)?;
        }
        if let Some(v) = self.cure.as_ref() {
            match v {
                cause::Cure::Fixable(v) => {
                    struct_ser.serialize_field("fixable", v)?;
                }
                cause::Cure::External(v) => {
                    struct_ser.serialize_field("external", v)?;
                }
                cause::Cure::Passing(v) => {
                    struct_ser.serialize_field("passing", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Cause {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "code",
            "state",
            "message",
            "guilty",
            "evidence",
            "below",
            "steps",
            "blocked_by",
            "blockedBy",
            "guilty_missing",
            "guiltyMissing",
            "fixable",
            "external",
            "passing",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Code,
            State,
            Message,
            Guilty,
            Evidence,
            Below,
            Steps,
            BlockedBy,
            GuiltyMissing,
            Fixable,
            External,
            Passing,
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
                            "state" => Ok(GeneratedField::State),
                            "message" => Ok(GeneratedField::Message),
                            "guilty" => Ok(GeneratedField::Guilty),
                            "evidence" => Ok(GeneratedField::Evidence),
                            "below" => Ok(GeneratedField::Below),
                            "steps" => Ok(GeneratedField::Steps),
                            "blockedBy" | "blocked_by" => Ok(GeneratedField::BlockedBy),
                            "guiltyMissing" | "guilty_missing" => Ok(GeneratedField::GuiltyMissing),
                            "fixable" => Ok(GeneratedField::Fixable),
                            "external" => Ok(GeneratedField::External),
                            "passing" => Ok(GeneratedField::Passing),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Cause;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Cause")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Cause, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut code__ = None;
                let mut state__ = None;
                let mut message__ = None;
                let mut guilty__ = None;
                let mut evidence__ = None;
                let mut below__ = None;
                let mut steps__ = None;
                let mut blocked_by__ = None;
                let mut guilty_missing__ = None;
                let mut cure__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Code => {
                            if code__.is_some() {
                                return Err(serde::de::Error::duplicate_field("code"));
                            }
                            code__ = Some(map_.next_value()?);
                        }
                        GeneratedField::State => {
                            if state__.is_some() {
                                return Err(serde::de::Error::duplicate_field("state"));
                            }
                            state__ = Some(map_.next_value::<operator_diagnosis::State>()? as i32);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Guilty => {
                            if guilty__.is_some() {
                                return Err(serde::de::Error::duplicate_field("guilty"));
                            }
                            guilty__ = map_.next_value()?;
                        }
                        GeneratedField::Evidence => {
                            if evidence__.is_some() {
                                return Err(serde::de::Error::duplicate_field("evidence"));
                            }
                            evidence__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Below => {
                            if below__.is_some() {
                                return Err(serde::de::Error::duplicate_field("below"));
                            }
                            below__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = Some(map_.next_value()?);
                        }
                        GeneratedField::BlockedBy => {
                            if blocked_by__.is_some() {
                                return Err(serde::de::Error::duplicate_field("blockedBy"));
                            }
                            blocked_by__ = map_.next_value()?;
                        }
                        GeneratedField::GuiltyMissing => {
                            if guilty_missing__.is_some() {
                                return Err(serde::de::Error::duplicate_field("guiltyMissing"));
                            }
                            guilty_missing__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Fixable => {
                            if cure__.is_some() {
                                return Err(serde::de::Error::duplicate_field("fixable"));
                            }
                            cure__ = map_.next_value::<::std::option::Option<_>>()?.map(cause::Cure::Fixable)
;
                        }
                        GeneratedField::External => {
                            if cure__.is_some() {
                                return Err(serde::de::Error::duplicate_field("external"));
                            }
                            cure__ = map_.next_value::<::std::option::Option<_>>()?.map(cause::Cure::External)
;
                        }
                        GeneratedField::Passing => {
                            if cure__.is_some() {
                                return Err(serde::de::Error::duplicate_field("passing"));
                            }
                            cure__ = map_.next_value::<::std::option::Option<_>>()?.map(cause::Cure::Passing)
;
                        }
                    }
                }
                Ok(Cause {
                    code: code__.unwrap_or_default(),
                    state: state__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    guilty: guilty__,
                    evidence: evidence__.unwrap_or_default(),
                    below: below__.unwrap_or_default(),
                    steps: steps__.unwrap_or_default(),
                    blocked_by: blocked_by__,
                    guilty_missing: guilty_missing__.unwrap_or_default(),
                    cure: cure__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Cause", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for DiagnoseRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.DiagnoseRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        if true {
            let v = diagnose_request::Kind::try_from(self.kind)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.kind)))?;
            struct_ser.serialize_field("kind", &v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for DiagnoseRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "name",
            "kind",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            Name,
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
                            "namespace" => Ok(GeneratedField::Namespace),
                            "name" => Ok(GeneratedField::Name),
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
            type Value = DiagnoseRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.DiagnoseRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<DiagnoseRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut name__ = None;
                let mut kind__ = None;
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
                        GeneratedField::Kind => {
                            if kind__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kind"));
                            }
                            kind__ = Some(map_.next_value::<diagnose_request::Kind>()? as i32);
                        }
                    }
                }
                Ok(DiagnoseRequest {
                    namespace: namespace__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                    kind: kind__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.DiagnoseRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for diagnose_request::Kind {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Subscription => "SUBSCRIPTION",
            Self::ClusterServiceVersion => "CLUSTER_SERVICE_VERSION",
            Self::Package => "PACKAGE",
            Self::Operator => "OPERATOR",
            Self::InstallPlan => "INSTALL_PLAN",
            Self::Install => "INSTALL",
            Self::OperatorPolicy => "OPERATOR_POLICY",
            Self::Policy => "POLICY",
            Self::PolicyBinding => "POLICY_BINDING",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for diagnose_request::Kind {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "SUBSCRIPTION",
            "CLUSTER_SERVICE_VERSION",
            "PACKAGE",
            "OPERATOR",
            "INSTALL_PLAN",
            "INSTALL",
            "OPERATOR_POLICY",
            "POLICY",
            "POLICY_BINDING",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = diagnose_request::Kind;

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
                    "UNSPECIFIED" => Ok(diagnose_request::Kind::Unspecified),
                    "SUBSCRIPTION" => Ok(diagnose_request::Kind::Subscription),
                    "CLUSTER_SERVICE_VERSION" => Ok(diagnose_request::Kind::ClusterServiceVersion),
                    "PACKAGE" => Ok(diagnose_request::Kind::Package),
                    "OPERATOR" => Ok(diagnose_request::Kind::Operator),
                    "INSTALL_PLAN" => Ok(diagnose_request::Kind::InstallPlan),
                    "INSTALL" => Ok(diagnose_request::Kind::Install),
                    "OPERATOR_POLICY" => Ok(diagnose_request::Kind::OperatorPolicy),
                    "POLICY" => Ok(diagnose_request::Kind::Policy),
                    "POLICY_BINDING" => Ok(diagnose_request::Kind::PolicyBinding),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for DiagnoseResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.DiagnoseResponse", len)?;
        if let Some(v) = self.diagnosis.as_ref() {
            struct_ser.serialize_field("diagnosis", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for DiagnoseResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "diagnosis",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Diagnosis,
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
                            "diagnosis" => Ok(GeneratedField::Diagnosis),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = DiagnoseResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.DiagnoseResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<DiagnoseResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut diagnosis__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Diagnosis => {
                            if diagnosis__.is_some() {
                                return Err(serde::de::Error::duplicate_field("diagnosis"));
                            }
                            diagnosis__ = map_.next_value()?;
                        }
                    }
                }
                Ok(DiagnoseResponse {
                    diagnosis: diagnosis__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.DiagnoseResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Evidence {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Evidence", len)?;
        if let Some(v) = self.object.as_ref() {
            struct_ser.serialize_field("object", v)?;
        }
        if true {
            struct_ser.serialize_field("field", &self.field)?;
        }
        if true {
            struct_ser.serialize_field("value", &self.value)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Evidence {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "object",
            "field",
            "value",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Object,
            Field,
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
                            "object" => Ok(GeneratedField::Object),
                            "field" => Ok(GeneratedField::Field),
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
            type Value = Evidence;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Evidence")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Evidence, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut object__ = None;
                let mut field__ = None;
                let mut value__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = map_.next_value()?;
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
                    }
                }
                Ok(Evidence {
                    object: object__,
                    field: field__.unwrap_or_default(),
                    value: value__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Evidence", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for External {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.External", len)?;
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for External {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "message",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
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
            type Value = External;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.External")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<External, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut message__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(External {
                    message: message__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.External", FIELDS, GeneratedVisitor)
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
        if self.change.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Fix", len)?;
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("risk", &self.risk)?;
        }
        if let Some(v) = self.change.as_ref() {
            match v {
                fix::Change::Command(v) => {
                    struct_ser.serialize_field("command", v)?;
                }
                fix::Change::Manifest(v) => {
                    struct_ser.serialize_field("manifest", v)?;
                }
            }
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
            "message",
            "risk",
            "command",
            "manifest",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Message,
            Risk,
            Command,
            Manifest,
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
                            "message" => Ok(GeneratedField::Message),
                            "risk" => Ok(GeneratedField::Risk),
                            "command" => Ok(GeneratedField::Command),
                            "manifest" => Ok(GeneratedField::Manifest),
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
                formatter.write_str("struct portolan.diagnosis.v1.Fix")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Fix, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut message__ = None;
                let mut risk__ = None;
                let mut change__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Risk => {
                            if risk__.is_some() {
                                return Err(serde::de::Error::duplicate_field("risk"));
                            }
                            risk__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Command => {
                            if change__.is_some() {
                                return Err(serde::de::Error::duplicate_field("command"));
                            }
                            change__ = map_.next_value::<::std::option::Option<_>>()?.map(fix::Change::Command);
                        }
                        GeneratedField::Manifest => {
                            if change__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manifest"));
                            }
                            change__ = map_.next_value::<::std::option::Option<_>>()?.map(fix::Change::Manifest);
                        }
                    }
                }
                Ok(Fix {
                    message: message__.unwrap_or_default(),
                    risk: risk__.unwrap_or_default(),
                    change: change__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Fix", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Fixable {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Fixable", len)?;
        if true {
            struct_ser.serialize_field("fixes", &self.fixes)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Fixable {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "fixes",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
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
            type Value = Fixable;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Fixable")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Fixable, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut fixes__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Fixes => {
                            if fixes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("fixes"));
                            }
                            fixes__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Fixable {
                    fixes: fixes__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Fixable", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for OperatorDiagnosis {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.OperatorDiagnosis", len)?;
        if let Some(v) = self.subject.as_ref() {
            struct_ser.serialize_field("subject", v)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("csv", &self.csv)?;
        }
        if true {
            let v = operator_diagnosis::State::try_from(self.state)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.state)))?;
            struct_ser.serialize_field("state", &v)?;
        }
        if let Some(v) = self.cause.as_ref() {
            struct_ser.serialize_field("cause", v)?;
        }
        if true {
            struct_ser.serialize_field("victims", &self.victims)?;
        }
        if true {
            struct_ser.serialize_field("meanwhile", &self.meanwhile)?;
        }
        if true {
            struct_ser.serialize_field("unknowns", &self.unknowns)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for OperatorDiagnosis {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "subject",
            "package",
            "csv",
            "state",
            "cause",
            "victims",
            "meanwhile",
            "unknowns",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subject,
            Package,
            Csv,
            State,
            Cause,
            Victims,
            Meanwhile,
            Unknowns,
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
                            "subject" => Ok(GeneratedField::Subject),
                            "package" => Ok(GeneratedField::Package),
                            "csv" => Ok(GeneratedField::Csv),
                            "state" => Ok(GeneratedField::State),
                            "cause" => Ok(GeneratedField::Cause),
                            "victims" => Ok(GeneratedField::Victims),
                            "meanwhile" => Ok(GeneratedField::Meanwhile),
                            "unknowns" => Ok(GeneratedField::Unknowns),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = OperatorDiagnosis;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.OperatorDiagnosis")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<OperatorDiagnosis, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subject__ = None;
                let mut package__ = None;
                let mut csv__ = None;
                let mut state__ = None;
                let mut cause__ = None;
                let mut victims__ = None;
                let mut meanwhile__ = None;
                let mut unknowns__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Subject => {
                            if subject__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subject"));
                            }
                            subject__ = map_.next_value()?;
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Csv => {
                            if csv__.is_some() {
                                return Err(serde::de::Error::duplicate_field("csv"));
                            }
                            csv__ = Some(map_.next_value()?);
                        }
                        GeneratedField::State => {
                            if state__.is_some() {
                                return Err(serde::de::Error::duplicate_field("state"));
                            }
                            state__ = Some(map_.next_value::<operator_diagnosis::State>()? as i32);
                        }
                        GeneratedField::Cause => {
                            if cause__.is_some() {
                                return Err(serde::de::Error::duplicate_field("cause"));
                            }
                            cause__ = map_.next_value()?;
                        }
                        GeneratedField::Victims => {
                            if victims__.is_some() {
                                return Err(serde::de::Error::duplicate_field("victims"));
                            }
                            victims__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Meanwhile => {
                            if meanwhile__.is_some() {
                                return Err(serde::de::Error::duplicate_field("meanwhile"));
                            }
                            meanwhile__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Unknowns => {
                            if unknowns__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unknowns"));
                            }
                            unknowns__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(OperatorDiagnosis {
                    subject: subject__,
                    package: package__.unwrap_or_default(),
                    csv: csv__.unwrap_or_default(),
                    state: state__.unwrap_or_default(),
                    cause: cause__,
                    victims: victims__.unwrap_or_default(),
                    meanwhile: meanwhile__.unwrap_or_default(),
                    unknowns: unknowns__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.OperatorDiagnosis", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for operator_diagnosis::State {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Well => "WELL",
            Self::Working => "WORKING",
            Self::Waiting => "WAITING",
            Self::Stuck => "STUCK",
            Self::Broken => "BROKEN",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for operator_diagnosis::State {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "WELL",
            "WORKING",
            "WAITING",
            "STUCK",
            "BROKEN",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = operator_diagnosis::State;

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
                    "UNSPECIFIED" => Ok(operator_diagnosis::State::Unspecified),
                    "WELL" => Ok(operator_diagnosis::State::Well),
                    "WORKING" => Ok(operator_diagnosis::State::Working),
                    "WAITING" => Ok(operator_diagnosis::State::Waiting),
                    "STUCK" => Ok(operator_diagnosis::State::Stuck),
                    "BROKEN" => Ok(operator_diagnosis::State::Broken),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Passing {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let len = 0;
        let struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Passing", len)?;
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Passing {
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
            type Value = Passing;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Passing")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Passing, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                while map_.next_key::<GeneratedField>()?.is_some() {
                    let _ = map_.next_value::<serde::de::IgnoredAny>()?;
                }
                Ok(Passing {
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Passing", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Saying {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Saying", len)?;
        if let Some(v) = self.said.as_ref() {
            struct_ser.serialize_field("said", v)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Saying {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "said",
            "message",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Said,
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
                            "said" => Ok(GeneratedField::Said),
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
            type Value = Saying;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Saying")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Saying, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut said__ = None;
                let mut message__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Said => {
                            if said__.is_some() {
                                return Err(serde::de::Error::duplicate_field("said"));
                            }
                            said__ = map_.next_value()?;
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Saying {
                    said: said__,
                    message: message__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Saying", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Step {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Step", len)?;
        if true {
            let v = step::Purpose::try_from(self.purpose)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.purpose)))?;
            struct_ser.serialize_field("purpose", &v)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("command", &self.command)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Step {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "purpose",
            "message",
            "command",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Purpose,
            Message,
            Command,
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
                            "purpose" => Ok(GeneratedField::Purpose),
                            "message" => Ok(GeneratedField::Message),
                            "command" => Ok(GeneratedField::Command),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Step;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Step")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Step, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut purpose__ = None;
                let mut message__ = None;
                let mut command__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Purpose => {
                            if purpose__.is_some() {
                                return Err(serde::de::Error::duplicate_field("purpose"));
                            }
                            purpose__ = Some(map_.next_value::<step::Purpose>()? as i32);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Command => {
                            if command__.is_some() {
                                return Err(serde::de::Error::duplicate_field("command"));
                            }
                            command__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Step {
                    purpose: purpose__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    command: command__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Step", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for step::Purpose {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Look => "LOOK",
            Self::Again => "AGAIN",
            Self::Anew => "ANEW",
            Self::Check => "CHECK",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for step::Purpose {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "LOOK",
            "AGAIN",
            "ANEW",
            "CHECK",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = step::Purpose;

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
                    "UNSPECIFIED" => Ok(step::Purpose::Unspecified),
                    "LOOK" => Ok(step::Purpose::Look),
                    "AGAIN" => Ok(step::Purpose::Again),
                    "ANEW" => Ok(step::Purpose::Anew),
                    "CHECK" => Ok(step::Purpose::Check),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
