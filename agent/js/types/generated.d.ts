// Types that are generated from Rust (`../generated.d.ts`, `../reports.d.ts`), by the names that the modules use.

type AgentConfig = import('../generated').AgentConfig;
type AgentSlot = import('../generated').AgentSlot;
type AgentQuery = import('../generated').AgentQuery;
type AgentKeyed = import('../generated').AgentKeyed;
type AgentLookup = import('../generated').AgentLookup;
type AgentStep = import('../generated').AgentStep;
type ValueText = import('../reports').Text;
type CapturedFrame = import('../reports').CapturedFrame;
type CapturedScope = import('../reports').CapturedScope;
type NeededName = import('../reports').NeededName;
type QueryResult = import('../reports').QueryResult;
