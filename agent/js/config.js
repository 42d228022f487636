// What the agent is to do, and what the agent before it lends. `__CONFIG__` is the configuration: Rust writes it in.

export const config = __CONFIG__;
export const armed = config.armed;
// What the agent before this one lends, in a realm in which another question is asked (`again.js`).
export const earlier = config.again ? __QP__E.lent : undefined;
