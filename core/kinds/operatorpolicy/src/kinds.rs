//! The API versions and kinds of the objects that policies manage.

/// The API version and the kind.
pub(crate) type ApiKind = (&'static str, &'static str);

pub(crate) const CATALOG_SOURCE: ApiKind = ("operators.coreos.com/v1alpha1", "CatalogSource");
pub(crate) const CSV: ApiKind = ("operators.coreos.com/v1alpha1", "ClusterServiceVersion");
pub(crate) const CRD: ApiKind = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");
pub(crate) const DEPLOYMENT: ApiKind = ("apps/v1", "Deployment");
pub(crate) const INSTALL_PLAN: ApiKind = ("operators.coreos.com/v1alpha1", "InstallPlan");
pub(crate) const NAMESPACE: ApiKind = ("v1", "Namespace");
pub(crate) const OPERATOR_GROUP: ApiKind = ("operators.coreos.com/v1", "OperatorGroup");
pub(crate) const SERVICE_ACCOUNT: ApiKind = ("v1", "ServiceAccount");
pub(crate) const SUBSCRIPTION: ApiKind = ("operators.coreos.com/v1alpha1", "Subscription");
