// What Rust writes into the bundles: see interface.md.

declare const __CONFIG__: AgentConfig;
declare const __EACH_PROPERTY__: boolean;
declare const __SLOT__: number;
declare const __QP__E: { shared: Shared };
declare let __QP__Get: ToldReads | undefined;
declare let __QP__Now: number;
