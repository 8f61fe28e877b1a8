//! Judges containers, and finds the reasons why they do not run.

use portolan_core_names::text::{cite, counted};
use portolan_core_olm::messages::pull_failure;
use portolan_core_olm::{Container, ContainerStatus, ContainerTerminated, ContainerWaiting, Event};

use crate::event::Warned;
use crate::words::{Quote, because, with_word};
use crate::{HealthCode, Object, State};

/// A container with its Pod and its warning Events.
pub(crate) struct Judge<'a> {
    pub(crate) container: Container<'a>,
    pub(crate) pod: &'a Object,
    /// The state of the workload. Problems that may resolve with time get this state.
    pub(crate) severity: State,
    pub(crate) warned: &'a Warned<'a>,
}

/// A problem of a container or of its whole Pod.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) state: State,
    pub(crate) code: HealthCode,
    /// The name of the container. Empty if the problem concerns the whole Pod.
    pub(crate) container: String,
    pub(crate) message: String,
    pub(crate) detail: String,
    /// The message of another program at the end of `message`.
    pub(crate) quote: Option<Quote>,
}

/// The source of messages about a Pod that a node cannot prepare, start or probe.
const KUBELET: &str = "the kubelet";

/// The kubelet's reasons for an image that cannot be pulled.
const IMAGE: &[&str] = &[
    "ErrImageNeverPull",
    "ErrImagePull",
    "ImageInspectError",
    "ImagePullBackOff",
    "InvalidImageName",
    "RegistryUnavailable",
    "SignatureValidationFailed",
];
/// The reasons with which the kubelet reports that it cannot create or start a container.
const NOT_CREATED: &[&str] = &[
    "CreateContainerConfigError",
    "CreateContainerError",
    "PostStartHookError",
    "PreCreateHookError",
    "PreStartHookError",
    "RunContainerError",
];
/// The reason with which the kubelet reports that a container has ended too often.
const CRASH_LOOP: &str = "CrashLoopBackOff";
/// The exit codes of a container that the kubelet stops: the container ends by itself (0), or by
/// the signals KILL (137) or TERM (143).
const STOPPED: &[i32] = &[0, 137, 143];
/// The reasons of warning Events that explain why a container is not created.
pub(crate) const NOT_PREPARED: &[&str] = &[
    "FailedAttachVolume",
    "FailedCreatePodSandBox",
    "FailedMapVolume",
    "FailedMount",
];

/// Returns true if the kubelet reports with this reason that it cannot pull an image.
pub fn is_about_image(reason: &str) -> bool {
    IMAGE.contains(&reason)
}

// === impl Trouble ===

impl Trouble {
    /// Adds the number of observations of an Event to the detail.
    fn repeated(mut self, event: &Event) -> Self {
        let repetition = event.repetition().map(|it| it.to_string());
        let details = [Some(self.detail), repetition].into_iter().flatten();
        let details: Vec<_> = details.filter(|detail| !detail.is_empty()).collect();
        self.detail = details.join("; ");
        self
    }
}

// === impl Judge ===

impl<'a> Judge<'a> {
    /// Returns the problem of the container. Returns None if the container has no problem.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        let Container { status, is_init } = self.container;
        let is_running = self.container.is_running();
        let state = &status.state;
        match (&state.waiting, &state.terminated) {
            (Some(waiting), _) => Some(self.waiting_trouble(waiting)),
            (None, Some(end)) if is_init && end.exit_code == 0 => None,
            (None, Some(end)) => Some(self.crash(Some(end))),
            (None, None) if is_running && status.ready => None,
            (None, None) if is_running && !is_init => Some(self.unready()),
            (None, None) => Some(self.starting()),
        }
    }

    fn status(&self) -> &'a ContainerStatus {
        self.container.status
    }

    /// Returns the last termination of the container. Returns None if the container never
    /// restarted.
    fn last(&self) -> Option<&'a ContainerTerminated> {
        self.status().last_state.terminated.as_ref()
    }

    /// Returns the names of the container and of its Pod, for the beginning of a sentence.
    fn named(&self) -> String {
        format!("Container {} of {}", self.status().name, self.pod)
    }

    fn waiting_trouble(&self, waiting: &ContainerWaiting) -> Trouble {
        let reason = waiting.reason.as_str();
        if reason == CRASH_LOOP {
            return self.crash(self.last().or(self.status().state.terminated.as_ref()));
        }
        if is_about_image(reason) {
            return self.image(waiting);
        }
        let not_created = |state, reason: &str, cause: &str| {
            let claim = with_word(format!("{} cannot be created", self.named()), reason);
            self.trouble_of(
                state,
                HealthCode::ContainerNotCreated,
                claim,
                [KUBELET, cause],
            )
        };
        if NOT_CREATED.contains(&reason) {
            return not_created(State::No, reason, &waiting.message);
        }
        match self.warned.newest(NOT_PREPARED) {
            None => self.starting(),
            Some(event) => {
                not_created(self.severity, &event.reason, &event.message).repeated(event)
            }
        }
    }

    /// Returns the problem that the kubelet cannot pull the image. The kubelet alternates between
    /// pulling and waiting, and older kubelets report the reason only while they pull. Therefore
    /// the reason is also taken from the warning Events.
    fn image(&self, waiting: &ContainerWaiting) -> Trouble {
        let said = pull_failure(&waiting.message);
        let pulled =
            self.warned
                .newest_that_says(&["Failed", "InspectFailed", "ErrImageNeverPull"]);
        let cause = match pulled {
            Some(event) if said.is_empty() => event.message.as_str(),
            None if said.is_empty() => &waiting.message,
            Some(_) | None => said,
        };
        let claim = format!(
            "Image {} for container {} of {} cannot be pulled",
            cite(self.container.image()),
            self.status().name,
            self.pod
        );
        self.trouble_of(
            State::No,
            HealthCode::ImagePullFailing,
            claim,
            [KUBELET, cause],
        )
    }

    /// Returns the problem of a container that ends repeatedly. The sentence is the same while the
    /// container runs, after it has ended, and before it restarts. Otherwise the sentence would
    /// change with each restart.
    fn crash(&self, end: Option<&ContainerTerminated>) -> Trouble {
        let status = self.status();
        let is_first = status.restart_count <= 0 && status.state.waiting.is_none();
        let state = if is_first { State::NotYet } else { State::No };
        let claim = self.named();
        if let Some((probe, failure)) = self.failing_probe(end) {
            let claim = if is_first {
                format!("{claim} restarts, because its {probe} probe fails")
            } else {
                format!("{claim} crash-loops, because its {probe} probe fails")
            };
            return self.trouble_of(state, HealthCode::CrashLooping, claim, [KUBELET, failure]);
        }
        let how = end.map(in_words);
        let claim = match (is_first, how) {
            (true, how) => format!("{claim} has ended{}, and restarts", how.unwrap_or_default()),
            (false, None) => format!("{claim} crash-loops"),
            (false, Some(how)) => format!("{claim} crash-loops, the last time{how}"),
        };
        let words = end.map_or_else(String::new, last_words);
        let source = format!("container {}", status.name);
        self.trouble_of(state, HealthCode::CrashLooping, claim, [&source, &words])
    }

    /// Returns the probe whose failure made the kubelet stop the container, with the failure
    /// message. The kubelet reports this failure only in an Event. Returns None if the exit code
    /// shows that the kubelet did not stop the container.
    fn failing_probe(&self, end: Option<&ContainerTerminated>) -> Option<(&'static str, &'a str)> {
        end.filter(|end| STOPPED.contains(&end.exit_code) && !end.exceeded_memory())?;
        self.warned.restarting_probe(&self.status().name)
    }

    /// Returns the problem of a running container that is not ready. After two restarts, the
    /// problem is that the container restarts in a loop.
    fn unready(&self) -> Trouble {
        if self.status().restart_count > 1 && self.last().is_some() {
            return self.crash(self.last());
        }
        let event = self.warned.newest(&["Unhealthy"]);
        let probe = event.map_or("", |event| &event.message);
        let claim = format!("{} runs but is not ready", self.named());
        let code = HealthCode::ContainerNotReady;
        let trouble = self.trouble_of(self.severity, code, claim, [KUBELET, probe]);
        match event {
            Some(event) => trouble.repeated(event),
            None => trouble,
        }
    }

    fn starting(&self) -> Trouble {
        let claim = format!("{} is starting", self.named());
        self.trouble_of(State::NotYet, HealthCode::PodStarting, claim, [KUBELET, ""])
    }

    /// Returns a problem: the claim, and the message of another program as its reason.
    fn trouble_of(
        &self,
        state: State,
        code: HealthCode,
        claim: String,
        [source, reason]: [&str; 2],
    ) -> Trouble {
        let detail = match self.status().restart_count {
            restarts if restarts > 0 => counted(restarts, "restart"),
            _ => String::new(),
        };
        Trouble {
            state,
            code,
            container: self.status().name.clone(),
            message: because(claim, reason),
            detail,
            quote: Quote::of(source, reason),
        }
    }
}

/// Returns text about the end of the container, for use after a verb. Omits the reasons `Error` and
/// `Completed`, because the exit code already shows them.
pub(crate) fn in_words(end: &ContainerTerminated) -> String {
    let word = match end.reason.as_str() {
        "Error" | "Completed" => "",
        word => word,
    };
    with_word(format!(" with exit code {}", end.exit_code), word)
}

/// Returns the most informative line of the termination message. This is the line with the panic
/// or, without a panic, the last line. Omits timestamps, because they change with every restart.
/// Empty if the container exceeded its memory limit, because the kernel then ended it and the last
/// line does not show the reason.
pub(crate) fn last_words(end: &ContainerTerminated) -> String {
    if end.exceeded_memory() {
        return String::new();
    }
    let mut lines = end.message.lines().filter(|line| !line.trim().is_empty());
    let is_panic = |line: &&str| line.starts_with("panic:") || line.starts_with("fatal error:");
    let line = lines.clone().find(is_panic).or_else(|| lines.next_back());
    let line = line.unwrap_or_default();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if let [day, time, ..] = words[..]
        && is_day_of_klog(day)
        && is_time(time)
    {
        words.remove(0);
    }
    words.retain(|word| !is_time(word));
    words.join(" ")
}

/// Returns true if a word is a severity and a day, such as `E1130`. The log library of Kubernetes
/// begins each line with such a word.
fn is_day_of_klog(word: &str) -> bool {
    let day = word.strip_prefix(['I', 'W', 'E', 'F']);
    day.is_some_and(|day| day.len() == 4 && day.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true if a word is a date or a time in a log format. Examples are `2026/11/22`,
/// `09:00:00.5`, `2026-11-22T09:00:00Z` and `time="2026-11-22T09:00:00Z"`.
fn is_time(word: &str) -> bool {
    let value = ["time=", "ts="]
        .iter()
        .find_map(|key| word.strip_prefix(key));
    let word = value.map_or(word, |value| value.trim_matches('"'));
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let joints = word.matches([':', '-', '/']).count();
    let is_written_so = word
        .chars()
        .all(|char| char.is_ascii_digit() || ":-/.,+TZ[]".contains(char));
    is_written_so && digits >= 6 && joints >= 2
}
