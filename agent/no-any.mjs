// No `any` among the agent's types: what comes from the page is `unknown`, until a module has looked at it. The linter
// sees the declaration files; this looks into the comments that are the types of the modules (part of `npm run types`).

import { readdir, readFile } from 'node:fs/promises';
import { parseSync } from 'rolldown/utils';

// What can be written in no other way, with how often it is there and why.
const EXCEPTIONS = [
  {
    file: 'objects.js', tag: '@param {any} value', times: 2,
    reason: 'a private field of a class without a name: no type names an object that has it',
  },
];

// The tags of a comment that have a type which is `any`, or `*`, which is the same.
export function looseTags(comment) {
  const found = [];
  for (const { 0: start, index } of comment.matchAll(/@\w+\s*\{/g)) {
    let depth = 0;
    let end = index + start.length - 1;
    do {
      if (comment[end] === '{') depth++;
      else if (comment[end] === '}') depth--;
      end++;
    } while (depth > 0 && end < comment.length);
    const type = comment.slice(index + start.length, end - 1);
    if (!/\bany\b|(?:^|[<(:|,=>])\s*\*/.test(type)) continue;
    found.push(`${comment.slice(index, end)}${/^\s*\[?\w*/.exec(comment.slice(end))[0]}`.trimEnd());
  }
  return found;
}

async function check() {
  const folder = new URL('js/', import.meta.url);
  let count = 0;
  const met = new Map();
  for (const file of (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js'))) {
    const source = await readFile(new URL(file, folder), 'utf8');
    const { comments } = parseSync(file, source, { sourceType: 'module', astType: 'js' });
    for (const { value, start } of comments.filter(({ type }) => type === 'Block')) {
      for (const tag of looseTags(value)) {
        const exception = EXCEPTIONS.find((it) => it.file === file && it.tag === tag);
        if (exception !== undefined) {
          met.set(exception, (met.get(exception) ?? 0) + 1);
          continue;
        }
        count++;
        console.error(`agent/js/${file}:${source.slice(0, start).split('\n').length}: any in ${tag}`);
      }
    }
  }
  for (const exception of EXCEPTIONS) {
    const { file, tag, times } = exception;
    if (met.get(exception) === times) continue;
    count++;
    console.error(`agent/no-any.mjs: ${tag} is ${met.get(exception) ?? 0} times in ${file}, not ${times}`);
  }
  if (count > 0) process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) await check();
