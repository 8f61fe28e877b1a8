mod gates;
mod graphs;
mod lists;
mod pages;
mod places;
mod readiness;
mod views;
