// Constants of the crates `querypoint` and `js-analysis`: a test in `engine/src/agent_message.rs` compares them.

export const NUMBERS_OF_A_QUERY = 1099511627776;
export const MOST_EVENTS = 250000;
// How many bits of a shadow's number are the site's.
export const SITE_BITS = 18;
