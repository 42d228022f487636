// What one process of the tests runs of the modules, for `coverage.mjs`: which of the pieces of code whose marks are in
// a script V8 has run, and which of those of a module that a test imports.

import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const folder = process.env.AGENT_BUNDLES;
// The test runner itself runs nothing of the agent.
if (folder !== undefined && process.env.NODE_TEST_CONTEXT !== undefined) watch(new URL(folder));

function watch(there) {
  const session = new Session();
  session.connect();
  const scripts = new Map();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => scripts.set(scriptId, url));
  // Of the same thread, so that each is answered before the call is over.
  const ask = (method, params) => {
    let answer;
    session.post(method, params, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  };
  ask('Profiler.enable');
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  ask('Debugger.enable');
  ask('Debugger.setSkipAllPauses', { skip: true });
  process.on('exit', () => {
    const modules = JSON.parse(readFileSync(new URL('modules.json', there), 'utf8'));
    const run = modules.map(() => new Set());
    for (const { scriptId, functions } of ask('Profiler.takePreciseCoverage').result) {
      if (!scripts.has(scriptId)) continue;
      const { scriptSource } = ask('Debugger.getScriptSource', { scriptId });
      const number = modules.findIndex(({ url }) => url === scripts.get(scriptId));
      const places = number < 0 ? marksIn(scriptSource) : piecesIn(scriptSource, number, modules[number].pieces);
      if (places.length === 0) continue;
      const counts = countsOf(functions, scriptSource.length);
      for (const { at, module, piece } of places) if (counts[at] > 0) run[module].add(piece);
    }
    writeFileSync(new URL(`run-${process.pid}.json`, there), JSON.stringify(run.map((pieces) => [...pieces])));
  });
}

// The marks in a script, each with where the code behind it begins.
function marksIn(source) {
  const found = source.matchAll(/\/\*@(\d+):(\d+:\d+)\*\//g);
  return [...found].map(({ 0: mark, 1: module, 2: piece, index }) => ({ at: index + mark.length, module, piece }));
}

// The pieces of a module that runs as it is.
function piecesIn(source, module, pieces) {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return pieces.map((piece) => {
    const [line, column] = piece.split(':').map(Number);
    return { at: starts[line] + column, module, piece };
  });
}

// How often each character of a script was run: an inner range says it more exactly than one around it.
function countsOf(functions, length) {
  const counts = new Int32Array(length + 1);
  const ranges = functions.flatMap((each) => each.ranges);
  ranges.sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
  return counts;
}
