// What references lead through.

/** How an element is looked up in a document or in another: the method, and those who have it. */
interface Lookup { __proto__: null, key: string, holders: string[], methods: AnyFunction[] }
/** What a rewritten module says of itself: how it resolves addresses, and what it exports, by name. */
interface Module { resolve: (address: string) => string, exports: ModuleExports }
/**
 * A name's variable, by its record, or the name of one that is not watched, or the module and the name that it comes
 * from; under `*` the addresses of modules whose names are all exported.
 */
type ModuleExports = Table<(() => { record: ChangeRecord | undefined }) | string | [from: string, name: string]>
  & { '*': string[] };
/** A query that counts exceptions: its slot, and the class that it asks for. */
interface AskedThrow { query: number, slot: number, named: string | null }
