//! Containers, and why they do not run.

use portolan_core_names::text::{cite, counted};

use crate::event::Warned;
use crate::words::{because, with_word};
use crate::{Code, Object, State, Terminated, Waiting};

/// One container of a Pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Container {
    /// Its name.
    pub name: String,
    /// Its image.
    pub image: String,
    /// Whether it only prepares, and ends before the others begin.
    pub is_init: bool,
    /// Whether it is ready.
    pub is_ready: bool,
    /// Whether it runs.
    pub is_running: bool,
    /// How often it was started again.
    pub restarts: i32,
    /// What it waits for, if it waits.
    pub waiting: Option<Waiting>,
    /// How it ended, if it has ended.
    pub terminated: Option<Terminated>,
    /// How it ended the time before, if it was started again.
    pub last: Option<Terminated>,
}

/// Why a container, or its Pod, is not as it should be.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) state: State,
    pub(crate) code: Code,
    /// The container; empty for the Pod as a whole.
    pub(crate) container: String,
    pub(crate) message: String,
    pub(crate) detail: String,
}

/// Words of the kubelet for an image that does not come.
const IMAGE: &[&str] = &[
    "ErrImageNeverPull",
    "ErrImagePull",
    "ImageInspectError",
    "ImagePullBackOff",
    "InvalidImageName",
    "RegistryUnavailable",
    "SignatureValidationFailed",
];
/// Words of the kubelet for a container that cannot be made or started.
const NOT_CREATED: &[&str] = &[
    "CreateContainerConfigError",
    "CreateContainerError",
    "PostStartHookError",
    "PreCreateHookError",
    "PreStartHookError",
    "RunContainerError",
];
/// The word of the kubelet for a container that has ended too often.
const CRASH_LOOP: &str = "CrashLoopBackOff";
/// Warnings that tell why a container is not made.
const NOT_PREPARED: &[&str] = &[
    "FailedAttachVolume",
    "FailedCreatePodSandBox",
    "FailedMapVolume",
    "FailedMount",
];

/// Whether this is a word of the kubelet for an image that does not come.
pub fn is_about_image(reason: &str) -> bool {
    IMAGE.contains(&reason)
}

// === impl Container ===

impl Container {
    /// What is wrong with it, if anything is. `mood` is the state of its Deployment, for what may
    /// be a matter of time.
    pub(crate) fn trouble(
        &self,
        pod: &Object,
        mood: State,
        warned: &Warned<'_>,
    ) -> Option<Trouble> {
        let Self {
            waiting,
            terminated,
            ..
        } = self;
        match (waiting, terminated) {
            (Some(waiting), _) => Some(self.waits(waiting, pod, mood, warned)),
            (None, Some(end)) if self.is_init && end.exit_code == 0 => None,
            (None, Some(end)) => Some(self.crash(Some(end), pod)),
            (None, None) if self.is_running && self.is_ready => None,
            (None, None) if self.is_running && !self.is_init => {
                Some(self.unready(pod, mood, warned))
            }
            (None, None) => Some(self.starting(pod)),
        }
    }

    fn waits(&self, waiting: &Waiting, pod: &Object, mood: State, warned: &Warned<'_>) -> Trouble {
        let reason = waiting.reason.as_str();
        if reason == CRASH_LOOP {
            return self.crash(self.last.as_ref().or(self.terminated.as_ref()), pod);
        }
        if IMAGE.contains(&reason) {
            return self.image(waiting, pod, warned);
        }
        if NOT_CREATED.contains(&reason) {
            let claim = format!("Container {} of {pod} cannot be made", self.name);
            let message = because(with_word(claim, reason), &waiting.message);
            return self.trouble_of(State::No, Code::ContainerNotCreated, message);
        }
        match warned.newest(NOT_PREPARED) {
            None => self.starting(pod),
            Some(event) => {
                let claim = format!("Container {} of {pod} cannot be made", self.name);
                let message = because(with_word(claim, &event.reason), &event.message);
                self.trouble_of(mood, Code::ContainerNotCreated, message)
            }
        }
    }

    /// An image that does not come. The kubelet alternates between trying and waiting, and says why
    /// in the first case only; what it said last is in the warnings.
    fn image(&self, waiting: &Waiting, pod: &Object, warned: &Warned<'_>) -> Trouble {
        let said = waiting.message.as_str();
        let is_pause = said.is_empty() || said.starts_with("Back-off pulling image");
        let pulled = warned.newest(&["Failed", "InspectFailed", "ErrImageNeverPull"]);
        let cause = match pulled {
            Some(event) if is_pause => event.message.as_str(),
            Some(_) | None => said,
        };
        let claim = format!(
            "Image {} for container {} of {pod} cannot be pulled",
            cite(&self.image),
            self.name
        );
        self.trouble_of(State::No, Code::ImagePullFailing, because(claim, cause))
    }

    /// A container that ends. The sentence is the same while it runs, has ended, and waits to be
    /// started again, so that a loop is no news.
    fn crash(&self, end: Option<&Terminated>, pod: &Object) -> Trouble {
        let is_first = self.restarts <= 0 && self.waiting.is_none();
        let claim = format!("Container {} of {pod}", self.name);
        let how = end.map(in_words);
        let claim = match (is_first, how) {
            (true, how) => format!(
                "{claim} has ended{}, and is started again",
                how.unwrap_or_default()
            ),
            (false, None) => format!("{claim} ends again and again"),
            (false, Some(how)) => format!("{claim} ends again and again, the last time{how}"),
        };
        let state = if is_first { State::NotYet } else { State::No };
        let words = end.map_or_else(String::new, last_words);
        self.trouble_of(state, Code::CrashLooping, because(claim, &words))
    }

    /// A container that runs and is not ready. One that has ended twice before is in a loop.
    fn unready(&self, pod: &Object, mood: State, warned: &Warned<'_>) -> Trouble {
        if self.restarts > 1 && self.last.is_some() {
            return self.crash(self.last.as_ref(), pod);
        }
        let probe = warned
            .newest(&["Unhealthy"])
            .map_or("", |event| &event.message);
        let claim = format!("Container {} of {pod} runs and is not ready", self.name);
        self.trouble_of(mood, Code::ContainerNotReady, because(claim, probe))
    }

    fn starting(&self, pod: &Object) -> Trouble {
        let message = format!("Container {} of {pod} is on its way.", self.name);
        self.trouble_of(State::NotYet, Code::PodStarting, message)
    }

    fn trouble_of(&self, state: State, code: Code, message: String) -> Trouble {
        let detail = match self.restarts {
            restarts if restarts > 0 => counted(restarts, "restart"),
            _ => String::new(),
        };
        Trouble {
            state,
            code,
            container: self.name.clone(),
            message,
            detail,
        }
    }
}

/// How a container ended, behind a verb. The word `Error` says no more than the exit code.
fn in_words(end: &Terminated) -> String {
    let word = match end.reason.as_str() {
        "Error" | "Completed" => "",
        word => word,
    };
    with_word(format!(" with exit code {}", end.exit_code), word)
}

/// The line of what it left that says most: that of a panic, or else the last. When it was written
/// is left out, as it is another time each time.
fn last_words(end: &Terminated) -> String {
    let mut lines = end.message.lines().filter(|line| !line.trim().is_empty());
    let is_panic = |line: &&str| line.starts_with("panic:") || line.starts_with("fatal error:");
    let line = lines.clone().find(is_panic).or_else(|| lines.next_back());
    let words = line
        .unwrap_or_default()
        .split_whitespace()
        .filter(|word| !is_time(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a word is a date or a time of day, as logs write them: `2026/11/22`, `09:00:00.5`,
/// `2026-11-22T09:00:00Z`.
fn is_time(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let joints = word.matches([':', '-', '/']).count();
    let is_written_so = word
        .chars()
        .all(|char| char.is_ascii_digit() || ":-/.,+TZ[]".contains(char));
    is_written_so && digits >= 6 && joints >= 2
}
