//! The kinds of Portolan with their API groups, for references to objects.
//!
//! Other projects have kinds with the same names, such as OLM's InstallPlan. The API group
//! distinguishes them.

/// The kind of an [`Operator`](crate::operator::Operator).
pub const OPERATOR: &str = "Operator.operators.operatorframework.io";
/// The kind of an [`InstallPlan`](crate::plan::InstallPlan).
pub const INSTALL_PLAN: &str = "InstallPlan.plans.portolan.dev";
/// The kind of an [`Install`](crate::installs::Install).
pub const INSTALL: &str = "Install.operators.coreos.com";
/// The kind of a [`Policy`](crate::policy::Policy).
pub const POLICY: &str = "Policy.operators.operatorframework.io";
/// The kind of a [`PolicyBinding`](crate::policy::PolicyBinding).
pub const POLICY_BINDING: &str = "PolicyBinding.operators.operatorframework.io";

/// The name of the APIService for the Installed API.
pub const INSTALLED_API_SERVICE: &str = "v2alpha1.packages.operators.coreos.com";

#[cfg(test)]
mod tests {
    use kube_core::Resource;

    use super::*;
    use crate::installs::Install;
    use crate::operator::Operator;
    use crate::plan::InstallPlan;
    use crate::policy::{Policy, PolicyBinding};

    fn qualified<K: Resource<DynamicType = ()>>() -> String {
        format!("{}.{}", K::kind(&()), K::group(&()))
    }

    #[test]
    fn constants_match_the_kinds() {
        assert_eq!(OPERATOR, qualified::<Operator>());
        assert_eq!(INSTALL_PLAN, qualified::<InstallPlan>());
        assert_eq!(INSTALL, qualified::<Install>());
        assert_eq!(POLICY, qualified::<Policy>());
        assert_eq!(POLICY_BINDING, qualified::<PolicyBinding>());
    }
}
