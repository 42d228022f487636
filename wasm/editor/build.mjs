// Bundles the view of source: `node build.mjs` writes dist/, `node build.mjs --check` says whether dist/ is what the
// sources give.
//
// dist/editor.js is one module, for the panel to import; it begins with the licences of what is in it.

import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const here = (path) => new URL(path, import.meta.url);

// The documents of the panel allow no style that stands in them, so styles are put beside the document, as in a shadow
// root.
const STYLES = ['!root.head && root.adoptedStyleSheets', 'root.adoptedStyleSheets'];

async function bundle() {
  const packages = new Set();
  let isPatched = false;
  const build = await rolldown({
    input: here('js/editor.js').pathname,
    platform: 'browser',
    plugins: [{
      name: 'packages',
      transform(code, path) {
        const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
        if (name !== undefined) packages.add(name);
        if (name !== 'style-mod') return null;
        if (code.split(STYLES[0]).length !== 2) throw new Error('style-mod: where it puts styles is not where it was');
        isPatched = true;
        return { code: code.replace(STYLES[0], STYLES[1]), map: null };
      },
    }],
    onLog(level, log) {
      throw new Error(`${level}: ${log.message}`);
    },
  });
  const { output } = await build.generate({ format: 'esm', comments: false, minify: true });
  await build.close();
  if (output.length !== 1 || !isPatched) throw new Error(`${output.length} files`);
  return `/*\n${await licences([...packages].sort())}*/\n${output[0].code}\n`;
}

// The names of the packages, and each licence once.
async function licences(packages) {
  const byText = new Map();
  for (const name of packages) {
    const { version, license } = JSON.parse(await readFile(here(`node_modules/${name}/package.json`), 'utf8'));
    const text = (await readFile(here(`node_modules/${name}/LICENSE`), 'utf8')).trim();
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  return [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`).join('\n');
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const path = here('dist/editor.js');
const text = await bundle();
if (!values.check) await writeFile(path, text);
else if (await readFile(path, 'utf8').catch(() => '') !== text) {
  console.error('wasm/editor/dist is not what wasm/editor/js gives: run `cargo xtask editor`, commit what it writes');
  process.exitCode = 1;
}
