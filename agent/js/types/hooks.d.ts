// What hooks hand over about their places.

/**
 * What a hook hands over about its place, if anything: `late`, whether the debugger resolves what is asked, in the
 * caller; `n`, the slot of a variable; `d`, the roots and keys of queries, each a function; `s`, the scopes for a
 * capture, the kind and the variables of each; `w`, the watched expressions.
 */
interface Given {
  __proto__?: null;
  late?: boolean;
  n?: number;
  d?: Record<number, Thunk>;
  s?: [kind: string, variables: Record<string, Thunk>][];
  w?: Thunk[];
}

/** Gives what is handed over; 0: nothing is. */
type Context = (() => Given) | 0 | undefined;
/** What was handed over, if anything was. */
type Handed = Given | undefined;
/** How a property is written. */
type How = 'assign' | 'define' | 'delete' | 'literal';
/** Runs a write of a rewritten pattern. */
type MemberSetter = (object: PageValue, key: PageValue, value: PageValue) => void;
/** A class whose prototype is an array's or a typed array's. */
type ArrayConstructorOf = new (length: number) => PageValue[];
