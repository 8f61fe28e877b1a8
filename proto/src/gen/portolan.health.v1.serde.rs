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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.Catalog", len)?;
        if let Some(v) = self.subject.as_ref() {
            struct_ser.serialize_field("subject", v)?;
        }
        if true {
            struct_ser.serialize_field("connectionState", &self.connection_state)?;
        }
        if let Some(v) = self.probe.as_ref() {
            struct_ser.serialize_field("probe", v)?;
        }
        if let Some(v) = self.verdict.as_ref() {
            struct_ser.serialize_field("verdict", v)?;
        }
        if true {
            struct_ser.serialize_field("facts", &self.facts)?;
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
            "subject",
            "connection_state",
            "connectionState",
            "probe",
            "verdict",
            "facts",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subject,
            ConnectionState,
            Probe,
            Verdict,
            Facts,
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
                            "connectionState" | "connection_state" => Ok(GeneratedField::ConnectionState),
                            "probe" => Ok(GeneratedField::Probe),
                            "verdict" => Ok(GeneratedField::Verdict),
                            "facts" => Ok(GeneratedField::Facts),
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
                formatter.write_str("struct portolan.health.v1.Catalog")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Catalog, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subject__ = None;
                let mut connection_state__ = None;
                let mut probe__ = None;
                let mut verdict__ = None;
                let mut facts__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Subject => {
                            if subject__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subject"));
                            }
                            subject__ = map_.next_value()?;
                        }
                        GeneratedField::ConnectionState => {
                            if connection_state__.is_some() {
                                return Err(serde::de::Error::duplicate_field("connectionState"));
                            }
                            connection_state__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Probe => {
                            if probe__.is_some() {
                                return Err(serde::de::Error::duplicate_field("probe"));
                            }
                            probe__ = map_.next_value()?;
                        }
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = map_.next_value()?;
                        }
                        GeneratedField::Facts => {
                            if facts__.is_some() {
                                return Err(serde::de::Error::duplicate_field("facts"));
                            }
                            facts__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Catalog {
                    subject: subject__,
                    connection_state: connection_state__.unwrap_or_default(),
                    probe: probe__,
                    verdict: verdict__,
                    facts: facts__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.Catalog", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Fact {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.Fact", len)?;
        if let Some(v) = self.observed.as_ref() {
            struct_ser.serialize_field("observed", v)?;
        }
        if true {
            let v = verdict::State::try_from(self.state)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.state)))?;
            struct_ser.serialize_field("state", &v)?;
        }
        if true {
            struct_ser.serialize_field("code", &self.code)?;
        }
        if true {
            struct_ser.serialize_field("message", &self.message)?;
        }
        if true {
            struct_ser.serialize_field("detail", &self.detail)?;
        }
        if true {
            struct_ser.serialize_field("remark", &self.remark)?;
        }
        if true {
            struct_ser.serialize_field("facts", &self.facts)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Fact {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "observed",
            "state",
            "code",
            "message",
            "detail",
            "remark",
            "facts",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Observed,
            State,
            Code,
            Message,
            Detail,
            Remark,
            Facts,
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
                            "state" => Ok(GeneratedField::State),
                            "code" => Ok(GeneratedField::Code),
                            "message" => Ok(GeneratedField::Message),
                            "detail" => Ok(GeneratedField::Detail),
                            "remark" => Ok(GeneratedField::Remark),
                            "facts" => Ok(GeneratedField::Facts),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Fact;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.Fact")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Fact, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut observed__ = None;
                let mut state__ = None;
                let mut code__ = None;
                let mut message__ = None;
                let mut detail__ = None;
                let mut remark__ = None;
                let mut facts__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Observed => {
                            if observed__.is_some() {
                                return Err(serde::de::Error::duplicate_field("observed"));
                            }
                            observed__ = map_.next_value()?;
                        }
                        GeneratedField::State => {
                            if state__.is_some() {
                                return Err(serde::de::Error::duplicate_field("state"));
                            }
                            state__ = Some(map_.next_value::<verdict::State>()? as i32);
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
                        GeneratedField::Detail => {
                            if detail__.is_some() {
                                return Err(serde::de::Error::duplicate_field("detail"));
                            }
                            detail__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Remark => {
                            if remark__.is_some() {
                                return Err(serde::de::Error::duplicate_field("remark"));
                            }
                            remark__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Facts => {
                            if facts__.is_some() {
                                return Err(serde::de::Error::duplicate_field("facts"));
                            }
                            facts__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Fact {
                    observed: observed__,
                    state: state__.unwrap_or_default(),
                    code: code__.unwrap_or_default(),
                    message: message__.unwrap_or_default(),
                    detail: detail__.unwrap_or_default(),
                    remark: remark__.unwrap_or_default(),
                    facts: facts__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.Fact", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetCatalogRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.GetCatalogRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if true {
            struct_ser.serialize_field("name", &self.name)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetCatalogRequest {
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
            type Value = GetCatalogRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.GetCatalogRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetCatalogRequest, V::Error>
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
                Ok(GetCatalogRequest {
                    namespace: namespace__.unwrap_or_default(),
                    name: name__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.GetCatalogRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetCatalogResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.GetCatalogResponse", len)?;
        if let Some(v) = self.catalog.as_ref() {
            struct_ser.serialize_field("catalog", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetCatalogResponse {
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
            type Value = GetCatalogResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.GetCatalogResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetCatalogResponse, V::Error>
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
                            catalog__ = map_.next_value()?;
                        }
                    }
                }
                Ok(GetCatalogResponse {
                    catalog: catalog__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.GetCatalogResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetOperatorRequest {
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
        if self.handle.is_some() {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.GetOperatorRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
        }
        if let Some(v) = self.handle.as_ref() {
            match v {
                get_operator_request::Handle::Name(v) => {
                    struct_ser.serialize_field("name", v)?;
                }
                get_operator_request::Handle::Csv(v) => {
                    struct_ser.serialize_field("csv", v)?;
                }
                get_operator_request::Handle::Subscription(v) => {
                    struct_ser.serialize_field("subscription", v)?;
                }
                get_operator_request::Handle::Package(v) => {
                    struct_ser.serialize_field("package", v)?;
                }
                get_operator_request::Handle::Operator(v) => {
                    struct_ser.serialize_field("operator", v)?;
                }
                get_operator_request::Handle::ClusterExtension(v) => {
                    struct_ser.serialize_field("clusterExtension", v)?;
                }
                get_operator_request::Handle::Install(v) => {
                    struct_ser.serialize_field("install", v)?;
                }
                get_operator_request::Handle::InstallPlan(v) => {
                    struct_ser.serialize_field("installPlan", v)?;
                }
            }
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetOperatorRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "name",
            "csv",
            "subscription",
            "package",
            "operator",
            "cluster_extension",
            "clusterExtension",
            "install",
            "install_plan",
            "installPlan",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
            Name,
            Csv,
            Subscription,
            Package,
            Operator,
            ClusterExtension,
            Install,
            InstallPlan,
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
                            "csv" => Ok(GeneratedField::Csv),
                            "subscription" => Ok(GeneratedField::Subscription),
                            "package" => Ok(GeneratedField::Package),
                            "operator" => Ok(GeneratedField::Operator),
                            "clusterExtension" | "cluster_extension" => Ok(GeneratedField::ClusterExtension),
                            "install" => Ok(GeneratedField::Install),
                            "installPlan" | "install_plan" => Ok(GeneratedField::InstallPlan),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = GetOperatorRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.GetOperatorRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetOperatorRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut handle__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Name => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("name"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::Name);
                        }
                        GeneratedField::Csv => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("csv"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::Csv);
                        }
                        GeneratedField::Subscription => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subscription"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::Subscription);
                        }
                        GeneratedField::Package => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("package"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::Package);
                        }
                        GeneratedField::Operator => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operator"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::Operator);
                        }
                        GeneratedField::ClusterExtension => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("clusterExtension"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::ClusterExtension);
                        }
                        GeneratedField::Install => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("install"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::Install);
                        }
                        GeneratedField::InstallPlan => {
                            if handle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("installPlan"));
                            }
                            handle__ = map_.next_value::<::std::option::Option<_>>()?.map(get_operator_request::Handle::InstallPlan);
                        }
                    }
                }
                Ok(GetOperatorRequest {
                    namespace: namespace__.unwrap_or_default(),
                    handle: handle__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.GetOperatorRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for GetOperatorResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.GetOperatorResponse", len)?;
        if let Some(v) = self.operator.as_ref() {
            struct_ser.serialize_field("operator", v)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for GetOperatorResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "operator",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
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
            type Value = GetOperatorResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.GetOperatorResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<GetOperatorResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut operator__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Operator => {
                            if operator__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operator"));
                            }
                            operator__ = map_.next_value()?;
                        }
                    }
                }
                Ok(GetOperatorResponse {
                    operator: operator__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.GetOperatorResponse", FIELDS, GeneratedVisitor)
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.ListCatalogsRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
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
            type Value = ListCatalogsRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.ListCatalogsRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListCatalogsRequest, V::Error>
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
                Ok(ListCatalogsRequest {
                    namespace: namespace__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.ListCatalogsRequest", FIELDS, GeneratedVisitor)
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.ListCatalogsResponse", len)?;
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
                formatter.write_str("struct portolan.health.v1.ListCatalogsResponse")
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
        deserializer.deserialize_struct("portolan.health.v1.ListCatalogsResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListOperatorsRequest {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.ListOperatorsRequest", len)?;
        if true {
            struct_ser.serialize_field("namespace", &self.namespace)?;
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
impl<'de> serde::Deserialize<'de> for ListOperatorsRequest {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "namespace",
            "page_size",
            "pageSize",
            "page_token",
            "pageToken",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Namespace,
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
                            "namespace" => Ok(GeneratedField::Namespace),
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
            type Value = ListOperatorsRequest;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.ListOperatorsRequest")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListOperatorsRequest, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut namespace__ = None;
                let mut page_size__ = None;
                let mut page_token__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Namespace => {
                            if namespace__.is_some() {
                                return Err(serde::de::Error::duplicate_field("namespace"));
                            }
                            namespace__ = Some(map_.next_value()?);
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
                Ok(ListOperatorsRequest {
                    namespace: namespace__.unwrap_or_default(),
                    page_size: page_size__.unwrap_or_default(),
                    page_token: page_token__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.ListOperatorsRequest", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for ListOperatorsResponse {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.ListOperatorsResponse", len)?;
        if true {
            struct_ser.serialize_field("operators", &self.operators)?;
        }
        if true {
            struct_ser.serialize_field("nextPageToken", &self.next_page_token)?;
        }
        if true {
            struct_ser.serialize_field("unread", &self.unread)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for ListOperatorsResponse {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "operators",
            "next_page_token",
            "nextPageToken",
            "unread",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Operators,
            NextPageToken,
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
                            "operators" => Ok(GeneratedField::Operators),
                            "nextPageToken" | "next_page_token" => Ok(GeneratedField::NextPageToken),
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
            type Value = ListOperatorsResponse;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.ListOperatorsResponse")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<ListOperatorsResponse, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut operators__ = None;
                let mut next_page_token__ = None;
                let mut unread__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Operators => {
                            if operators__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operators"));
                            }
                            operators__ = Some(map_.next_value()?);
                        }
                        GeneratedField::NextPageToken => {
                            if next_page_token__.is_some() {
                                return Err(serde::de::Error::duplicate_field("nextPageToken"));
                            }
                            next_page_token__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Unread => {
                            if unread__.is_some() {
                                return Err(serde::de::Error::duplicate_field("unread"));
                            }
                            unread__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(ListOperatorsResponse {
                    operators: operators__.unwrap_or_default(),
                    next_page_token: next_page_token__.unwrap_or_default(),
                    unread: unread__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.ListOperatorsResponse", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for Operator {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.Operator", len)?;
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
            struct_ser.serialize_field("version", &self.version)?;
        }
        if true {
            struct_ser.serialize_field("replaces", &self.replaces)?;
        }
        if true {
            struct_ser.serialize_field("phase", &self.phase)?;
        }
        if true {
            struct_ser.serialize_field("phaseReason", &self.phase_reason)?;
        }
        if true {
            struct_ser.serialize_field("phaseMessage", &self.phase_message)?;
        }
        if true {
            struct_ser.serialize_field("catalog", &self.catalog)?;
        }
        if let Some(v) = self.verdict.as_ref() {
            struct_ser.serialize_field("verdict", v)?;
        }
        if true {
            struct_ser.serialize_field("facts", &self.facts)?;
        }
        if true {
            struct_ser.serialize_field("channel", &self.channel)?;
        }
        if true {
            struct_ser.serialize_field("installed", &self.installed)?;
        }
        if true {
            let v = operator::Manager::try_from(self.manager)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.manager)))?;
            struct_ser.serialize_field("manager", &v)?;
        }
        if true {
            struct_ser.serialize_field("policy", &self.policy)?;
        }
        if true {
            struct_ser.serialize_field("bundle", &self.bundle)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Operator {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "subject",
            "package",
            "csv",
            "version",
            "replaces",
            "phase",
            "phase_reason",
            "phaseReason",
            "phase_message",
            "phaseMessage",
            "catalog",
            "verdict",
            "facts",
            "channel",
            "installed",
            "manager",
            "policy",
            "bundle",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subject,
            Package,
            Csv,
            Version,
            Replaces,
            Phase,
            PhaseReason,
            PhaseMessage,
            Catalog,
            Verdict,
            Facts,
            Channel,
            Installed,
            Manager,
            Policy,
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
                            "subject" => Ok(GeneratedField::Subject),
                            "package" => Ok(GeneratedField::Package),
                            "csv" => Ok(GeneratedField::Csv),
                            "version" => Ok(GeneratedField::Version),
                            "replaces" => Ok(GeneratedField::Replaces),
                            "phase" => Ok(GeneratedField::Phase),
                            "phaseReason" | "phase_reason" => Ok(GeneratedField::PhaseReason),
                            "phaseMessage" | "phase_message" => Ok(GeneratedField::PhaseMessage),
                            "catalog" => Ok(GeneratedField::Catalog),
                            "verdict" => Ok(GeneratedField::Verdict),
                            "facts" => Ok(GeneratedField::Facts),
                            "channel" => Ok(GeneratedField::Channel),
                            "installed" => Ok(GeneratedField::Installed),
                            "manager" => Ok(GeneratedField::Manager),
                            "policy" => Ok(GeneratedField::Policy),
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
            type Value = Operator;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.Operator")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Operator, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subject__ = None;
                let mut package__ = None;
                let mut csv__ = None;
                let mut version__ = None;
                let mut replaces__ = None;
                let mut phase__ = None;
                let mut phase_reason__ = None;
                let mut phase_message__ = None;
                let mut catalog__ = None;
                let mut verdict__ = None;
                let mut facts__ = None;
                let mut channel__ = None;
                let mut installed__ = None;
                let mut manager__ = None;
                let mut policy__ = None;
                let mut bundle__ = None;
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
                        GeneratedField::PhaseReason => {
                            if phase_reason__.is_some() {
                                return Err(serde::de::Error::duplicate_field("phaseReason"));
                            }
                            phase_reason__ = Some(map_.next_value()?);
                        }
                        GeneratedField::PhaseMessage => {
                            if phase_message__.is_some() {
                                return Err(serde::de::Error::duplicate_field("phaseMessage"));
                            }
                            phase_message__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Catalog => {
                            if catalog__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            catalog__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Verdict => {
                            if verdict__.is_some() {
                                return Err(serde::de::Error::duplicate_field("verdict"));
                            }
                            verdict__ = map_.next_value()?;
                        }
                        GeneratedField::Facts => {
                            if facts__.is_some() {
                                return Err(serde::de::Error::duplicate_field("facts"));
                            }
                            facts__ = Some(map_.next_value()?);
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
                        GeneratedField::Manager => {
                            if manager__.is_some() {
                                return Err(serde::de::Error::duplicate_field("manager"));
                            }
                            manager__ = Some(map_.next_value::<operator::Manager>()? as i32);
                        }
                        GeneratedField::Policy => {
                            if policy__.is_some() {
                                return Err(serde::de::Error::duplicate_field("policy"));
                            }
                            policy__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Bundle => {
                            if bundle__.is_some() {
                                return Err(serde::de::Error::duplicate_field("bundle"));
                            }
                            bundle__ = Some(map_.next_value()?);
                        }
                    }
                }
                Ok(Operator {
                    subject: subject__,
                    package: package__.unwrap_or_default(),
                    csv: csv__.unwrap_or_default(),
                    version: version__.unwrap_or_default(),
                    replaces: replaces__.unwrap_or_default(),
                    phase: phase__.unwrap_or_default(),
                    phase_reason: phase_reason__.unwrap_or_default(),
                    phase_message: phase_message__.unwrap_or_default(),
                    catalog: catalog__.unwrap_or_default(),
                    verdict: verdict__,
                    facts: facts__.unwrap_or_default(),
                    channel: channel__.unwrap_or_default(),
                    installed: installed__.unwrap_or_default(),
                    manager: manager__.unwrap_or_default(),
                    policy: policy__.unwrap_or_default(),
                    bundle: bundle__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.Operator", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for operator::Manager {
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
impl<'de> serde::Deserialize<'de> for operator::Manager {
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
            type Value = operator::Manager;

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
                    "UNSPECIFIED" => Ok(operator::Manager::Unspecified),
                    "OLM" => Ok(operator::Manager::Olm),
                    "OPERATOR" => Ok(operator::Manager::Operator),
                    "CLUSTER_EXTENSION" => Ok(operator::Manager::ClusterExtension),
                    "INSTALL" => Ok(operator::Manager::Install),
                    "INSTALL_PLAN" => Ok(operator::Manager::InstallPlan),
                    _ => Err(serde::de::Error::unknown_variant(value, FIELDS)),
                }
            }
        }
        deserializer.deserialize_any(GeneratedVisitor)
    }
}
impl serde::Serialize for Probe {
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.Probe", len)?;
        if true {
            struct_ser.serialize_field("address", &self.address)?;
        }
        if true {
            let v = probe::Outcome::try_from(self.outcome)
                .map_err(|_| serde::ser::Error::custom(format!("Invalid variant {}", self.outcome)))?;
            struct_ser.serialize_field("outcome", &v)?;
        }
        if true {
            struct_ser.serialize_field("since", &self.since)?;
        }
        if true {
            struct_ser.serialize_field("answered", &self.answered)?;
        }
        if true {
            struct_ser.serialize_field("connected", &self.connected)?;
        }
        if true {
            struct_ser.serialize_field("packages", &self.packages)?;
        }
        struct_ser.end()
    }
}
impl<'de> serde::Deserialize<'de> for Probe {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "address",
            "outcome",
            "since",
            "answered",
            "connected",
            "packages",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Address,
            Outcome,
            Since,
            Answered,
            Connected,
            Packages,
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
                            "address" => Ok(GeneratedField::Address),
                            "outcome" => Ok(GeneratedField::Outcome),
                            "since" => Ok(GeneratedField::Since),
                            "answered" => Ok(GeneratedField::Answered),
                            "connected" => Ok(GeneratedField::Connected),
                            "packages" => Ok(GeneratedField::Packages),
                            _ => Err(serde::de::Error::unknown_field(value, FIELDS)),
                        }
                    }
                }
                deserializer.deserialize_identifier(GeneratedVisitor)
            }
        }
        struct GeneratedVisitor;
        impl<'de> serde::de::Visitor<'de> for GeneratedVisitor {
            type Value = Probe;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("struct portolan.health.v1.Probe")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<Probe, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut address__ = None;
                let mut outcome__ = None;
                let mut since__ = None;
                let mut answered__ = None;
                let mut connected__ = None;
                let mut packages__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Address => {
                            if address__.is_some() {
                                return Err(serde::de::Error::duplicate_field("address"));
                            }
                            address__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Outcome => {
                            if outcome__.is_some() {
                                return Err(serde::de::Error::duplicate_field("outcome"));
                            }
                            outcome__ = Some(map_.next_value::<probe::Outcome>()? as i32);
                        }
                        GeneratedField::Since => {
                            if since__.is_some() {
                                return Err(serde::de::Error::duplicate_field("since"));
                            }
                            since__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Answered => {
                            if answered__.is_some() {
                                return Err(serde::de::Error::duplicate_field("answered"));
                            }
                            answered__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Connected => {
                            if connected__.is_some() {
                                return Err(serde::de::Error::duplicate_field("connected"));
                            }
                            connected__ = Some(map_.next_value()?);
                        }
                        GeneratedField::Packages => {
                            if packages__.is_some() {
                                return Err(serde::de::Error::duplicate_field("packages"));
                            }
                            packages__ = 
                                Some(map_.next_value::<::pbjson::private::NumberDeserialize<_>>()?.0)
                            ;
                        }
                    }
                }
                Ok(Probe {
                    address: address__.unwrap_or_default(),
                    outcome: outcome__.unwrap_or_default(),
                    since: since__.unwrap_or_default(),
                    answered: answered__.unwrap_or_default(),
                    connected: connected__.unwrap_or_default(),
                    packages: packages__.unwrap_or_default(),
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.Probe", FIELDS, GeneratedVisitor)
    }
}
impl serde::Serialize for probe::Outcome {
    #[allow(deprecated)]
    fn serialize<S>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>
    where
        S: serde::Serializer,
    {
        let variant = match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::NotProbed => "NOT_PROBED",
            Self::Pending => "PENDING",
            Self::Answered => "ANSWERED",
            Self::Failed => "FAILED",
        };
        serializer.serialize_str(variant)
    }
}
impl<'de> serde::Deserialize<'de> for probe::Outcome {
    #[allow(deprecated)]
    fn deserialize<D>(deserializer: D) -> std::result::Result<Self, D::Error>
    where
        D: serde::Deserializer<'de>,
    {
        const FIELDS: &[&str] = &[
            "UNSPECIFIED",
            "NOT_PROBED",
            "PENDING",
            "ANSWERED",
            "FAILED",
        ];

        struct GeneratedVisitor;

        impl serde::de::Visitor<'_> for GeneratedVisitor {
            type Value = probe::Outcome;

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
                    "UNSPECIFIED" => Ok(probe::Outcome::Unspecified),
                    "NOT_PROBED" => Ok(probe::Outcome::NotProbed),
                    "PENDING" => Ok(probe::Outcome::Pending),
                    "ANSWERED" => Ok(probe::Outcome::Answered),
                    "FAILED" => Ok(probe::Outcome::Failed),
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
        let mut len = 0;
        if true {
            len += 1;
        }
        if true {
            len += 1;
        }
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.Verdict", len)?;
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
                formatter.write_str("struct portolan.health.v1.Verdict")
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
        deserializer.deserialize_struct("portolan.health.v1.Verdict", FIELDS, GeneratedVisitor)
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.WatchRequest", len)?;
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
                formatter.write_str("struct portolan.health.v1.WatchRequest")
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
        deserializer.deserialize_struct("portolan.health.v1.WatchRequest", FIELDS, GeneratedVisitor)
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.WatchResponse", len)?;
        if true {
            struct_ser.serialize_field("epoch", &self.epoch)?;
        }
        if true {
            struct_ser.serialize_field("revision", &self.revision)?;
        }
        if let Some(v) = self.event.as_ref() {
            match v {
                watch_response::Event::Operator(v) => {
                    struct_ser.serialize_field("operator", v)?;
                }
                watch_response::Event::Catalog(v) => {
                    struct_ser.serialize_field("catalog", v)?;
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
            "operator",
            "catalog",
            "gone",
            "synced",
            "reset",
            "heartbeat",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Epoch,
            Revision,
            Operator,
            Catalog,
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
                            "operator" => Ok(GeneratedField::Operator),
                            "catalog" => Ok(GeneratedField::Catalog),
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
                formatter.write_str("struct portolan.health.v1.WatchResponse")
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
                        GeneratedField::Operator => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("operator"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_response::Event::Operator)
;
                        }
                        GeneratedField::Catalog => {
                            if event__.is_some() {
                                return Err(serde::de::Error::duplicate_field("catalog"));
                            }
                            event__ = map_.next_value::<::std::option::Option<_>>()?.map(watch_response::Event::Catalog)
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
        deserializer.deserialize_struct("portolan.health.v1.WatchResponse", FIELDS, GeneratedVisitor)
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
        let mut struct_ser = serializer.serialize_struct("portolan.health.v1.WatchResponse.Gone", len)?;
        if let Some(v) = self.subject.as_ref() {
            struct_ser.serialize_field("subject", v)?;
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
            "subject",
        ];

        #[allow(clippy::enum_variant_names)]
        enum GeneratedField {
            Subject,
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
                formatter.write_str("struct portolan.health.v1.WatchResponse.Gone")
            }

            fn visit_map<V>(self, mut map_: V) -> std::result::Result<watch_response::Gone, V::Error>
                where
                    V: serde::de::MapAccess<'de>,
            {
                let mut subject__ = None;
                while let Some(k) = map_.next_key()? {
                    match k {
                        GeneratedField::Subject => {
                            if subject__.is_some() {
                                return Err(serde::de::Error::duplicate_field("subject"));
                            }
                            subject__ = map_.next_value()?;
                        }
                    }
                }
                Ok(watch_response::Gone {
                    subject: subject__,
                })
            }
        }
        deserializer.deserialize_struct("portolan.health.v1.WatchResponse.Gone", FIELDS, GeneratedVisitor)
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
        let struct_ser = serializer.serialize_struct("portolan.health.v1.WatchResponse.Heartbeat", len)?;
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
                formatter.write_str("struct portolan.health.v1.WatchResponse.Heartbeat")
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
        deserializer.deserialize_struct("portolan.health.v1.WatchResponse.Heartbeat", FIELDS, GeneratedVisitor)
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
        let struct_ser = serializer.serialize_struct("portolan.health.v1.WatchResponse.Reset", len)?;
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
                formatter.write_str("struct portolan.health.v1.WatchResponse.Reset")
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
        deserializer.deserialize_struct("portolan.health.v1.WatchResponse.Reset", FIELDS, GeneratedVisitor)
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
        let struct_ser = serializer.serialize_struct("portolan.health.v1.WatchResponse.Synced", len)?;
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
                formatter.write_str("struct portolan.health.v1.WatchResponse.Synced")
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
        deserializer.deserialize_struct("portolan.health.v1.WatchResponse.Synced", FIELDS, GeneratedVisitor)
    }
}
