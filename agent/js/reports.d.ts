// Made of the types in `engine/src/agent_message.rs` and `engine/src/report.rs` by a test: see there.

export type Report = {
/**
 * Tells documents apart.
 */
document: number,
/**
 * How often the reproduction point was passed.
 */
hits: number,
/**
 * How many hooks have run.
 */
sequence: number,
/**
 * The hit that counts, if there was one.
 */
hit?: Hit,
/**
 * Whether every owner was followed exactly from its first write, in an execution that reads ahead.
 */
ahead: boolean,
/**
 * How many events there were by now, by query.
 */
counts: { [key in number]: number }, };

export type Greeting = {
/**
 * The number that its reports will have.
 */
document: number, realm: Whereabouts, };

export type Whereabouts = {
/**
 * Address of its document or worker; empty in a worklet.
 */
url: string,
/**
 * Whether it is a document that is in no frame of another.
 */
top: boolean, };

export type Hit = { hit: number,
/**
 * How many hooks had run by then: two executions that did the same have the same number.
 */
sequence: number,
/**
 * When it was, by the realm's clock, in milliseconds: realms have nothing else in common.
 */
time: number,
/**
 * By query number.
 */
results: { [key in number]: QueryResult }, captured?: Captured, };

export type QueryResult = { status: ResultStatus,
/**
 * The last change's sequence number.
 */
sequence?: number, site?: number,
/**
 * The built-in that made it, where no site did.
 */
by?: string,
/**
 * The owner's (object's or scope's) number.
 */
owner?: number, changes?: number,
/**
 * The value the reference has at the point it was asked at.
 */
value?: Text,
/**
 * Whether that value is the one the last change wrote.
 */
same?: boolean, exact?: Exact, message?: string,
/**
 * What of the platform would have to be watched, in another execution, to say more: names under which objects are
 * handed out.
 */
parts: Array<string>,
/**
 * What must be watched before it can be resolved: the property that a key in a variable means, or what the getter
 * of an accessor reads.
 */
reads: Array<NeededName>,
/**
 * Whether functions that a getter calls must say what they read before it can be resolved.
 */
opens: boolean,
/**
 * Of what is found in the frames of a stopped page: the frames that there were, the newest first.
 */
stack: Array<CapturedFrame>,
/**
 * Of a condition, captured inside the page: the values of its operands.
 */
operands?: Array<Text | null>,
/**
 * Of a count: whether the point at which it was taken is itself the last of what is counted.
 */
own: boolean,
/**
 * Where the property is an accessor whose getter could be followed: that it is, and what is read.
 */
accessor?: string,
/**
 * The property that was never there, with the names that are.
 */
absent?: Absent,
/**
 * Whether a proxy's `get` trap that could not be followed is on the way to it.
 */
trapped: boolean,
/**
 * What was asked at the found change.
 */
askedThere: { [key in number]: QueryResult }, captured?: Captured, };

export type Absent = {
/**
 * Its name.
 */
name: string,
/**
 * Those that the object has.
 */
among: Array<string>, };

export type NeededName = { kind: NameKind, key: string, };

export type NameKind = "property" | "variable" | "map";

export type ResultStatus = "found" | "never" | "unseen" | "accessor" | "unwatched" | "late" | "none" | "counted" | "nothing" | "undecided" | "thrown" | "nothrow" | "error";

export type Exact = { changes: number,
/**
 * Writes that no hook saw.
 */
blind: number,
/**
 * A setter of the page was called instead of a write.
 */
setter: boolean, };

export type Text = { type: string, text: string, };

export type Captured = { stack: Array<CapturedFrame>, scopes: Array<CapturedScope>, watches: Array<Text>, cause?: CapturedCause, created: boolean, deleted: boolean, old?: Text,
/**
 * `None`: nobody read it when it was written.
 */
value?: Text,
/**
 * Whether there was a value before, which nobody read.
 */
oldUnknown: boolean,
/**
 * Whether variables and watches were left out.
 */
short: boolean, class?: string, };

export type CapturedFrame = { function: string, url: string, line: number, column: number, };

export type CapturedScope = { kind: string, variables: Array<CapturedVariable>, };

export type CapturedVariable = { name: string, type: string, text: string, };

export type CapturedCause = { type: string, target?: string, };

export type AgentMessage = { "greeting": Greeting } | { "report": Report } | { "log": LogBatch } | { "handed": DynamicCode } | { "realmBegun": RealmBegun } | { "frames": number } | { "clockReadings": ReadingsTold } | { "event": AgentEvent } | { "results": { [key in number]: QueryResult } } | { "thrown": ThrownCounts } | { "cause": CapturedCause | null } | { "task": number } | { "lastWriters": Array<LastWriterTold> } | { "replaced": string | null } | { "paused": boolean } | { "identity": string } | { "inputs": [number, number, number, number, number, number, number] } | { "nodes": NodesAround };

export type LogBatch = {
/**
 * The number of its document.
 */
document: number, sequences: string, sites: string, objects: string, changes: string,
/**
 * How many events were before, and what the user did then.
 */
marks: Array<[number, string]>,
/**
 * The built-ins, by their numbers.
 */
nativeFunctions: Array<string>, leftOut: number, };

export type RealmBegun = { place: string, seed?: string, };

export type ReadingsTold = {
/**
 * Where the realm began.
 */
place: string,
/**
 * Since 1970.
 */
since1970: string,
/**
 * Since the realm began.
 */
sinceBegin: string,
/**
 * Moments of events and frames, since the realm began.
 */
moments: string, };

export type AgentEvent = {
/**
 * The number of its document.
 */
document: number, } & ({ "kind": "point",
/**
 * Which hit of its task it is, from 0.
 */
index: number,
/**
 * Which hit of its document.
 */
hit: number, } | { "kind": "console" } | { "kind": "condition", sequence: number, site: number,
/**
 * Which of its activation it is, from 0.
 */
index: number,
/**
 * How many operands were handed over.
 */
operands: number, } | { "kind": "event", sequence: number,
/**
 * Its site; negative: the number of the built-in that wrote.
 */
site: number, by?: string,
/**
 * Whether it is a write.
 */
written: boolean, created: boolean, } | { "kind": "write" } & AgentWrite | { "kind": "assign" } & AgentWrite);

export type AgentEventKind = { "kind": "point",
/**
 * Which hit of its task it is, from 0.
 */
index: number,
/**
 * Which hit of its document.
 */
hit: number, } | { "kind": "console" } | { "kind": "condition", sequence: number, site: number,
/**
 * Which of its activation it is, from 0.
 */
index: number,
/**
 * How many operands were handed over.
 */
operands: number, } | { "kind": "event", sequence: number,
/**
 * Its site; negative: the number of the built-in that wrote.
 */
site: number, by?: string,
/**
 * Whether it is a write.
 */
written: boolean, created: boolean, } | { "kind": "write" } & AgentWrite | { "kind": "assign" } & AgentWrite;

export type AgentWrite = { sequence: number,
/**
 * Its site; negative: the number of the built-in that wrote.
 */
site: number, by?: string,
/**
 * The owner's number.
 */
number: number, created: boolean, deleted: boolean,
/**
 * Whether the new value is not known before the write; missing: it is known.
 */
unknown?: boolean,
/**
 * Whether nobody read the old value; missing: it was read.
 */
oldUnknown?: boolean,
/**
 * Which of the owner's changes it is, from 0.
 */
index: number,
/**
 * What the user did, where nothing of the page runs.
 */
cause?: CapturedCause, };

export type ThrownCounts = { document: number,
/**
 * Which one it is, from 1, of those that a query counts, by the query's number.
 */
numbers: { [key in number]: number }, };

export type LastWriterTold = {
/**
 * Of which of the scopes and objects that were asked about it is, from 0.
 */
scope: number,
/**
 * The name under which it runs.
 */
name: string,
/**
 * Of what is inside an object: which of those that were asked about.
 */
index?: number,
/**
 * The site of the write; 0: it has none.
 */
site: number,
/**
 * What called the built-in that wrote.
 */
frame?: CapturedFrame,
/**
 * Whether it was the user.
 */
user: boolean,
/**
 * Whether it holds wherever else code without hooks has run.
 */
sure: boolean,
/**
 * How many tasks ago that was; none: that is not known.
 */
ago?: number,
/**
 * The event that was being dispatched, if one was.
 */
cause?: CapturedCause, };

export type DynamicCode = { "kind": "eval", site: number, text: string, } | { "kind": "function", open: string, parameters: string, body: string, } | { "kind": "timer", text: string, } | { "kind": "script", module: boolean,
/**
 * The document whose parser made it, where no script did.
 */
place?: string,
/**
 * Whether it was written into the document, in pieces.
 */
written?: boolean,
/**
 * What comes behind it there: nothing that runs.
 */
after?: string, text: string, } | { "kind": "handler", name: string,
/**
 * As of a script.
 */
place?: string, text: string, } | { "kind": "url", place?: string, text: string, } | { "kind": "markup", text: string, } | { "kind": "memory" } & InMemoryScript | { "kind": "workletModule", address: string, };

export type NodesAround = {
/**
 * The element; 0: the log has none.
 */
own: number,
/**
 * The nodes that it is in.
 */
above: Array<number>,
/**
 * The nodes in it.
 */
below: Array<number>,
/**
 * The texts in it that somebody can read, in the order of the document.
 */
texts: Array<NodeText>,
/**
 * Whether there are more.
 */
more: boolean, };

export type NodeText = { text: string,
/**
 * The node; 0: the log has none.
 */
own: number,
/**
 * The nodes that it is in that the log has, up to the element that is asked about, the innermost first.
 */
around: Array<number>, };

export type InMemoryScript = { module: boolean,
/**
 * The address, if it begins with `data:`; else empty, and it is a blob.
 */
address: string,
/**
 * The blob's own.
 */
type: string,
/**
 * The name of the encoding that classic scripts fall back to.
 */
encoding: string,
/**
 * Whether a document is to run it.
 */
document: boolean,
/**
 * What the blob holds, where the agent could read it.
 */
text?: string,
/**
 * The addresses that replace those it imports from.
 */
imports: Array<[string, string]>, };
