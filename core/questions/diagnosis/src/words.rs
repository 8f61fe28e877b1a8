//! Formats text from other sources for Portolan's sentences.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_names::text::{self, Instead, plain};

use crate::{Cause, Diagnosis, Evidence, Procedure, Quote, Remedy, Responsible, Saying, Step};

/// Adds a period to the text if its end lacks punctuation, so that another sentence can follow.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '?', '!']) || text.is_empty() {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Formats a time for users.
pub(crate) fn time(time: &Time) -> String {
    time.0.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Formats text as one quoted YAML value.
pub(crate) fn yaml(text: &str) -> String {
    serde_json::Value::from(harmless(text)).to_string()
}

/// Replaces characters that are unsafe in a terminal by question marks. The number of characters
/// stays the same.
pub(crate) fn harmless(text: &str) -> String {
    text::harmless(text, Instead::QuestionMark)
}

impl Diagnosis {
    /// Replaces characters that are unsafe in a terminal in all texts of the diagnosis. Names from
    /// files may contain any characters.
    pub(crate) fn made_plain(self) -> Self {
        let meanwhile = self
            .meanwhile
            .into_iter()
            .map(|Saying { said, message }| Saying {
                said: said.made_plain(),
                message: plain(&message),
            });
        Self {
            cause: self.cause.map(Cause::made_plain),
            headline: plain(&self.headline),
            meanwhile: meanwhile.collect(),
            unknowns: self.unknowns.iter().map(|unknown| plain(unknown)).collect(),
            ..self
        }
    }
}

impl Cause {
    fn made_plain(self) -> Self {
        Self {
            message: plain(&self.message),
            quotes: self.quotes.into_iter().map(Quote::made_plain).collect(),
            responsible: self.responsible.made_plain(),
            remedy: self.remedy.made_plain(),
            evidence: self
                .evidence
                .into_iter()
                .map(Evidence::made_plain)
                .collect(),
            below: self.below.into_iter().map(Self::made_plain).collect(),
            ..self
        }
    }
}

impl Responsible {
    fn made_plain(self) -> Self {
        Self {
            who: plain(&self.who),
            action: plain(&self.action),
        }
    }
}

impl Remedy {
    fn made_plain(self) -> Self {
        let all = |procedures: Vec<Procedure>| {
            let plain = procedures.into_iter().map(Procedure::made_plain);
            plain.collect::<Vec<_>>()
        };
        Self {
            look: self.look.into_iter().map(Step::made_plain).collect(),
            fix: self.fix.map(Procedure::made_plain),
            decide: all(self.decide),
            later: all(self.later),
        }
    }
}

impl Procedure {
    fn made_plain(self) -> Self {
        Self {
            title: plain(&self.title),
            steps: self.steps.into_iter().map(Step::made_plain).collect(),
            deletes: plain(&self.deletes),
            keeps: plain(&self.keeps),
            risk: plain(&self.risk),
        }
    }
}

impl Step {
    fn made_plain(self) -> Self {
        Self {
            comment: plain(&self.comment),
            ..self
        }
    }
}

impl Evidence {
    fn made_plain(self) -> Self {
        Self {
            field: plain(&self.field),
            value: plain(&self.value),
            ..self
        }
    }
}
