// Texts that become code.

/** What the driver is asked about a text that becomes code; the driver writes `code`. */
type CodeRequest = import('../reports').DynamicCode & { __proto__?: null, code: Code };
/** What the driver gives: of most texts a text. */
type Code = string | FunctionCode | MemoryCode | null | undefined;
interface FunctionCode { parameters: string, body: string }
interface MemoryCode { address?: string, text: string, type: string, imports?: string[] }
/** A script whose text, or address, was replaced while the browser takes it. */
interface ReplacedScript {
  script: PageObject;
  nodes: PageObject[] | undefined;
  texts: string[];
  source?: string;
}
