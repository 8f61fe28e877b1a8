//! Waits for diagnoses of one namespace.

use std::time::{Duration, Instant};

use futures::TryStreamExt as _;
use portolan_core_diagnosis::Code;
use portolan_diagnosis::{DiagnosisService, Options};
use portolan_health::probe;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::diagnosis_server::Diagnosis as _;
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::{Cause, DiagnoseRequest, OperatorDiagnosis};
use portolan_resolver::Following;
use portolan_rig::{Failure, World};
use portolan_world::{Cluster, Pace};
use tonic::Request;

const PAUSE: Duration = Duration::from_millis(200);
/// The maximum time of each wait. OLM retries an InstallPlan for more than a minute before it
/// fails.
const PATIENCE: Duration = Duration::from_secs(150);

/// The codes for problems that occur because OLM read an outdated object and does not decide again.
pub(super) const LATE: [Code; 2] = [Code::ResolutionStale, Code::PlanMissing];

/// A diagnosis service in this process for one namespace.
pub(super) struct Diagnoses {
    diagnosis: DiagnosisService,
    namespace: String,
}

/// A cause that a test expects. The operator is identified by its Subscription or its
/// ClusterServiceVersion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) of: &'static str,
    pub(super) code: Code,
    /// The kind and the name of the object at fault. An object in another namespace has the form
    /// `Kind namespace/name`. If a name ends in `-`, it is only the beginning of the name.
    pub(super) at_fault: &'static str,
}

/// Returns a Wanted for a root cause.
pub(super) const fn root(of: &'static str, code: Code, at_fault: &'static str) -> Wanted {
    Wanted { of, code, at_fault }
}

// === impl Diagnoses ===

impl Diagnoses {
    pub(super) async fn of(world: &World) -> Result<Self, Failure> {
        let cluster = Cluster::of(world.client().clone(), Pace::default());
        let options = portolan_resolver::source::SourceAccess::default();
        let catalogs = Following::of(cluster.clone(), Vec::new(), &options);
        let catalogs = catalogs.map_err(Failure::read("the catalogs"))?;
        let options = Options {
            namespace: Some(world.namespace().to_owned()),
            probes: Some(probe::Pace::default()),
            ..Options::default()
        };
        let diagnosis = DiagnosisService::of(cluster, catalogs, options);
        diagnosis.settled().await;
        Ok(Self {
            diagnosis,
            namespace: world.namespace().to_owned(),
        })
    }

    /// Returns the current diagnoses.
    pub(super) async fn all(&self) -> Vec<OperatorDiagnosis> {
        let request = DiagnoseRequest {
            namespace: self.namespace.clone(),
            ..DiagnoseRequest::default()
        };
        let answers = self.diagnosis.diagnose(Request::new(request)).await;
        let answers = answers.expect("all must have been checked").into_inner();
        let answers: Vec<_> = answers
            .try_collect()
            .await
            .expect("all diagnoses must be sent");
        let reported = answers.into_iter().filter_map(|answer| answer.diagnosis);
        reported.collect()
    }

    /// Waits until this root cause is reported. Returns all diagnoses at this time.
    pub(super) async fn until(&self, wanted: &Wanted) -> Vec<OperatorDiagnosis> {
        self.shows(&format!("{wanted:?}"), |all| self.is_reported(wanted, all))
            .await
    }

    pub(super) fn is_reported(&self, wanted: &Wanted, all: &[OperatorDiagnosis]) -> bool {
        one(all, wanted.of).is_some_and(|one| {
            let root = one.cause.as_ref();
            root.is_some_and(|root| self.is_it(wanted, root))
        })
    }

    /// Waits until this cause is reported below a root cause.
    pub(super) async fn until_below(&self, wanted: &Wanted) {
        let is_below = |all: &[OperatorDiagnosis]| {
            let root = one(all, wanted.of).and_then(|one| one.cause.as_ref());
            let mut below = root.into_iter().flat_map(|root| &root.below);
            below.any(|cause| self.is_it(wanted, cause))
        };
        self.shows(&format!("{wanted:?} below"), is_below).await;
    }

    /// Returns true if the cause equals the expected cause.
    pub(super) fn is_it(&self, wanted: &Wanted, cause: &Cause) -> bool {
        let at_fault = self.named(cause.at_fault.as_ref());
        let is_at_fault = if wanted.at_fault.ends_with('-') {
            at_fault.starts_with(wanted.at_fault)
        } else {
            at_fault == wanted.at_fault
        };
        cause.code == wanted.code.as_str() && is_at_fault
    }

    /// Waits until an operator is healthy.
    pub(super) async fn until_well(&self, of: &str) {
        self.shows(&format!("{of} to be well"), |all| is_well(of, all))
            .await;
    }

    /// Waits until an operator is healthy or has this diagnosis. Returns true if the operator is
    /// healthy.
    pub(super) async fn until_well_or(&self, wanted: &Wanted) -> bool {
        let rests = |all: &[_]| is_well(wanted.of, all) || self.is_reported(wanted, all);
        let what = format!("{} to be well, or {wanted:?}", wanted.of);
        is_well(wanted.of, &self.shows(&what, rests).await)
    }

    /// Waits until an operator is healthy, or until a problem in `LATE` is reported. Returns all
    /// diagnoses.
    pub(super) async fn until_rest(&self, of: &str) -> Vec<OperatorDiagnosis> {
        let rests = |all: &[_]| is_well(of, all) || self.is_stale(of, all);
        self.shows(&format!("{of} to be well, or OLM to be late"), rests)
            .await
    }

    pub(super) fn is_stale(&self, of: &str, all: &[OperatorDiagnosis]) -> bool {
        let root = one(all, of).and_then(|one| one.cause.as_ref());
        root.is_some_and(|root| LATE.iter().any(|code| root.code == code.as_str()))
    }

    /// Waits until there is no diagnosis with this name.
    pub(super) async fn until_gone(&self, of: &str) {
        self.shows(&format!("{of} to be gone"), |all| one(all, of).is_none())
            .await;
    }

    /// Waits until the newest ClusterServiceVersion has this reason for its phase.
    pub(super) async fn until_reason(&self, of: &str, reason: &str) {
        let is_so = |all: &[OperatorDiagnosis]| {
            let causes = one(all, of).into_iter().flat_map(causes);
            let mut read = causes.flat_map(|cause| &cause.evidence);
            read.any(|read| read.field == "status.reason" && read.value == reason)
        };
        self.shows(&format!("{of} to be {reason}"), is_so).await;
    }

    pub(super) async fn shows(
        &self,
        what: &str,
        holds: impl Fn(&[OperatorDiagnosis]) -> bool,
    ) -> Vec<OperatorDiagnosis> {
        let begun = Instant::now();
        let mut output = self.all().await;
        while !holds(&output) {
            let lines = self.lines(&output).join("\n  ");
            assert!(
                begun.elapsed() < PATIENCE,
                "wanted {what}; said is\n  {lines}"
            );
            tokio::time::sleep(PAUSE).await;
            output = self.all().await;
        }
        println!(
            "diagnose: {}: {what}: {} ms",
            self.namespace,
            begun.elapsed().as_millis()
        );
        output
    }

    /// Returns one line for each cause.
    pub(super) fn lines(&self, output: &[OperatorDiagnosis]) -> Vec<String> {
        let lines = output.iter().flat_map(|one| {
            let subject = one.subject.as_ref().map(|it| it.name.as_str());
            let subject = subject.unwrap_or_default();
            let state = one.state().as_str_name();
            let head = format!("{subject}: {state}");
            let causes = causes(one).map(|cause| {
                let at_fault = self.named(cause.at_fault.as_ref());
                let read = cause.evidence.iter();
                let read: Vec<_> = read
                    .map(|it| format!("{} {}", it.field, it.value))
                    .collect();
                let quotes = cause.quotes.iter().map(|quote| &quote.text);
                let quotes: Vec<_> = quotes.collect();
                format!(
                    "  {}, {at_fault}: {} {quotes:?} {read:?}",
                    cause.code, cause.message
                )
            });
            std::iter::once(head).chain(causes).collect::<Vec<_>>()
        });
        lines.collect()
    }

    /// Returns an object as text. Omits the namespace of the test.
    fn named(&self, object: Option<&ObjectRef>) -> String {
        let Some(ObjectRef {
            kind,
            namespace,
            name,
        }) = object
        else {
            return String::new();
        };
        match (namespace.as_str(), name.as_str()) {
            (_, "") => kind.clone(),
            ("", name) => format!("{kind} {name}"),
            (namespace, name) if namespace == self.namespace => format!("{kind} {name}"),
            (namespace, name) => format!("{kind} {namespace}/{name}"),
        }
    }
}

/// Returns the diagnosis of the object with this name.
pub(super) fn one<'d>(all: &'d [OperatorDiagnosis], of: &str) -> Option<&'d OperatorDiagnosis> {
    all.iter().find(|one| {
        let subject = one.subject.as_ref();
        subject.is_some_and(|subject| subject.name == of)
    })
}

fn is_well(of: &str, all: &[OperatorDiagnosis]) -> bool {
    one(all, of).is_some_and(|one| one.state() == State::Well)
}

/// Returns all causes. The root cause comes first.
pub(super) fn causes(one: &OperatorDiagnosis) -> impl Iterator<Item = &Cause> {
    let root = one.cause.iter();
    root.flat_map(|root| std::iter::once(root).chain(&root.below))
}
