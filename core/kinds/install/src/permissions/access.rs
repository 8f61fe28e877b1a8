//! The request of an access review.

use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, ResourceAttributes, SubjectAccessReviewSpec,
};

/// One access that a user may have: a verb on a resource, or on a non-resource path. A
/// SubjectAccessReview checks it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    pub verb: String,
    pub group: String,
    /// The resource, with its subresource if there is one: `deployments/scale`.
    pub resource: String,
    /// The namespace. None for the whole cluster.
    pub namespace: Option<String>,
    /// The object name. None for all names.
    pub name: Option<String>,
    /// A non-resource path. If it is set, all other fields except the verb are empty.
    pub path: Option<String>,
}

// === impl Access ===

impl Access {
    /// Returns the spec of the SubjectAccessReview for a user.
    pub fn review(&self, user: &str, groups: &[String]) -> SubjectAccessReviewSpec {
        let of_path = |path: &String| NonResourceAttributes {
            path: Some(path.clone()),
            verb: Some(self.verb.clone()),
        };
        SubjectAccessReviewSpec {
            user: Some(user.to_owned()),
            groups: Some(groups.to_vec()),
            resource_attributes: self.path.is_none().then(|| self.of_resource()),
            non_resource_attributes: self.path.as_ref().map(of_path),
            ..SubjectAccessReviewSpec::default()
        }
    }

    fn of_resource(&self) -> ResourceAttributes {
        let (resource, subresource) = match self.resource.split_once('/') {
            Some((resource, subresource)) => (resource, Some(subresource.to_owned())),
            None => (self.resource.as_str(), None),
        };
        ResourceAttributes {
            verb: Some(self.verb.clone()),
            group: Some(self.group.clone()),
            resource: Some(resource.to_owned()),
            subresource,
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            ..ResourceAttributes::default()
        }
    }
}
