//! What a person types besides a fix: to look, to have OLM act again, and to see that it is healed.

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::{Cause, Evidence, OperatorDiagnosis};

use super::parts;

/// A command, and what it is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) why: &'static str,
    pub(super) command: String,
}

const LOOK: &str = "To look:";
const AGAIN: &str = "When that is done, OLM looks again at once, not only within 15 minutes:";
const ANEW: &str = "Once this version is Failed, OLM does not replace it. When a corrected one is out, delete what is \
                    there and let OLM install anew; the operator is away meanwhile:";
const CHECK: &str = "To check:";

/// Causes about what a container said before it ended.
const ENDED: &[&str] = &["CrashLooping"];
/// Causes about what a container says while it runs.
const RUNS: &[&str] = &["ProbeFailing"];
/// Causes that the Pod and its Events tell more about.
const POD: &[&str] = &[
    "ContainerNotCreated",
    "ImagePullFailing",
    "Unschedulable",
    "RolloutFailing",
];
/// Causes of a Deployment of which there is no Pod.
const DEPLOYMENT: &[&str] = &["PodRefused", "DeploymentTaken"];
/// Causes that OLM does not notice the end of.
const UNNOTICED: &[&str] = &[
    "ApiMissing",
    "DefinitionMissing",
    "DefinitionUnfit",
    "PermissionMissing",
    "RequirementUnmet",
];
/// Catalogs that OLM waits for.
const CATALOG: &[&str] = &["CatalogNeverReached", "CatalogUnreachable"];
/// Catalogs of which OLM says the wrong thing, or that are to be corrected.
const CATALOG_CONTENT: &[&str] = &["CatalogDead", "CatalogOutdated"];

/// What to type for a cause that somebody else has to heal, in this order.
pub(super) fn steps(diagnosis: &OperatorDiagnosis, cause: &Cause) -> Vec<Step> {
    if parts::external(cause).is_none() {
        return Vec::new();
    }
    let guilty = cause.guilty.clone().unwrap_or_default();
    let code = cause.code.as_str();
    let is = |codes: &[&str]| codes.contains(&code);
    let runs = is(ENDED) || is(RUNS) || is(POD) || is(DEPLOYMENT);
    let mut steps = Vec::new();
    let mut step = |why, command: Option<String>| {
        steps.extend(command.map(|command| Step { why, command }));
    };
    step(LOOK, look(cause, &guilty));
    if runs {
        step(ANEW, anew(diagnosis).filter(|_| has_failed(cause)));
        step(CHECK, of(&guilty, "rollout status", ""));
    } else if is(UNNOTICED) {
        let csv = csv(diagnosis);
        step(AGAIN, again(&csv));
        step(
            CHECK,
            of(&csv, "wait", " --for=jsonpath='{.status.phase}'=Succeeded"),
        );
    } else if is(CATALOG) {
        let ready = " --for=jsonpath='{.status.connectionState.lastObservedState}'=READY";
        step(CHECK, of(&guilty, "wait", ready));
    }
    steps
}

fn look(cause: &Cause, guilty: &ObjectRef) -> Option<String> {
    let code = cause.code.as_str();
    let container = || cause.evidence.iter().find_map(container);
    if ENDED.contains(&code) {
        let mut evidence = cause.evidence.iter();
        let ended = evidence.find(|one| one.value.contains("exit code"))?;
        let (pod, container) = self::container(ended)?;
        return of(pod, "logs", &format!(" -c {container} --previous"));
    }
    if RUNS.contains(&code) {
        let (pod, container) = container()?;
        return of(pod, "logs", &format!(" -c {container}"));
    }
    if POD.contains(&code) {
        let pod = container().map(|(pod, _)| pod);
        return of(pod.unwrap_or(guilty), "describe", "");
    }
    if DEPLOYMENT.contains(&code) {
        return of(guilty, "describe", "");
    }
    let is_about_catalog = CATALOG.contains(&code) || CATALOG_CONTENT.contains(&code);
    let is_absent =
        |evidence: &Evidence| evidence.object.as_ref() == Some(guilty) && evidence.field.is_empty();
    if cause.evidence.iter().any(is_absent) || (guilty.kind == "CatalogSource" && !is_about_catalog)
    {
        return None;
    }
    of(guilty, "get", " -o yaml")
}

/// The container that a row of evidence is about, and its Pod.
fn container(evidence: &Evidence) -> Option<(&ObjectRef, &str)> {
    let field = evidence.field.strip_prefix("status.containerStatuses[")?;
    let container = field.strip_suffix(']')?;
    let pod = evidence.object.as_ref()?;
    is_plain(container).then_some((pod, container))
}

/// The ClusterServiceVersion of the operator.
fn csv(diagnosis: &OperatorDiagnosis) -> ObjectRef {
    let subject = diagnosis.subject.as_ref();
    ObjectRef {
        kind: "ClusterServiceVersion".to_owned(),
        namespace: subject.map_or_else(String::new, |subject| subject.namespace.clone()),
        name: diagnosis.csv.clone(),
    }
}

/// An annotation that is written and taken away again.
fn again(csv: &ObjectRef) -> Option<String> {
    let set = of(csv, "annotate", " portolan.dev/look-again=now --overwrite")?;
    let unset = of(csv, "annotate", " portolan.dev/look-again-")?;
    Some(format!("{set} && {unset}"))
}

/// Whether OLM has not brought the version to its end.
fn has_failed(cause: &Cause) -> bool {
    let mut phases = cause
        .evidence
        .iter()
        .filter(|one| one.field == "status.phase");
    phases.any(|phase| ["Failed", "Installing"].contains(&phase.value.as_str()))
}

/// Takes away all versions of an operator, by the label that OLM gives them, and
/// writes its Subscription anew once OLM has seen that.
fn anew(diagnosis: &OperatorDiagnosis) -> Option<String> {
    let subject = diagnosis.subject.as_ref();
    let subject = subject.filter(|subject| subject.kind == "Subscription")?;
    let (namespace, package) = (&subject.namespace, &diagnosis.package);
    let key = format!("{package}.{namespace}");
    let read = of(subject, "get", " -o yaml")?;
    let csvs = resource("ClusterServiceVersion")?;
    (is_plain(package) && key.len() <= LONGEST_KEY).then(|| {
        format!(
            "kubectl delete {csvs} -n {namespace} -l operators.coreos.com/{key} && sleep 2 && \
             {read} | kubectl replace --force -f -"
        )
    })
}

/// Kubernetes allows no longer keys of labels behind their prefix, and OLM cuts them.
const LONGEST_KEY: usize = 63;

/// A verb of kubectl about one object. None where it cannot be typed as it is.
fn of(object: &ObjectRef, verb: &str, behind: &str) -> Option<String> {
    let ObjectRef {
        kind,
        namespace,
        name,
    } = object;
    let resource = resource(kind)?;
    let place = match namespace.as_str() {
        "" => String::new(),
        namespace => format!(" -n {namespace}"),
    };
    let is_typed = is_plain(name) && (namespace.is_empty() || is_plain(namespace));
    is_typed.then(|| format!("kubectl {verb} {resource}/{name}{place}{behind}"))
}

/// Names of Kubernetes have no other letters; files may have any.
fn is_plain(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_letter)
}

fn resource(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "APIService" => "apiservices.apiregistration.k8s.io",
        "CatalogSource" => "catalogsources.operators.coreos.com",
        "ClusterServiceVersion" => "clusterserviceversions.operators.coreos.com",
        "CustomResourceDefinition" => "customresourcedefinitions.apiextensions.k8s.io",
        "Deployment" => "deployments.apps",
        "InstallPlan" => "installplans.operators.coreos.com",
        "OperatorCondition" => "operatorconditions.operators.coreos.com",
        "OperatorGroup" => "operatorgroups.operators.coreos.com",
        "Pod" => "pods",
        "ServiceAccount" => "serviceaccounts",
        "Subscription" => "subscriptions.operators.coreos.com",
        _ => return None,
    })
}
