//! Tests of schedules: the syntax of crontab lines, and the windows.

mod lines;
mod reference;
mod windows;
