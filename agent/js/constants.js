// Constants of the crate `querypoint`: a test in `engine/src/agent_message.rs` compares them.

export const NUMBERS_OF_A_QUERY = 1099511627776;
export const MOST_EVENTS = 250000;
