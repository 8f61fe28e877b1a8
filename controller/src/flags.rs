//! The flags of the controller.

use std::collections::BTreeSet;

use clap::Args;
use clap::builder::BoolishValueParser;
use portolan_api::operator::CATALOG_NAMESPACES;
use portolan_plans::grants::ApprovalKey;
use portolan_runtime::{LeaseFlags, LeaseName};
use portolan_shell::{Credentials, ProbeFlags};
use portolan_world::WorldFlags;

/// The default namespace of the ServiceAccounts of Installs.
const INSTALLS_NAMESPACE: &str = "portolan-installs";

/// The settings of the controller.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The source of the policies and of the objects that the policies affect: a cluster or files.
    /// With files, the controller only reports what it would do.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// The services that the controller queries.
    #[command(flatten)]
    pub services: ServiceFlags,

    /// The flags of policies, including the permission to write.
    #[command(flatten)]
    pub policies: PolicyFlags,

    /// The flags of the other controllers.
    #[command(flatten)]
    pub controllers: ControllerFlags,

    /// The flags of leader election.
    #[command(flatten)]
    pub lease: LeaseFlags,

    /// The address for probes and metrics.
    #[command(flatten)]
    pub probes: ProbeFlags,
}

/// The flags of the controller, without the flags about services and probes.
#[derive(Debug, Clone)]
pub struct ControllerConfig {
    /// The source of the policies and of the objects that the policies affect.
    pub objects: WorldFlags,
    /// The flags of policies.
    pub policies: PolicyFlags,
    /// The flags of the other controllers.
    pub controllers: ControllerFlags,
    /// The flags of leader election.
    pub lease: LeaseFlags,
    /// The names of the controllers that do not run even if the flags enable them.
    pub off: BTreeSet<&'static str>,
}

/// The services that the controller queries, and its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(next_help_heading = "Services")]
pub struct ServiceFlags {
    /// URL of the resolver.
    #[arg(
        long,
        env = "PORTOLAN_RESOLVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:50051"
    )]
    pub resolver: String,

    /// URL of health.
    #[arg(
        long,
        env = "PORTOLAN_HEALTH",
        value_name = "URL",
        default_value = "http://127.0.0.1:50052"
    )]
    pub health: String,

    /// URL of approval.
    #[arg(
        long,
        env = "PORTOLAN_APPROVAL",
        value_name = "URL",
        default_value = "http://127.0.0.1:50053"
    )]
    pub approval: String,

    /// The certificate authorities of the services, and the credentials of the controller.
    #[command(flatten)]
    pub credentials: Credentials,
}

/// The flags of policies, including the permission to write.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Policies")]
pub struct PolicyFlags {
    /// Enforce policies: install, approve, change and remove operators on the cluster, and write
    /// statuses and events. Without --enforce, nothing is written. In a Pod, either --enforce or
    /// --read-only is required.
    #[arg(
        long,
        env = "PORTOLAN_ENFORCE",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["read_only", "world"]
    )]
    pub enforce: bool,

    /// Write nothing. Only report the state, and what would change.
    #[arg(long, env = "PORTOLAN_READ_ONLY", value_parser = BoolishValueParser::new())]
    pub read_only: bool,

    /// With --enforce: enforce policies even if another controller writes their statuses, or their
    /// CRD belongs to another controller.
    #[arg(
        long,
        env = "PORTOLAN_TAKE_OVER",
        value_parser = BoolishValueParser::new(),
        conflicts_with = "read_only"
    )]
    pub take_over: bool,

    /// Namespace for operators whose policy and bundle do not specify a namespace.
    #[arg(long, env = "PORTOLAN_DEFAULT_NAMESPACE", value_name = "NAME")]
    pub default_namespace: Option<String>,

    /// Reconcile policies and plans, and issue certificates, only in this namespace.
    #[arg(long, env = "PORTOLAN_ONLY_NAMESPACE", value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// Maximum number of past messages in a status.
    #[arg(
        long,
        env = "PORTOLAN_HISTORY",
        value_name = "MESSAGES",
        default_value_t = 10,
        value_parser = clap::value_parser!(u8).range(1..)
    )]
    pub history: u8,
}

/// The switches of all controllers except the policy controller. All are off by default. The table
/// in `controllers.rs` starts the controllers.
#[derive(Debug, Clone, Default, Args)]
pub struct ControllerFlags {
    /// Reconcile InstallPlans of plans.portolan.dev, each with the permissions of its
    /// ServiceAccount, in namespaces that allow plans. OperatorPolicies are enforced only with
    /// --enforce.
    #[arg(
        long,
        env = "PORTOLAN_PLANS",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["read_only", "world"],
        help_heading = "Plans"
    )]
    pub plans: bool,

    /// Issue and renew the webhook certificates that the annotation portolan.dev/inject-ca-from
    /// names, in namespaces that allow certificates. Also write the caBundle of the annotated
    /// objects. OperatorPolicies are enforced only with --enforce.
    #[arg(
        long,
        env = "PORTOLAN_CERTIFICATES",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["read_only", "world"],
        help_heading = "Certificates"
    )]
    pub certificates: bool,

    /// The flags of the controller for Operators of operators.operatorframework.io.
    #[command(flatten)]
    pub operators: OperatorFlags,

    /// The flags of the controller for Operators of operators.coreos.com/v2alpha1.
    #[command(flatten)]
    pub components: ComponentFlags,

    /// The flags of the controller for Installs.
    #[command(flatten)]
    pub installs: InstallFlags,

    /// Report when API servers cannot call `portolan serve webhook`. The report is the metric
    /// portolan_webhook_available, a log line, and an event for this
    /// ValidatingWebhookConfiguration.
    #[arg(
        long,
        env = "PORTOLAN_WEBHOOK",
        value_name = "NAME",
        conflicts_with = "world",
        help_heading = "Webhook"
    )]
    pub webhook: Option<String>,
}

/// The flags of the controller for Operators of operators.operatorframework.io. This controller is
/// off by default.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Operators")]
pub struct OperatorFlags {
    /// Reconcile Operators of operators.operatorframework.io, with InstallPlans in one namespace.
    /// The InstallPlans require --plans. OperatorPolicies are enforced only with --enforce.
    #[arg(
        long,
        env = "PORTOLAN_OPERATORS",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["read_only", "world", "only_namespace"]
    )]
    pub operators: bool,

    /// Namespace of the InstallPlans of Operators.
    #[arg(
        long,
        env = "PORTOLAN_OPERATORS_NAMESPACE",
        value_name = "NAME",
        default_value = "portolan"
    )]
    pub operators_namespace: String,

    /// ServiceAccount that installs Operators, in the namespace of --operators-namespace.
    #[arg(
        long,
        env = "PORTOLAN_INSTALLER",
        value_name = "NAME",
        default_value = "portolan-installer"
    )]
    pub installer: String,

    /// Namespaces of CatalogSources from which Operators are installed, in addition to
    /// ClusterCatalogs. Use namespaces that only administrators can write to.
    #[arg(
        long,
        env = "PORTOLAN_CATALOG_NAMESPACES",
        value_name = "NAME",
        value_delimiter = ',',
        default_value = CATALOG_NAMESPACES
    )]
    pub catalog_namespaces: Vec<String>,
}

/// The flags of the controller for Operators of operators.coreos.com/v2alpha1. This controller is
/// off by default.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Operators v2alpha1")]
pub struct ComponentFlags {
    /// List the components of each operator of OLM in Operators of operators.coreos.com/v2alpha1,
    /// and label the components. Adds version v2alpha1 to the CRD operators.operators.coreos.com of
    /// OLM. `portolan serve webhook` converts the objects. OperatorPolicies are enforced only with
    /// --enforce.
    #[arg(
        long,
        env = "PORTOLAN_ENABLE_V2ALPHA1",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["read_only", "world", "only_namespace"]
    )]
    pub enable_v2alpha1: bool,

    /// If another client removes version v2alpha1 from the CRD operators.operators.coreos.com, add
    /// the version again.
    #[arg(
        long,
        env = "PORTOLAN_KEEP_VERSION",
        value_parser = BoolishValueParser::new(),
        requires = "enable_v2alpha1"
    )]
    pub keep_version: bool,

    /// Remove version v2alpha1 from the CRD operators.operators.coreos.com, which restores the
    /// original CRD. Also remove the finalizers of Operators that wait for their components. The
    /// v2alpha1 content of Operators stays in annotations.
    #[arg(
        long,
        env = "PORTOLAN_REMOVE_V2ALPHA1",
        value_parser = BoolishValueParser::new(),
        conflicts_with_all = ["enable_v2alpha1", "read_only", "world", "only_namespace"]
    )]
    pub remove_v2alpha1: bool,

    /// Service of `portolan serve webhook`, which API servers call for conversion.
    #[arg(
        long,
        env = "PORTOLAN_CONVERSION_SERVICE",
        value_name = "NAMESPACE/NAME[:PORT]",
        default_value = "portolan/portolan-webhook:443",
        value_parser = parse_service
    )]
    pub conversion_service: ServiceName,
}

/// The flags of the controller for Installs. This controller is off by default.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Installs")]
pub struct InstallFlags {
    /// Reconcile approved Installs of operators.coreos.com/v2alpha1, with InstallPlans, and with a
    /// ServiceAccount that is created for each Install.
    #[arg(
        long,
        env = "PORTOLAN_INSTALLS",
        value_parser = BoolishValueParser::new(),
        requires_all = ["enable_v2alpha1", "plans"]
    )]
    pub installs: bool,

    /// Namespace of the ServiceAccounts that are created for Installs. Do not use this namespace
    /// for anything else.
    #[arg(
        long,
        env = "PORTOLAN_INSTALLS_NAMESPACE",
        value_name = "NAME",
        default_value = INSTALLS_NAMESPACE
    )]
    pub installs_namespace: String,

    /// Grant the permissions of an Install under three conditions: spec.approval is set, the
    /// webhook has signed the approval, and the approving user may grant the permissions. By
    /// default only `kubectl operator approve` grants permissions. The Secret contains the signing
    /// key, which the webhook creates.
    #[arg(
        long,
        env = "PORTOLAN_APPROVALS",
        value_name = "NAMESPACE/NAME",
        value_parser = parse_approvals,
        requires = "installs"
    )]
    pub approvals: Option<ApprovalKey>,
}

/// The name of a Service, and its port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceName {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// Parses the namespace and name of a Secret, such as "portolan/portolan-approvals".
fn parse_approvals(text: &str) -> Result<ApprovalKey, String> {
    let names = text.split_once('/').filter(|(namespace, secret)| {
        !namespace.is_empty() && !secret.is_empty() && !secret.contains('/')
    });
    let (namespace, secret) = names.ok_or_else(|| {
        "it must be a namespace and the name of a Secret, such as \
         portolan/portolan-approvals"
            .to_owned()
    })?;
    Ok(ApprovalKey {
        namespace: namespace.to_owned(),
        secret: secret.to_owned(),
    })
}

/// Parses "portolan/webhook:443".
fn parse_service(text: &str) -> Result<ServiceName, String> {
    let wrong =
        || format!("`{text}` is not a namespace and a name, such as portolan/portolan-webhook:443");
    let (names, port) = match text.rsplit_once(':') {
        Some((names, port)) => (names, port.parse().map_err(|_| wrong())?),
        None => (text, 443),
    };
    let LeaseName { namespace, name } = names.parse().map_err(|_| wrong())?;
    Ok(ServiceName {
        namespace,
        name,
        port,
    })
}

// === impl ControllerFlags ===

impl ControllerFlags {
    /// Returns the flags that enable every controller that needs no webhook. Only `portolan
    /// approve` then grants permissions to Installs.
    pub fn all(operators: OperatorFlags) -> Self {
        Self {
            plans: true,
            certificates: true,
            operators: OperatorFlags {
                operators: true,
                ..operators
            },
            components: ComponentFlags::default(),
            installs: InstallFlags {
                installs: true,
                installs_namespace: INSTALLS_NAMESPACE.to_owned(),
                approvals: None,
            },
            webhook: None,
        }
    }
}

// === impl Flags ===

impl Flags {
    /// Splits the flags into the configuration of the controllers, the flags about services, and
    /// the flags about probes.
    pub(crate) fn split(self) -> (ControllerConfig, ServiceFlags, ProbeFlags) {
        let Self {
            objects,
            services,
            policies,
            controllers,
            lease,
            probes,
        } = self;
        let config = ControllerConfig {
            objects,
            policies,
            controllers,
            lease,
            off: BTreeSet::new(),
        };
        (config, services, probes)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};
    use rstest::rstest;

    use super::*;

    fn flags(words: &[&str]) -> Result<Flags, String> {
        let command = Flags::augment_args(Command::new("controller"));
        let words = ["controller"].iter().chain(words);
        let matches = command.try_get_matches_from(words);
        let flags = matches.and_then(|matches| Flags::from_arg_matches(&matches));
        flags.map_err(|error| error.to_string())
    }

    #[test]
    fn without_flags_the_services_are_on_this_machine() {
        let flags = flags(&[]).expect("flags");
        let services = ServiceFlags {
            resolver: "http://127.0.0.1:50051".to_owned(),
            health: "http://127.0.0.1:50052".to_owned(),
            approval: "http://127.0.0.1:50053".to_owned(),
            credentials: Credentials::default(),
        };
        assert_eq!(flags.services, services);
        let PolicyFlags {
            enforce,
            read_only,
            take_over,
            default_namespace,
            only_namespace,
            history,
        } = flags.policies;
        let told = (default_namespace, only_namespace, history);
        assert_eq!(
            ([enforce, read_only, take_over], told),
            ([false; 3], (None, None, 10))
        );
        let lease = LeaseName {
            namespace: "portolan".to_owned(),
            name: "portolan-controller".to_owned(),
        };
        assert_eq!((flags.lease.lease, flags.lease.no_lease), (lease, false));
    }

    #[rstest]
    #[case::a_lease_without_a_namespace(
        &["--lease", "one"], "`one` is not a namespace and a name, such as portolan/lease"
    )]
    #[case::a_lease_and_none(&["--lease", "a/b", "--no-lease"], "cannot be used with")]
    #[case::writing_nothing_and_all(&["--read-only", "--take-over"], "cannot be used with")]
    #[case::writing_nothing_and_enforcing(&["--read-only", "--enforce"], "cannot be used with")]
    #[case::enforcing_on_files(&["--world", ".", "--enforce"], "cannot be used with")]
    #[case::writing_nothing_and_plans(&["--read-only", "--plans"], "cannot be used with")]
    #[case::plans_of_files(&["--world", ".", "--plans"], "cannot be used with")]
    #[case::writing_nothing_and_certificates(
        &["--read-only", "--certificates"], "cannot be used with"
    )]
    #[case::certificates_of_files(&["--world", ".", "--certificates"], "cannot be used with")]
    #[case::writing_nothing_and_operators(&["--read-only", "--operators"], "cannot be used with")]
    #[case::operators_of_files(&["--world", ".", "--operators"], "cannot be used with")]
    #[case::operators_of_a_namespace(
        &["--only-namespace", "a", "--operators"], "cannot be used with"
    )]
    #[case::v2alpha1_of_files(&["--world", ".", "--enable-v2alpha1"], "cannot be used with")]
    #[case::both_in_and_out(
        &["--enable-v2alpha1", "--remove-v2alpha1"], "cannot be used with"
    )]
    #[case::a_version_that_nobody_has(
        &["--keep-version"], "required arguments were not provided"
    )]
    #[case::installs_that_nobody_carries_out(
        &["--enable-v2alpha1", "--installs"], "required arguments were not provided"
    )]
    #[case::installs_without_their_version(
        &["--plans", "--installs"], "required arguments were not provided"
    )]
    #[case::a_port_that_is_none(
        &["--conversion-service", "a/b:c"],
        "`a/b:c` is not a namespace and a name, such as portolan/portolan-webhook:443"
    )]
    #[case::a_webhook_of_files(&["--world", ".", "--webhook", "a"], "cannot be used with")]
    #[case::no_history(&["--history", "0"], "0 is not in 1..=255")]
    fn contradictory_flags_are_refused(#[case] words: &[&str], #[case] why: &str) {
        let refused = flags(words).map(|_| ()).expect_err("a refusal");
        assert!(refused.contains(why), "{refused}");
    }
}
