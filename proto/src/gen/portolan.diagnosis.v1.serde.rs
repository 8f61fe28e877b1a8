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
        if true {
            struct_ser.serialize_field("quotes", &self.quotes)?;
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
            "quotes",
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
            Quotes,
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
                            "quotes" => Ok(GeneratedField::Quotes),
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
                let mut quotes__ = None;
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
                        GeneratedField::Quotes => {
                            if quotes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("quotes"));
                            }
                            quotes__ = Some(map_.next_value()?);
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
                    quotes: quotes__.unwrap_or_default(),
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
impl serde::Serialize for ListReadinessRequest {
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
        if self.target.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ListReadinessRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if let Some(v) = self.target.as_ref() {
            match v {
                list_readiness_request::Target::Openshift(v) => {
                    struct_ser.serialize_field("openshift", v)?;
                }
                list_readiness_request::Target::Kubernetes(v) => {
                    struct_ser.serialize_field("kubernetes", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListReadinessRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "from",
            "openshift",
            "kubernetes",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            From,
            Openshift,
            Kubernetes,
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
                            "from" => Ok(GeneratedField::From),
                            "openshift" => Ok(GeneratedField::Openshift),
                            "kubernetes" => Ok(GeneratedField::Kubernetes),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ListReadinessRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ListReadinessRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListReadinessRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut from__ = None;
                let mut target__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::From => {
                            if from__.is_some() {
                                return Err(serde::de::Error::duplicate_field("from"));
                            }
                            from__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Openshift => {
                            if target__.is_some() {
                                return Err(serde::de::Error::duplicate_field("openshift"));
                            }
                            target__ = map_.next_value::<::std::option::Option<_>>()?.map(list_readiness_request::Target::Openshift);
                        }
                        GeneratedField::Kubernetes => {
                            if target__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kubernetes"));
                            }
                            target__ = map_.next_value::<::std::option::Option<_>>()?.map(list_readiness_request::Target::Kubernetes);
                        }
                    }
                }
                Ok(ListReadinessRequest {
                    namespace: namespace__.unwrap_or_default(),
                    from: from__.unwrap_or_default(),
                    target: target__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ListReadinessRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListReadinessResponse {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        use serde::ser::SerializeStruct;
        let mut len = 0;
        if self.content.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ListReadinessResponse", len)?;
        if let Some(v) = self.content.as_ref() {
            match v {
                list_readiness_response::Content::Overview(v) => {
                    struct_ser.serialize_field("overview", v)?;
                }
                list_readiness_response::Content::Operator(v) => {
                    struct_ser.serialize_field("operator", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListReadinessResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "overview",
            "operator",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Overview,
            Operator,
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
                            "overview" => Ok(GeneratedField::Overview),
                            "operator" => Ok(GeneratedField::Operator),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ListReadinessResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ListReadinessResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListReadinessResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut content__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Overview => {
                            if content__.is_some() {
                                return Err(serde::de::Error::duplicate_field("overview"));
                            }
                            content__ = map_.next_value::<::std::option::Option<_>>()?.map(list_readiness_response::Content::Overview)
;
                        }
                        GeneratedField::Operator => {
                            if content__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operator"));
                            }
                            content__ = map_.next_value::<::std::option::Option<_>>()?.map(list_readiness_response::Content::Operator)
;
                        }
                    }
                }
                Ok(ListReadinessResponse {
                    content: content__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ListReadinessResponse", FIELDS, GeneratedVisitor)
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
impl serde::Serialize for OperatorReadiness {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.OperatorReadiness", len)?;
        if let Some(v) = self.subject.as_ref() {
            struct_ser.serialize_field("subject", v)?;
        }
        if true {
            let v = operator_readiness::Manager::try_from(self.manager)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.manager)))?;
            struct_ser.serialize_field("manager", &v)?;
        }
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("package", &self.package)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if true {
            let v = operator_readiness::Verdict::try_from(self.verdict)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.verdict)))?;
            struct_ser.serialize_field("verdict", &v)?;
        }
        if true {
            struct_ser.serialize_field("reasons", &self.reasons)?;
        }
        if true {
            struct_ser.serialize_field("updates", &self.updates)?;
        }
        if let Some(v) = self.after.as_ref() {
            struct_ser.serialize_field("after", v)?;
        }
        if true {
            struct_ser.serialize_field("channelThen", &self.channel_then)?;
        }
        if true {
            struct_ser.serialize_field("blocks", &self.blocks)?;
        }
        if true {
            struct_ser.serialize_field("heldUpBy", &self.held_up_by)?;
        }
        if true {
            struct_ser.serialize_field("steps", &self.steps)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for OperatorReadiness {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "subject",
            "manager",
            "namespace",
            "package",
            "catalog",
            "installed",
            "verdict",
            "reasons",
            "updates",
            "after",
            "channel_then",
            "channelThen",
            "blocks",
            "held_up_by",
            "heldUpBy",
            "steps",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subject,
            Manager,
            Namespace,
            Package,
            Catalog,
            Installed,
            Verdict,
            Reasons,
            Updates,
            After,
            ChannelThen,
            Blocks,
            HeldUpBy,
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
                            "subject" => Ok(GeneratedField::Subject),
                            "manager" => Ok(GeneratedField::Manager),
                            "namespace" => Ok(GeneratedField::Namespace),
                            "package" => Ok(GeneratedField::Package),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "installed" => Ok(GeneratedField::Installed),
                            "verdict" => Ok(GeneratedField::Verdict),
                            "reasons" => Ok(GeneratedField::Reasons),
                            "updates" => Ok(GeneratedField::Updates),
                            "after" => Ok(GeneratedField::After),
                            "channelThen" | "channel_then" => Ok(GeneratedField::ChannelThen),
                            "blocks" => Ok(GeneratedField::Blocks),
                            "heldUpBy" | "held_up_by" => Ok(GeneratedField::HeldUpBy),
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
            type Value = OperatorReadiness;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.OperatorReadiness")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<OperatorReadiness, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subject__ = None;
                let mut manager__ = None;
                let mut namespace__ = None;
                let mut package__ = None;
                let mut catalog__ = None;
                let mut installed__ = None;
                let mut verdict__ = None;
                let mut reasons__ = None;
                let mut updates__ = None;
                let mut after__ = None;
                let mut channel_then__ = None;
                let mut blocks__ = None;
                let mut held_up_by__ = None;
                let mut steps__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Subject => {
                            if subject__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subject"));
                            }
                            subject__ = map_.next_value()?;
                        }
                        GeneratedField::Manager => {
                            if manager__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manager"));
                            }
                            manager__ = Some(map_.next_value::<operator_readiness::Manager>()? as i32);
                        }
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Package => {
                            if package__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            package__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Installed => {
                            if installed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installed"));
                            }
                            installed__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = Some(map_.next_value::<operator_readiness::Verdict>()? as i32);
                        }
                        GeneratedField::Reasons => {
                            if reasons__.is_some() {
                                return Err(serde::de::Error::duplicate_field("reasons"));
                            }
                            reasons__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Updates => {
                            if updates__.is_some() {
                                return Err(serde::de::Error::duplicate_field("updates"));
                            }
                            updates__ = Some(map_.next_value()?);
                        }
                        GeneratedField::After => {
                            if after__.is_some() {
                                return Err(serde::de::Error::duplicate_field("after"));
                            }
                            after__ = map_.next_value()?;
                        }
                        GeneratedField::ChannelThen => {
                            if channel_then__.is_some() {
                                return Err(serde::de::Error::duplicate_field("channelThen"));
                            }
                            channel_then__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Blocks => {
                            if blocks__.is_some() {
                                return Err(serde::de::Error::duplicate_field("blocks"));
                            }
                            blocks__ = Some(map_.next_value()?);
                        }
                        GeneratedField::HeldUpBy => {
                            if held_up_by__.is_some() {
                                return Err(serde::de::Error::duplicate_field("heldUpBy"));
                            }
                            held_up_by__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Steps => {
                            if steps__.is_some() {
                                return Err(serde::de::Error::duplicate_field("steps"));
                            }
                            steps__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(OperatorReadiness {
                    subject: subject__,
                    manager: manager__.unwrap_or_default(),
                    namespace: namespace__.unwrap_or_default(),
                    package: package__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    verdict: verdict__.unwrap_or_default(),
                    reasons: reasons__.unwrap_or_default(),
                    updates: updates__.unwrap_or_default(),
                    after: after__,
                    channel_then: channel_then__.unwrap_or_default(),
                    blocks: blocks__.unwrap_or_default(),
                    held_up_by: held_up_by__.unwrap_or_default(),
                    steps: steps__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.OperatorReadiness", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for operator_readiness::Manager {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Olm => "OLM",
            Self::Operator => "OPERATOR",
            Self::ClusterExtension => "CLUSTER_EXTENSION",
            Self::Install => "INSTALL",
            Self::InstallPlan => "INSTALL_PLAN",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for operator_readiness::Manager {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "OLM",
            "OPERATOR",
            "CLUSTER_EXTENSION",
            "INSTALL",
            "INSTALL_PLAN",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = operator_readiness::Manager;

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
                    "UNSPECIFIED" => Ok(operator_readiness::Manager::Unspecified),
                    "OLM" => Ok(operator_readiness::Manager::Olm),
                    "OPERATOR" => Ok(operator_readiness::Manager::Operator),
                    "CLUSTER_EXTENSION" => Ok(operator_readiness::Manager::ClusterExtension),
                    "INSTALL" => Ok(operator_readiness::Manager::Install),
                    "INSTALL_PLAN" => Ok(operator_readiness::Manager::InstallPlan),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for operator_readiness::Verdict {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "VERDICT_UNSPECIFIED",
            Self::Ready => "READY",
            Self::UpdateFirst => "UPDATE_FIRST",
            Self::UpdateBetween => "UPDATE_BETWEEN",
            Self::SwitchChannelFirst => "SWITCH_CHANNEL_FIRST",
            Self::SwitchChannelAfter => "SWITCH_CHANNEL_AFTER",
            Self::NotReinstallable => "NOT_REINSTALLABLE",
            Self::Stranded => "STRANDED",
            Self::PackageGone => "PACKAGE_GONE",
            Self::Blocked => "BLOCKED",
            Self::NotChecked => "NOT_CHECKED",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for operator_readiness::Verdict {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "VERDICT_UNSPECIFIED",
            "READY",
            "UPDATE_FIRST",
            "UPDATE_BETWEEN",
            "SWITCH_CHANNEL_FIRST",
            "SWITCH_CHANNEL_AFTER",
            "NOT_REINSTALLABLE",
            "STRANDED",
            "PACKAGE_GONE",
            "BLOCKED",
            "NOT_CHECKED",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = operator_readiness::Verdict;

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
                    "VERDICT_UNSPECIFIED" => Ok(operator_readiness::Verdict::Unspecified),
                    "READY" => Ok(operator_readiness::Verdict::Ready),
                    "UPDATE_FIRST" => Ok(operator_readiness::Verdict::UpdateFirst),
                    "UPDATE_BETWEEN" => Ok(operator_readiness::Verdict::UpdateBetween),
                    "SWITCH_CHANNEL_FIRST" => Ok(operator_readiness::Verdict::SwitchChannelFirst),
                    "SWITCH_CHANNEL_AFTER" => Ok(operator_readiness::Verdict::SwitchChannelAfter),
                    "NOT_REINSTALLABLE" => Ok(operator_readiness::Verdict::NotReinstallable),
                    "STRANDED" => Ok(operator_readiness::Verdict::Stranded),
                    "PACKAGE_GONE" => Ok(operator_readiness::Verdict::PackageGone),
                    "BLOCKED" => Ok(operator_readiness::Verdict::Blocked),
                    "NOT_CHECKED" => Ok(operator_readiness::Verdict::NotChecked),
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
impl serde::Serialize for Quote {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.Quote", len)?;
        if true {
            struct_ser.serialize_field("source", &self.source)?;
        }
        if true {
            struct_ser.serialize_field("text", &self.text)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Quote {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "source",
            "text",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Source,
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
                            "source" => Ok(GeneratedField::Source),
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
            type Value = Quote;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.Quote")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Quote, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut source__ = None;
                let mut text__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Source => {
                            if source__.is_some() {
                                return Err(serde::de::Error::duplicate_field("source"));
                            }
                            source__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Text => {
                            if text__.is_some() {
                                return Err(serde::de::Error::duplicate_field("text"));
                            }
                            text__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Quote {
                    source: source__.unwrap_or_default(),
                    text: text__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.Quote", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReadinessGoal {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ReadinessGoal", len)?;
        if true {
            struct_ser.serialize_field("leaves", &self.leaves)?;
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
impl<'de> serde::Deserialize<'de> for ReadinessGoal {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "leaves",
            "channel",
            "catalog",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Leaves,
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
                            "leaves" => Ok(GeneratedField::Leaves),
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
            type Value = ReadinessGoal;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ReadinessGoal")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReadinessGoal, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut leaves__ = None;
                let mut channel__ = None;
                let mut catalog__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Leaves => {
                            if leaves__.is_some() {
                                return Err(serde::de::Error::duplicate_field("leaves"));
                            }
                            leaves__ = Some(map_.next_value()?);
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
                Ok(ReadinessGoal {
                    leaves: leaves__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ReadinessGoal", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReadinessNote {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ReadinessNote", len)?;
        if true {
            struct_ser.serialize_field("object", &self.object)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReadinessNote {
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
            type Value = ReadinessNote;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ReadinessNote")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReadinessNote, V::Error>
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
                            object__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReadinessNote {
                    object: object__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ReadinessNote", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReadinessOverview {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ReadinessOverview", len)?;
        if true {
            struct_ser.serialize_field("from", &self.from)?;
        }
        if true {
            struct_ser.serialize_field("to", &self.to)?;
        }
        if true {
            struct_ser.serialize_field("kubernetes", &self.kubernetes)?;
        }
        if true {
            struct_ser.serialize_field("notes", &self.notes)?;
        }
        if true {
            struct_ser.serialize_field("unread", &self.unread)?;
        }
        if true {
            struct_ser.serialize_field("notChecked", &self.not_checked)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReadinessOverview {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "from",
            "to",
            "kubernetes",
            "notes",
            "unread",
            "not_checked",
            "notChecked",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            From,
            To,
            Kubernetes,
            Notes,
            Unread,
            NotChecked,
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
                            "kubernetes" => Ok(GeneratedField::Kubernetes),
                            "notes" => Ok(GeneratedField::Notes),
                            "unread" => Ok(GeneratedField::Unread),
                            "notChecked" | "not_checked" => Ok(GeneratedField::NotChecked),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReadinessOverview;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ReadinessOverview")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReadinessOverview, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut from__ = None;
                let mut to__ = None;
                let mut kubernetes__ = None;
                let mut notes__ = None;
                let mut unread__ = None;
                let mut not_checked__ = None;
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
                        GeneratedField::Kubernetes => {
                            if kubernetes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("kubernetes"));
                            }
                            kubernetes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Notes => {
                            if notes__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notes"));
                            }
                            notes__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Unread => {
                            if unread__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unread"));
                            }
                            unread__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NotChecked => {
                            if not_checked__.is_some() {
                                return Err(serde::de::Error::duplicate_field("notChecked"));
                            }
                            not_checked__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReadinessOverview {
                    from: from__.unwrap_or_default(),
                    to: to__.unwrap_or_default(),
                    kubernetes: kubernetes__.unwrap_or_default(),
                    notes: notes__.unwrap_or_default(),
                    unread: unread__.unwrap_or_default(),
                    not_checked: not_checked__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ReadinessOverview", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReadinessReason {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ReadinessReason", len)?;
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if let Some(v) = self.object.as_ref() {
            struct_ser.serialize_field("object", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReadinessReason {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "code",
            "message",
            "object",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Code,
            Message,
            Object,
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
                            "object" => Ok(GeneratedField::Object),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReadinessReason;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ReadinessReason")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReadinessReason, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut code__ = None;
                let mut message__ = None;
                let mut object__ = None;
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
                        GeneratedField::Object => {
                            if object__.is_some() {
                                return Err(serde::de::Error::duplicate_field("object"));
                            }
                            object__ = map_.next_value()?;
                        }
                    }
                }
                Ok(ReadinessReason {
                    code: code__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    object: object__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ReadinessReason", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ReadinessStep {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ReadinessStep", len)?;
        if true {
            let v = readiness_step::When::try_from(self.when)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.when)))?;
            struct_ser.serialize_field("when", &v)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("who", &self.who)?;
        }
        if true {
            struct_ser.serialize_field("command", &self.command)?;
        }
        if true {
            struct_ser.serialize_field("isDetail", &self.is_detail)?;
        }
        if true {
            struct_ser.serialize_field("manifest", &self.manifest)?;
        }
        if let Some(v) = self.goal.as_ref() {
            struct_ser.serialize_field("goal", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReadinessStep {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "when",
            "message",
            "who",
            "command",
            "is_detail",
            "isDetail",
            "manifest",
            "goal",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            When,
            Message,
            Who,
            Command,
            IsDetail,
            Manifest,
            Goal,
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
                            "when" => Ok(GeneratedField::When),
                            "message" => Ok(GeneratedField::Message),
                            "who" => Ok(GeneratedField::Who),
                            "command" => Ok(GeneratedField::Command),
                            "isDetail" | "is_detail" => Ok(GeneratedField::IsDetail),
                            "manifest" => Ok(GeneratedField::Manifest),
                            "goal" => Ok(GeneratedField::Goal),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = ReadinessStep;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ReadinessStep")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReadinessStep, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut when__ = None;
                let mut message__ = None;
                let mut who__ = None;
                let mut command__ = None;
                let mut is_detail__ = None;
                let mut manifest__ = None;
                let mut goal__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::When => {
                            if when__.is_some() {
                                return Err(serde::de::Error::duplicate_field("when"));
                            }
                            when__ = Some(map_.next_value::<readiness_step::When>()? as i32);
                        }
                        GeneratedField::Message => {
                            if message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("message"));
                            }
                            message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Who => {
                            if who__.is_some() {
                                return Err(serde::de::Error::duplicate_field("who"));
                            }
                            who__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Command => {
                            if command__.is_some() {
                                return Err(serde::de::Error::duplicate_field("command"));
                            }
                            command__ = Some(map_.next_value()?);
                        }
                        GeneratedField::IsDetail => {
                            if is_detail__.is_some() {
                                return Err(serde::de::Error::duplicate_field("isDetail"));
                            }
                            is_detail__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Manifest => {
                            if manifest__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manifest"));
                            }
                            manifest__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Goal => {
                            if goal__.is_some() {
                                return Err(serde::de::Error::duplicate_field("goal"));
                            }
                            goal__ = map_.next_value()?;
                        }
                    }
                }
                Ok(ReadinessStep {
                    when: when__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    who: who__.unwrap_or_default(),
                    command: command__.unwrap_or_default(),
                    is_detail: is_detail__.unwrap_or_default(),
                    manifest: manifest__.unwrap_or_default(),
                    goal: goal__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ReadinessStep", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for readiness_step::When {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Before => "BEFORE",
            Self::Blocks => "BLOCKS",
            Self::Between => "BETWEEN",
            Self::After => "AFTER",
            Self::Note => "NOTE",
            Self::NotChecked => "NOT_CHECKED",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for readiness_step::When {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "BEFORE",
            "BLOCKS",
            "BETWEEN",
            "AFTER",
            "NOTE",
            "NOT_CHECKED",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = readiness_step::When;

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
                    "UNSPECIFIED" => Ok(readiness_step::When::Unspecified),
                    "BEFORE" => Ok(readiness_step::When::Before),
                    "BLOCKS" => Ok(readiness_step::When::Blocks),
                    "BETWEEN" => Ok(readiness_step::When::Between),
                    "AFTER" => Ok(readiness_step::When::After),
                    "NOTE" => Ok(readiness_step::When::Note),
                    "NOT_CHECKED" => Ok(readiness_step::When::NotChecked),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for ReadinessUpdates {
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
        let mut struct_ser = serializer.serialize_struct("portolan.diagnosis.v1.ReadinessUpdates", len)?;
        if true {
            struct_ser.serialize_field("release", &self.release)?;
        }
        if true {
            struct_ser.serialize_field("bundles", &self.bundles)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ReadinessUpdates {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "release",
            "bundles",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Release,
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
                            "release" => Ok(GeneratedField::Release),
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
            type Value = ReadinessUpdates;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.diagnosis.v1.ReadinessUpdates")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ReadinessUpdates, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut release__ = None;
                let mut bundles__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Release => {
                            if release__.is_some() {
                                return Err(serde::de::Error::duplicate_field("release"));
                            }
                            release__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Bundles => {
                            if bundles__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundles"));
                            }
                            bundles__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ReadinessUpdates {
                    release: release__.unwrap_or_default(),
                    bundles: bundles__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.diagnosis.v1.ReadinessUpdates", FIELDS, GeneratedVisitor)
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
