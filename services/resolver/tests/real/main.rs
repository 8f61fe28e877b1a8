//! The resolver over the catalogs of real operators: by themselves, as they keep a machine busy.

mod real_answers;
mod real_catalogs;
