// Made of the types in `src/lib.rs` by a test of the crate: see there.

export type AgentConfig = {
/**
 * Whether hooks run.
 */
armed: boolean,
/**
 * What is watched, in the order of the rewriter's names.
 */
slots: Array<AgentSlot>,
/**
 * The queries asked at the reproduction point.
 */
roots: Array<AgentQuery>,
/**
 * Which hit of the reproduction point counts: -1 for the last.
 */
hit: number,
/**
 * The hit at which the page is to stop; `None`: at none.
 */
stopAtHit: number | null,
/**
 * Sequence numbers of the events at which the page is to stop, ascending.
 */
stops: Array<number>,
/**
 * Whether the page also stops at the changes and hits that may be the ones asked for, as far as it costs little.
 */
readAhead: boolean,
/**
 * Whether state is captured inside the page at every event.
 */
capture: boolean,
/**
 * The owners whose changes the executions before found to be what is asked for: at those of them state is
 * captured for longer.
 */
foundOwners: Array<number>,
/**
 * Whether of that state only the cause is kept, and the stack where a built-in wrote.
 */
live: boolean,
/**
 * Whether each write leaves its number in a shadow, and queries are answered from these.
 */
shadows: boolean,
/**
 * The text that a console message must hold to be the reproduction point.
 */
console: string | null,
/**
 * Whether a driver answers when the page makes code of a text.
 */
driven: boolean,
/**
 * Name of the binding that reports of documents left behind are posted to.
 */
post: string | null,
/**
 * Whether other questions may be asked of this realm, while its page is paused (see [`question_source`]).
 */
standby: boolean,
/**
 * Whether this is such a question.
 */
rearmed: boolean,
/**
 * Whether reports are posted after each task that passed by the reproduction point, not only when the document
 * is left.
 */
postEachTask: boolean,
/**
 * Whether the execution is logged, and how.
 */
log: AgentLog | null, };

export type AgentLog = {
/**
 * Name of the binding that batches of the log are given to.
 */
binding: string,
/**
 * Name of the global variable that says which of two versions runs, where scripts have two.
 */
switchName: string | null,
/**
 * While which call the other version runs, by its number from 1; 0: never.
 */
otherCall: number,
/**
 * Whether what code without hooks gives is told with what is inside it.
 */
tellsResults: boolean,
/**
 * Whether all objects are that the log meets and no script with hooks made.
 */
tellsNew: boolean,
/**
 * Whether it is told what the user does, and what the page sends and gets.
 */
tellsPage: boolean,
/**
 * Whether it is told what changes in the document.
 */
tellsDocument: boolean,
/**
 * How many UTF-16 code units a text may have that is kept whole, at least 256; above that, longer ones are told
 * apart.
 */
longestText: number, };

export type AgentSlot = {
/**
 * `property` or `variable`; `map` or `set` for all maps or sets; `condition` for the conditions of a query,
 * `events` for the events that one counts.
 */
kind: string,
/**
 * Of conditions and events: the query's number in the plan.
 */
query: number | null,
/**
 * The key or the name.
 */
key: string,
/**
 * Queries that are asked at points found for this name.
 */
askedThere: Array<AgentQuery>,
/**
 * Whether it is itself asked at another found point.
 */
isAskedThere: boolean,
/**
 * Numbers of the owners that are followed exactly.
 */
exact: Array<number>,
/**
 * Of maps and sets: the keys that are asked, unless any may be.
 */
keys: Array<unknown>,
/**
 * Of maps and sets: whether any key may be asked.
 */
allKeys: boolean,
/**
 * The slots of the trace queries that count its writes.
 */
traced: Array<number>,
/**
 * Of events: whether each is logged, for the execution line.
 */
logged: boolean,
/**
 * The names under which questions reach its owners (`style` of `box.style.color`): what of the platform is watched
 * depends on them.
 */
through: Array<string>, };

export type AgentQuery = {
/**
 * Its number in the plan.
 */
query: number,
/**
 * Its reference's number among the rewriter's dependents.
 */
dependent: number,
/**
 * `this`, `event`, `element` or `name`.
 */
root: string,
/**
 * Of an element: how it is looked up.
 */
lookup: AgentLookup | null,
/**
 * Whether a variable itself is asked.
 */
variable: boolean,
/**
 * Whether the last condition is asked.
 */
condition: boolean,
/**
 * Whether it is asked how many events there were so far: those of the slot `slot`.
 */
events: boolean,
/**
 * See `events`.
 */
slot: number,
/**
 * Whether the debugger finds it in the frames of a stopped page, and no reference names it.
 */
inFrames: boolean,
/**
 * The keys between root and owner.
 */
path: Array<AgentStep>,
/**
 * The key or name asked.
 */
key: string,
/**
 * What is asked instead of a property whose key is known.
 */
keyed: AgentKeyed | null,
/**
 * Whether it begins in a frame, or a key does.
 */
needsFrame: boolean,
/**
 * Whether only a debugger can resolve it (a frame other than the newest).
 */
late: boolean,
/**
 * The numbers of the queries that are asked at the point that it finds.
 */
askedThere: Array<number>, };

export type AgentLookup = {
/**
 * Whether `text` is its id; else a selector.
 */
byId: boolean,
/**
 * The text.
 */
text: string,
/**
 * Which of all that match; none: the first.
 */
index: number | null, };

export type AgentStep = string | AgentKeyed;

export type AgentKeyed = {
/**
 * `map`: the entry of a map; `set`: whether it is a member of a set; `element`: a property; `selector` and `id`:
 * the element in another that the key names so.
 */
kind: string,
/**
 * The key, if the query names it.
 */
literal: unknown,
/**
 * Else its number among the rewriter's dependents.
 */
keyDependent: number | null, };
