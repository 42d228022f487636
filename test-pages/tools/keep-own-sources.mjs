// Usage, in the folder of an application: node ../tools/keep-own-sources.mjs dist/NAME.js.map
// Makes a source map small: what belongs to packages is mapped to no source at all, what comes from src/ stays.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const { decode, encode } = createRequire(resolve('package.json'))('@jridgewell/sourcemap-codec');
const path = process.argv[2];
const map = JSON.parse(readFileSync(path, 'utf8'));

const isOwn = (source) => source.startsWith('../src/');
const kept = map.sources.map((_, index) => index).filter((index) => isOwn(map.sources[index]));
const names = new Map();
const lines = decode(map.mappings).map((line) => {
  const segments = [];
  for (const [column, source, originalLine, originalColumn, name] of line) {
    if (!kept.includes(source)) {
      if (segments.length === 0 || segments.at(-1).length > 1) segments.push([column]);
      continue;
    }
    const segment = [column, kept.indexOf(source), originalLine, originalColumn];
    if (name !== undefined) {
      const text = map.names[name];
      if (!names.has(text)) names.set(text, names.size);
      segment.push(names.get(text));
    }
    segments.push(segment);
  }
  return segments;
});

const small = {
  version: 3,
  sources: kept.map((index) => map.sources[index]),
  sourcesContent: kept.map((index) => map.sourcesContent[index]),
  names: [...names.keys()],
  mappings: encode(lines),
};
writeFileSync(path, `${JSON.stringify(small)}\n`);
