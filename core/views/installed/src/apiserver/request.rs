//! Parses requests: the method, the path and the query parameters.

use crate::apiserver::document::Document;
use crate::apiserver::query::{QueryParameters, decoded};
use crate::apiserver::status::Status;
use crate::{FieldSelector, GROUP, RESOURCE, VERSION};

/// The verb of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Get an object by its name.
    Get,
    /// List objects.
    List,
    /// Watch for changes.
    Watch,
    /// A verb that the server does not support. Contains the name of the verb in roles.
    Write(&'static str),
}

/// The resource or document that a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A health check, for which users need no permission.
    Health(Health),
    /// A document that describes the server.
    Document(Document),
    /// One or more Installed objects.
    Installed {
        /// The namespace. None for all namespaces.
        namespace: Option<String>,
        /// The name of the object. None for all objects.
        name: Option<String>,
    },
    /// A path that the server does not know.
    Nothing,
}

/// A health check of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Liveness: the server is running.
    Live,
    /// Readiness: the server can respond to requests.
    Ready,
}

/// A parsed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The verb.
    pub verb: Verb,
    /// The resource or document.
    pub subject: Subject,
    /// The path, as the client sent it.
    pub path: String,
    /// The query parameters.
    pub query: QueryParameters,
}

/// The attributes of a SubjectAccessReview, which decides whether the caller may send the request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attributes {
    /// A request for objects.
    Resource {
        /// The verb.
        verb: &'static str,
        /// The API group.
        group: &'static str,
        /// The API version.
        version: &'static str,
        /// The resource.
        resource: &'static str,
        /// The namespace. Empty for all namespaces.
        namespace: String,
        /// The name of the object. Empty for all objects.
        name: String,
    },
    /// A request for a path that is not a resource.
    Path {
        /// The verb.
        verb: &'static str,
        /// The path.
        path: String,
    },
}

// === impl Verb ===

impl Verb {
    /// Returns the name of the verb in roles.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Write(verb) => verb,
        }
    }
}

// === impl Request ===

impl Request {
    /// Parses a request from its method, path and query.
    ///
    /// # Errors
    /// Returns an error if the server does not know the method.
    pub fn parse(method: &str, path: &str, query: &str) -> Result<Self, Status> {
        let query = QueryParameters::parse(query);
        let subject = Subject::of(path);
        let has_name = matches!(&subject, Subject::Installed { name: Some(_), .. });
        let is_resource = matches!(&subject, Subject::Installed { .. });
        let verb = match method {
            "GET" | "HEAD" if has_name || !is_resource => Verb::Get,
            "GET" | "HEAD" if query.claims("watch") => Verb::Watch,
            "GET" | "HEAD" => Verb::List,
            "POST" => Verb::Write("create"),
            "PUT" => Verb::Write("update"),
            "PATCH" => Verb::Write("patch"),
            "DELETE" if has_name || !is_resource => Verb::Write("delete"),
            "DELETE" => Verb::Write("deletecollection"),
            _ => return Err(Status::method_not_allowed()),
        };
        Ok(Self {
            verb,
            subject,
            path: path.to_owned(),
            query,
        })
    }

    /// Returns the attributes for an access review. Returns None if the request needs no
    /// permission.
    pub fn attributes(&self) -> Option<Attributes> {
        match &self.subject {
            Subject::Health(_) => None,
            Subject::Installed { namespace, name } => {
                let name = name.clone().or_else(|| self.selected_name());
                Some(Attributes::resource(
                    self.verb.as_str(),
                    namespace.as_deref().unwrap_or_default(),
                    &name.unwrap_or_default(),
                ))
            }
            Subject::Document(_) | Subject::Nothing => Some(Attributes::Path {
                verb: match self.verb {
                    Verb::Get | Verb::List | Verb::Watch => "get",
                    Verb::Write("create") => "post",
                    Verb::Write("update") => "put",
                    Verb::Write(verb) => verb,
                },
                path: self.path.clone(),
            }),
        }
    }

    /// Returns the name that the field selector requires. A role may give access to a single name,
    /// so the access review then includes this name.
    fn selected_name(&self) -> Option<String> {
        let selector: FieldSelector = self.query.first("fieldSelector")?.parse().ok()?;
        selector.name().map(str::to_owned)
    }
}

// === impl Attributes ===

impl Attributes {
    /// Returns the attributes for a request for Installed objects.
    pub fn resource(verb: &'static str, namespace: &str, name: &str) -> Self {
        Self::Resource {
            verb,
            group: GROUP,
            version: VERSION,
            resource: RESOURCE,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Returns the attributes for the permission to get the Subscriptions of a namespace, or of all
    /// namespaces. Users with this permission may see the values of environment variables in
    /// Subscriptions.
    pub fn subscriptions(namespace: &str) -> Self {
        Self::Resource {
            verb: "get",
            group: "operators.coreos.com",
            version: "v1alpha1",
            resource: "subscriptions",
            namespace: namespace.to_owned(),
            name: String::new(),
        }
    }

    /// Returns the verb.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Resource { verb, .. } | Self::Path { verb, .. } => verb,
        }
    }
}

// === impl Subject ===

impl Subject {
    fn of(path: &str) -> Self {
        let path = path.strip_suffix('/').unwrap_or(path);
        let parts: Vec<_> = path.split('/').skip(1).collect();
        let text = |part: &&str| Some(decoded(part, false)).filter(|text| !text.is_empty());
        match &parts[..] {
            ["livez" | "healthz"] => Self::Health(Health::Live),
            ["readyz"] => Self::Health(Health::Ready),
            ["version"] => Self::Document(Document::Version),
            ["apis"] => Self::Document(Document::Groups),
            ["apis", GROUP] => Self::Document(Document::Group),
            ["apis", GROUP, VERSION] => Self::Document(Document::Resources),
            ["openapi", "v2"] => Self::Document(Document::OpenApi2),
            ["openapi", "v3"] => Self::Document(Document::OpenApi3Paths),
            ["openapi", "v3", "apis", GROUP, VERSION] => Self::Document(Document::OpenApi3),
            ["apis", GROUP, VERSION, RESOURCE] => Self::Installed {
                namespace: None,
                name: None,
            },
            ["apis", GROUP, VERSION, "namespaces", namespace, RESOURCE] => match text(namespace) {
                Some(namespace) => Self::Installed {
                    namespace: Some(namespace),
                    name: None,
                },
                None => Self::Nothing,
            },
            [
                "apis",
                GROUP,
                VERSION,
                "namespaces",
                namespace,
                RESOURCE,
                name,
            ] => match (text(namespace), text(name)) {
                (Some(namespace), Some(name)) => Self::Installed {
                    namespace: Some(namespace),
                    name: Some(name),
                },
                _ => Self::Nothing,
            },
            _ => Self::Nothing,
        }
    }
}
