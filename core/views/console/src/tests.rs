mod gates;
mod graphs;
mod lists;
mod pages;
mod places;
mod previews;
mod readiness;
mod views;
