//! Runs the Jobs of a plan between its stages. The controller records each run in the status before
//! it creates the Job. It records the end of the run before the plan continues.
//!
//! ```text
//! recorded -> created -> observed, with its uid -> Succeeded
//!                          |                       (the next one, or the next stage)
//!                          +-> Failed -> recorded as another run, after a backoff
//! ```

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::plan::{JobState, JobStatus, MemberState, MemberStatus, Order, RETRY, Reason};
use portolan_core_names::text::plain;
use portolan_core_olm::State;
use serde_json::Value;

use super::case::{PlanContext, unanswered};
use super::decision::{Ask, Step};
use super::observation::ObjectRead;
use super::{Halt, pods, repairs};
use crate::manifest::Job;
use crate::object::{items, text};
use crate::readiness::{Expectation, failure_of_job, readiness};

/// The delay before a failed Job runs again. The delay doubles with each failure.
const FIRST: SignedDuration = SignedDuration::from_secs(10);
/// The maximum delay before a failed Job runs again.
const LONGEST: SignedDuration = SignedDuration::from_mins(6);

/// The progress of the Jobs of a stage.
pub(super) struct Jobs {
    /// The Jobs of the plan that have begun.
    pub(super) all: Vec<JobStatus>,
    pub(super) steps: Vec<Step>,
    /// The Jobs that the plan waits for.
    pub(super) members: Vec<MemberStatus>,
    /// The reason to report because a Job failed or is blocked. None if no Job has a problem.
    pub(super) wrong: Option<Reason>,
    pub(super) until: Option<Timestamp>,
    is_done: bool,
    /// True if a Job has succeeded, but the status does not record its success yet.
    is_news: bool,
}

/// The next action for one Job.
enum Next {
    Done,
    /// The status of the Job has changed. Contains the new status.
    Is(JobStatus),
    /// The status must record this run before the Job is created.
    Begin {
        run: u32,
        failures: u32,
    },
    /// The Job of this run must be created.
    Make(u32),
    Wait(String),
    /// The Job failed with this message. Contains the time of the next run, or None if the Job does
    /// not run again.
    Failed(String, Option<Timestamp>),
    Blocked(Reason, String),
}

impl Jobs {
    pub(super) fn new(all: Vec<JobStatus>) -> Self {
        Self {
            all,
            steps: Vec::new(),
            members: Vec::new(),
            wrong: None,
            until: None,
            is_done: true,
            is_news: false,
        }
    }

    /// Continues the Jobs of a stage. Returns true if all Jobs have succeeded and the status
    /// records their success. From then on, the Jobs may be deleted.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(super) fn run(
        &mut self,
        case: &PlanContext<'_>,
        stage: usize,
        is_resting: bool,
    ) -> Result<bool, Halt> {
        let jobs = case.members.jobs().iter().enumerate();
        for (place, job) in jobs.filter(|(_, job)| job.place.stage == stage) {
            let next = self.next(case, job)?;
            self.carry_on(case, (place, job), next, is_resting);
            if !self.is_done && case.intent.stages[stage].order == Order::InOrder {
                break;
            }
        }
        Ok(self.is_done && !self.is_news)
    }

    fn known(&self, job: &Job) -> Option<&JobStatus> {
        let mut all = self.all.iter();
        all.find(|known| known.stage == job.stage && known.name == job.name)
    }

    fn next(&self, case: &PlanContext<'_>, job: &Job) -> Result<Next, Halt> {
        let Some(known) = self.known(job) else {
            return Ok(Next::Begin {
                run: 1,
                failures: 0,
            });
        };
        Ok(match known.state {
            JobState::Succeeded => Next::Done,
            JobState::Failed => failed(case, job, known),
            JobState::Running | JobState::Unknown => look(case, known)?,
        })
    }

    fn carry_on(
        &mut self,
        case: &PlanContext<'_>,
        (place, job): (usize, &Job),
        next: Next,
        is_resting: bool,
    ) {
        let told = match next {
            Next::Done => return,
            Next::Is(status) if status.state == JobState::Succeeded => {
                self.is_news = true;
                self.put(status);
                return;
            }
            Next::Is(status) => {
                let told = match status.state {
                    JobState::Failed => {
                        self.wrong = Some(Reason::JobFailed);
                        (
                            MemberState::Failed,
                            format!("has failed: {}", status.message),
                        )
                    }
                    JobState::Running | JobState::Succeeded | JobState::Unknown => {
                        (MemberState::NotReady, "runs".to_owned())
                    }
                };
                self.put(status);
                told
            }
            Next::Begin { .. } | Next::Make(_) if is_resting => {
                (MemberState::NotApplied, "has not run yet".to_owned())
            }
            Next::Begin { run, failures } => {
                self.put(JobStatus {
                    stage: job.stage.clone(),
                    name: job.name.clone(),
                    run,
                    failures,
                    job: job.identity(case.job_owner(), run).name,
                    uid: None,
                    state: JobState::Running,
                    ended: None,
                    message: String::new(),
                });
                (MemberState::NotApplied, "will run next".to_owned())
            }
            Next::Make(run) => {
                self.steps.push(Step::Run { job: place, run });
                (MemberState::NotApplied, "will run next".to_owned())
            }
            Next::Wait(sentence) => (MemberState::NotReady, sentence),
            Next::Failed(sentence, until) => {
                self.wrong = Some(Reason::JobFailed);
                self.until = self.until.into_iter().chain(until).min();
                (MemberState::Failed, sentence)
            }
            Next::Blocked(reason, sentence) => {
                self.wrong = self.wrong.or(Some(reason));
                (MemberState::Refused, sentence)
            }
        };
        self.is_done = false;
        self.report_member(case, job, told);
    }

    fn report_member(
        &mut self,
        case: &PlanContext<'_>,
        job: &Job,
        (state, sentence): (MemberState, String),
    ) {
        let identity = self
            .known(job)
            .map(|known| case.observed.plan.job(&known.job));
        let identity = identity.unwrap_or_else(|| job.identity(case.job_owner(), 1));
        self.members.push(MemberStatus::new(
            (&job.stage, job.place.index),
            identity.to_string(),
            state,
            plain(&sentence),
        ));
    }

    fn put(&mut self, status: JobStatus) {
        let mut all = self.all.iter_mut();
        let same = all.find(|known| known.stage == status.stage && known.name == status.name);
        match same {
            Some(known) => *known = status,
            None => self.all.push(status),
        }
    }
}

/// Returns the next action for a Job whose last run failed.
fn failed(case: &PlanContext<'_>, job: &Job, known: &JobStatus) -> Next {
    let next = |failures| Next::Begin {
        run: known.run.saturating_add(1),
        failures,
    };
    if repairs::begins_anew(case.observed) {
        return next(0);
    }
    let message = &known.message;
    if known.failures > job.retries {
        let sentence = format!(
            "has failed: {message}; change the value of the annotation {RETRY} to run the Job again"
        );
        return Next::Failed(sentence, None);
    }
    let pause = 1_i32.checked_shl(known.failures.saturating_sub(1));
    let pause = pause.and_then(|times| FIRST.checked_mul(times));
    let pause = pause.map_or(LONGEST, |pause| pause.min(LONGEST));
    let ended = known
        .ended
        .as_ref()
        .map_or(case.observed.now, |ended| ended.0);
    let at = ended.checked_add(pause).unwrap_or(Timestamp::MAX);
    if at <= case.observed.now {
        return next(known.failures);
    }
    let (failures, all) = (known.failures, job.retries);
    let sentence =
        format!("has failed: {message}; the Job runs again at {at} (retry {failures} of {all})");
    Next::Failed(sentence, Some(at))
}

/// Returns the next action for a run that is recorded and has not ended, according to the status.
fn look(case: &PlanContext<'_>, known: &JobStatus) -> Result<Next, Halt> {
    let identity = case.observed.plan.job(&known.job);
    let object = match case.observed.objects.get(&identity) {
        None => return Err(Ask::Object(identity).into()),
        Some(ObjectRead::Unreadable(sentence)) => {
            let sentence = format!("cannot be read: {sentence}");
            return Ok(Next::Blocked(Reason::WriteRejected, sentence));
        }
        Some(ObjectRead::Unanswered(sentence)) => return Ok(Next::Wait(unanswered(sentence))),
        Some(ObjectRead::Absent) if known.uid.is_none() => return Ok(Next::Make(known.run)),
        Some(ObjectRead::Absent) => return Ok(gone(case, known)),
        Some(ObjectRead::Present(object)) => object,
    };
    let mut owners = items(object, "/metadata/ownerReferences").iter();
    if !owners.any(|owner| text(owner, "/uid") == case.observed.plan.uid) {
        let sentence = "already exists, and does not belong to this plan; delete this Job";
        return Ok(Next::Blocked(Reason::ObjectNotOwned, sentence.to_owned()));
    }
    let uid = text(object, "/metadata/uid");
    if known.uid.as_ref().is_some_and(|known| known != uid) {
        return Ok(gone(case, known));
    }
    observe(case, known, object, uid)
}

fn observe(
    case: &PlanContext<'_>,
    known: &JobStatus,
    object: &Value,
    uid: &str,
) -> Result<Next, Halt> {
    let judged = readiness(object, Expectation::default());
    let mut is = JobStatus {
        uid: Some(uid.to_owned()),
        ..known.clone()
    };
    Ok(match judged.state {
        State::NotYet if is == *known => Next::Wait(judged.reasons.join("; ")),
        State::NotYet => Next::Is(is),
        State::Yes => {
            is.state = JobState::Succeeded;
            is.ended = Some(Time(case.observed.now));
            Next::Is(is)
        }
        State::No => {
            let said = failure_of_job(object).unwrap_or_else(|| judged.reasons.join("; "));
            let said = match pods::of_failed(case, &case.observed.plan.job(&known.job))? {
                Some(cause) => pods::joined(&said, &cause),
                None => said,
            };
            Next::Is(record_end(case, is, said))
        }
    })
}

/// Returns the next action for a Job that was deleted before it ended.
fn gone(case: &PlanContext<'_>, known: &JobStatus) -> Next {
    let sentence = "another client deleted the Job before it finished";
    Next::Is(record_end(case, known.clone(), sentence.to_owned()))
}

fn record_end(case: &PlanContext<'_>, known: JobStatus, message: String) -> JobStatus {
    JobStatus {
        state: JobState::Failed,
        failures: known.failures.saturating_add(1),
        ended: Some(Time(case.observed.now)),
        message: plain(&message),
        ..known
    }
}
