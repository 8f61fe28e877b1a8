//! Tests the results for every entry of the catalogs of real operators, and the findings in these
//! catalogs. The catalogs are not in the repository. `PORTOLAN_CATALOGS` is the path of their
//! folder. Without this variable, the tests check nothing and print a note.

mod check;
mod entries;
mod order;
mod real;
mod reference;
mod requirements;
