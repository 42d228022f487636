// What the agent is to do, and what the agent before it lends. `__CONFIG__` is the configuration: Rust writes it in.

export const config = __CONFIG__;
export const armed = config.armed;
// What the agent before this one lends, in a realm in which another question is asked (`rearmed.js`).
export const earlier = config.rearmed ? __QP__E.shared : undefined;
// Whether hooks are live: who wrote last is kept for every property and variable (`live-shadows.js`).
export const shadowing = armed && config.shadows;
