//! Answers about every entry of the catalogs of real operators, and the findings of those catalogs.
//! The catalogs are not part of the repository. `PORTOLAN_CATALOGS` names their folder. Without it,
//! the tests prove nothing and print a note.

mod check;
mod entries;
mod order;
mod real;
mod reference;
mod requirements;
