mod cluster;
mod lookups;
mod reach;
mod secrets;
