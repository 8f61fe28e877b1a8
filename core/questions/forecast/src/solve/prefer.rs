//! Searches for the preferred solution.
//!
//! Choices wait in a queue. The search takes the first choice and guesses its next candidate. The
//! choices that this candidate requires are appended to the queue. If a guess fails immediately, it
//! is undone, and the choice returns to the front of the queue with its next candidate. If all
//! candidates of a choice have failed, the choice is skipped. It stays skipped while earlier
//! guesses change, but is tried again if the guess that added it changes. OLM searches in the same
//! way, including these details.

use std::collections::{BTreeSet, VecDeque};

use super::trail::Trail;
use super::{GaveUp, Var, refute};

/// A choice that requires one of the candidates.
#[derive(Debug, Clone)]
struct Choice {
    /// The next candidate to guess.
    next: usize,
    candidates: Vec<Var>,
}

#[derive(Debug)]
struct Guess {
    choice: Choice,
    /// The guessed candidate. None if the choice is already made, or if all candidates failed.
    guessed: Option<Var>,
    /// The length of the trail before the guess.
    mark: usize,
    /// The number of choices that the guess added to the queue.
    brought: usize,
}

#[derive(Debug)]
struct Search<'t, 'f> {
    trail: &'t mut Trail<'f>,
    line: VecDeque<Choice>,
    guesses: Vec<Guess>,
    guessed: BTreeSet<Var>,
}

/// Makes the same choices as OLM. A solution must exist.
pub(super) fn choose(trail: &mut Trail<'_>) -> Result<BTreeSet<Var>, GaveUp> {
    // A solution exists, so the initial assignments do not contradict each other.
    let _ = trail.start()?;
    let anchors = trail.formula.anchors().into_iter();
    let line = anchors.map(|anchor| Choice {
        next: 0,
        candidates: vec![anchor],
    });
    let mut search = Search {
        line: line.collect(),
        trail,
        guesses: Vec::new(),
        guessed: BTreeSet::new(),
    };
    let model = search.run()?;
    let guessed = search.guessed;
    without_extras(trail, guessed, &model)
}

// === impl Search ===

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Vec<Var>, GaveUp> {
        let mut is_hopeless = false;
        loop {
            if self.line.is_empty() && !is_hopeless {
                match refute::complete(self.trail)? {
                    Ok(model) => return Ok(model),
                    Err(_) => is_hopeless = true,
                }
            }
            if is_hopeless {
                // A skipped choice changes no assignment, so continuing from this state would not
                // help.
                is_hopeless = !self.take_back();
            } else {
                is_hopeless = self.guess()?;
            }
        }
    }

    /// Guesses a candidate for the first choice in the queue. Returns true if the guess fails
    /// immediately.
    fn guess(&mut self) -> Result<bool, GaveUp> {
        let Some(choice) = self.line.pop_front() else {
            return Ok(false);
        };
        let is_made = choice
            .candidates
            .iter()
            .any(|var| self.guessed.contains(var));
        let candidate = choice.candidates.get(choice.next).copied();
        let guessed = candidate.filter(|_| !is_made);
        let mut guess = Guess {
            choice,
            guessed,
            mark: self.trail.mark(),
            brought: 0,
        };
        let mut is_hopeless = false;
        if let Some(var) = guessed {
            for candidates in self.trail.formula.choices(var) {
                if !candidates.is_empty() {
                    guess.brought += 1;
                    let candidates = candidates.to_vec();
                    self.line.push_back(Choice {
                        next: 0,
                        candidates,
                    });
                }
            }
            self.guessed.insert(var);
            is_hopeless = self.trail.assume(var, true)?.is_err();
        }
        self.guesses.push(guess);
        Ok(is_hopeless)
    }

    /// Undoes the last guess. Returns true if the last guess selected a candidate, or if there was
    /// no guess.
    fn take_back(&mut self) -> bool {
        let Some(guess) = self.guesses.pop() else {
            return true;
        };
        let Guess {
            mut choice,
            guessed,
            mark,
            brought,
        } = guess;
        if let Some(var) = guessed {
            self.guessed.remove(&var);
            self.trail.back(mark);
            choice.next += 1;
        }
        self.line.truncate(self.line.len() - brought);
        self.line.push_front(choice);
        guessed.is_some()
    }
}

/// Returns a solution with all guesses and only the necessary other variables.
///
/// Other variables are necessary only if a choice was skipped. Then OLM selects arbitrary bundles.
fn without_extras(
    trail: &mut Trail<'_>,
    mut kept: BTreeSet<Var>,
    model: &[Var],
) -> Result<BTreeSet<Var>, GaveUp> {
    let mut extras: BTreeSet<Var> = model
        .iter()
        .copied()
        .filter(|var| !kept.contains(var))
        .collect();
    for extra in extras.clone().into_iter().rev() {
        let _ = trail.start()?;
        let may_be = |var: &Var| *var != extra && (kept.contains(var) || extras.contains(var));
        let mut is_enough = true;
        for var in 0..trail.formula.vars {
            is_enough &= trail.assume(var, may_be(&var))?.is_ok();
        }
        if is_enough {
            extras.remove(&extra);
        }
    }
    kept.append(&mut extras);
    Ok(kept)
}
