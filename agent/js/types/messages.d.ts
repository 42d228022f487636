// What the driver is told.

type AgentMessage = import('../reports').AgentMessage;
type AgentEvent = import('../reports').AgentEvent;
/**
 * What the driver is told, as JSON, and what it is given for its expressions. Of a report what is empty or false may be
 * missing.
 */
type Message = Exclude<AgentMessage, { report: unknown }>
  | { report: Told<import('../reports').Report, 'document' | 'hits'> };
/** What is told of a type: the parts `K`, and of the others those that are not empty. */
type Told<T, K extends keyof T> = { __proto__?: null } & Partial<T> & Pick<T, K>;
