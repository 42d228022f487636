// Made of the types in `engine/src/report.rs` by a test: see there.

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
 * Whether it is a document that stands in no frame of another.
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
kids: { [key in number]: QueryResult }, captured?: Captured, };

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
