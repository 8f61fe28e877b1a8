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
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        if true {
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
        if let Some(v) = self.at_fault.as_ref() {
            struct_ser.serialize_field("atFault", v)?;
        }
        if true {
            struct_ser.serialize_field("atFaultMissing", &self.at_fault_missing)?;
        }
        if let Some(v) = self.responsible.as_ref() {
            struct_ser.serialize_field("responsible", v)?;
        }
        if let Some(v) = self.confidence.as_ref() {
            struct_ser.serialize_field("confidence", v)?;
        }
        if let Some(v) = self.remedy.as_ref() {
            struct_ser.serialize_field("remedy", v)?;
        }
        if true {
            struct_ser.serialize_field("evidence", &self.evidence)?;
        }
        if true {
            struct_ser.serialize_field("below", &self.below)?;
        }
        if let Some(v) = self.blocked_by.as_ref() {
            struct_ser.serialize_field("blockedBy", v)?;
        }
        if true {
            struct_ser.serialize_field("alsoAtFault", &self.also_at_fault)?;
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
            "at_fault",
            "atFault",
            "at_fault_missing",
            "atFaultMissing",
            "responsible",
            "confidence",
            "remedy",
            "evidence",
            "below",
            "blocked_by",
            "blockedBy",
            "also_at_fault",
            "alsoAtFault",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Code,
            State,
            Message,
            AtFault,
            AtFaultMissing,
            Responsible,
            Confidence,
            Remedy,
            Evidence,
            Below,
            BlockedBy,
            AlsoAtFault,
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
                            "atFault" | "at_fault" => Ok(GeneratedField::AtFault),
                            "atFaultMissing" | "at_fault_missing" => Ok(GeneratedField::AtFaultMissing),
                            "responsible" => Ok(GeneratedField::Responsible),
                            "confidence" => Ok(GeneratedField::Confidence),
                            "remedy" => Ok(GeneratedField::Remedy),
                            "evidence" => Ok(GeneratedField::Evidence),
                            "below" => Ok(GeneratedField::Below),
                            "blockedBy" | "blocked_by" => Ok(GeneratedField::BlockedBy),
                            "alsoAtFault" | "also_at_fault" => Ok(GeneratedField::AlsoAtFault),
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
                let mut at_fault__ = None;
                let mut at_fault_missing__ = None;
                let mut responsible__ = None;
                let mut confidence__ = None;
                let mut remedy__ = None;
                let mut evidence__ = None;
                let mut below__ = None;
                let mut blocked_by__ = None;
                let mut also_at_fault__ = None;
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
                        GeneratedField::AtFault => {
                            if at_fault__.is_some() {
                                return Err(serde::de::Error::duplicate_field("atFault"));
                            }
                            at_fault__ = map_.next_value()?;
                        }
                        GeneratedField::AtFaultMissing => {
                            if at_fault_missing__.is_some() {
                                return Err(serde::de::Error::duplicate_field("atFaultMissing"));
                            }
                            at_fault_missing__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Responsible => {
                            if responsible__.is_some() {
                                return Err(serde::de::Error::duplicate_field("responsible"));
                            }
                            responsible__ = map_.next_value()?;
                        }
                        GeneratedField::Confidence => {
                            if confidence__.is_some() {
                                return Err(serde::de::Error::duplicate_field("confidence"));
                            }
                            confidence__ = map_.next_value()?;
                        }
                        GeneratedField::Remedy => {
                            if remedy__.is_some() {
                                return Err(serde::de::Error::duplicate_field("remedy"));
                            }
                            remedy__ = map_.next_value()?;
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
                        GeneratedField::BlockedBy => {
                            if blocked_by__.is_some() {
                                return Err(serde::de::Error::duplicate_field("blockedBy"));
                            }
                            blocked_by__ = map_.next_value()?;
                        }
                        GeneratedField::AlsoAtFault => {
                            if also_at_fault__.is_some() {
                                return Err(serde::de::Error::duplicate_field("alsoAtFault"));
                            }
                            also_at_fault__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Cause {
                    code: code__.unwrap_or_default(),
                    state: state__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    at_fault: at_fault__,
                    at_fault_missing: at_fault_missing__.unwrap_or_default(),
                    responsible: responsible__,
                    confidence: confidence__,
                    remedy: remedy__,
                    evidence: evidence__.unwrap_or_default(),
                    below: below__.unwrap_or_default(),
                    blocked_by: blocked_by__,
                    also_at_fault: also_at_fault__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Cause", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Confidence {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Confidence", len)?;
        if true {
            let v = confidence::Certainty::try_from(self.certainty)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.certainty)))?;
            struct_ser.serialize_field("certainty", &v)?;
        }
        if true {
            struct_ser.serialize_field("reason", &self.reason)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Confidence {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "certainty",
            "reason",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Certainty,
            Reason,
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
                            "certainty" => Ok(GeneratedField::Certainty),
                            "reason" => Ok(GeneratedField::Reason),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Confidence;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Confidence")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Confidence, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut certainty__ = None;
                let mut reason__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Certainty => {
                            if certainty__.is_some() {
                                return Err(serde::de::Error::duplicate_field("certainty"));
                            }
                            certainty__ = Some(map_.next_value::<confidence::Certainty>()? as i32);
                        }
                        GeneratedField::Reason => {
                            if reason__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reason"));
                            }
                            reason__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Confidence {
                    certainty: certainty__.unwrap_or_default(),
                    reason: reason__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Confidence", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for confidence::Certainty {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Unknown => "UNKNOWN",
            Self::Likely => "LIKELY",
            Self::Proved => "PROVED",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for confidence::Certainty {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "UNKNOWN",
            "LIKELY",
            "PROVED",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = confidence::Certainty;

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
                    "UNSPECIFIED" => Ok(confidence::Certainty::Unspecified),
                    "UNKNOWN" => Ok(confidence::Certainty::Unknown),
                    "LIKELY" => Ok(confidence::Certainty::Likely),
                    "PROVED" => Ok(confidence::Certainty::Proved),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
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
            Self::ComponentOperator => "COMPONENT_OPERATOR",
            Self::ClusterExtension => "CLUSTER_EXTENSION",
            Self::ClusterCatalog => "CLUSTER_CATALOG",
            Self::Component => "COMPONENT",
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
            "COMPONENT_OPERATOR",
            "CLUSTER_EXTENSION",
            "CLUSTER_CATALOG",
            "COMPONENT",
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
                    "COMPONENT_OPERATOR" => Ok(diagnose_request::Kind::ComponentOperator),
                    "CLUSTER_EXTENSION" => Ok(diagnose_request::Kind::ClusterExtension),
                    "CLUSTER_CATALOG" => Ok(diagnose_request::Kind::ClusterCatalog),
                    "COMPONENT" => Ok(diagnose_request::Kind::Component),
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
        if true {
            struct_ser.serialize_field("headline", &self.headline)?;
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
            "headline",
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
            Headline,
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
                            "headline" => Ok(GeneratedField::Headline),
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
                let mut headline__ = None;
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
                        GeneratedField::Headline => {
                            if headline__.is_some() {
                                return Err(serde::de::Error::duplicate_field("headline"));
                            }
                            headline__ = Some(map_.next_value()?);
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
                    headline: headline__.unwrap_or_default(),
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
impl serde::Serialize for Procedure {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Procedure", len)?;
        if true {
            struct_ser.serialize_field("title", &self.title)?;
        }
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        if true {
            struct_ser.serialize_field("deletes", &self.deletes)?;
        }
        if true {
            struct_ser.serialize_field("keeps", &self.keeps)?;
        }
        if true {
            struct_ser.serialize_field("risk", &self.risk)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Procedure {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "title",
            "steps",
            "deletes",
            "keeps",
            "risk",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Title,
            Steps,
            Deletes,
            Keeps,
            Risk,
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
                            "title" => Ok(GeneratedField::Title),
                            "steps" => Ok(GeneratedField::Steps),
                            "deletes" => Ok(GeneratedField::Deletes),
                            "keeps" => Ok(GeneratedField::Keeps),
                            "risk" => Ok(GeneratedField::Risk),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Procedure;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Procedure")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Procedure, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut title__ = None;
                let mut steps__ = None;
                let mut deletes__ = None;
                let mut keeps__ = None;
                let mut risk__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Title => {
                            if title__.is_some() {
                                return Err(serde::de::Error::duplicate_field("title"));
                            }
                            title__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Deletes => {
                            if deletes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("deletes"));
                            }
                            deletes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Keeps => {
                            if keeps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("keeps"));
                            }
                            keeps__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Risk => {
                            if risk__.is_some() {
                                return Err(serde::de::Error::duplicate_field("risk"));
                            }
                            risk__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Procedure {
                    title: title__.unwrap_or_default(),
                    steps: steps__.unwrap_or_default(),
                    deletes: deletes__.unwrap_or_default(),
                    keeps: keeps__.unwrap_or_default(),
                    risk: risk__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Procedure", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Remedy {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Remedy", len)?;
        if true {
            struct_ser.serialize_field("look", &self.look)?;
        }
        if let Some(v) = self.fix.as_ref() {
            struct_ser.serialize_field("fix", v)?;
        }
        if true {
            struct_ser.serialize_field("decide", &self.decide)?;
        }
        if true {
            struct_ser.serialize_field("later", &self.later)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Remedy {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "look",
            "fix",
            "decide",
            "later",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Look,
            Fix,
            Decide,
            Later,
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
                            "look" => Ok(GeneratedField::Look),
                            "fix" => Ok(GeneratedField::Fix),
                            "decide" => Ok(GeneratedField::Decide),
                            "later" => Ok(GeneratedField::Later),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Remedy;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Remedy")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Remedy, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut look__ = None;
                let mut fix__ = None;
                let mut decide__ = None;
                let mut later__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Look => {
                            if look__.is_some() {
                                return Err(serde::de::Error::duplicate_field("look"));
                            }
                            look__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Fix => {
                            if fix__.is_some() {
                                return Err(serde::de::Error::duplicate_field("fix"));
                            }
                            fix__ = map_.next_value()?;
                        }
                        GeneratedField::Decide => {
                            if decide__.is_some() {
                                return Err(serde::de::Error::duplicate_field("decide"));
                            }
                            decide__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Later => {
                            if later__.is_some() {
                                return Err(serde::de::Error::duplicate_field("later"));
                            }
                            later__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Remedy {
                    look: look__.unwrap_or_default(),
                    fix: fix__,
                    decide: decide__.unwrap_or_default(),
                    later: later__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Remedy", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Responsible {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Responsible", len)?;
        if true {
            struct_ser.serialize_field("who", &self.who)?;
        }
        if true {
            struct_ser.serialize_field("action", &self.action)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Responsible {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "who",
            "action",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Who,
            Action,
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
                            "who" => Ok(GeneratedField::Who),
                            "action" => Ok(GeneratedField::Action),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Responsible;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Responsible")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Responsible, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut who__ = None;
                let mut action__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Who => {
                            if who__.is_some() {
                                return Err(serde::de::Error::duplicate_field("who"));
                            }
                            who__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Action => {
                            if action__.is_some() {
                                return Err(serde::de::Error::duplicate_field("action"));
                            }
                            action__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Responsible {
                    who: who__.unwrap_or_default(),
                    action: action__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Responsible", FIELDS, GeneratedVisitor)
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
        if self.action.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Step", len)?;
        if true {
            struct_ser.serialize_field("comment", &self.comment)?;
        }
        if let Some(v) = self.action.as_ref() {
            match v {
                step::Action::Command(v) => {
                    struct_ser.serialize_field("command", v)?;
                }
                step::Action::Manifest(v) => {
                    struct_ser.serialize_field("manifest", v)?;
                }
            }
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
            "comment",
            "command",
            "manifest",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Comment,
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
                            "comment" => Ok(GeneratedField::Comment),
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
            type Value = Step;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Step")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Step, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut comment__ = None;
                let mut action__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Comment => {
                            if comment__.is_some() {
                                return Err(serde::de::Error::duplicate_field("comment"));
                            }
                            comment__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Command => {
                            if action__.is_some() {
                                return Err(serde::de::Error::duplicate_field("command"));
                            }
                            action__ = map_.next_value::<::std::option::Option<_>>()?.map(step::Action::Command);
                        }
                        GeneratedField::Manifest => {
                            if action__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manifest"));
                            }
                            action__ = map_.next_value::<::std::option::Option<_>>()?.map(step::Action::Manifest);
                        }
                    }
                }
                Ok(Step {
                    comment: comment__.unwrap_or_default(),
                    action: action__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Step", FIELDS, GeneratedVisitor)
    }
}
