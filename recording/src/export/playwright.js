// The page was a file when it was recorded: what is asked of that address comes from a folder, that of this test
// unless the variable SITE names another.
async function answerFromFolder(page, origin) {
  const { existsSync, statSync } = require('node:fs');
  const { join } = require('node:path');
  const folder = process.env.SITE || __dirname;
  await page.context().route((url) => url.origin === origin, async (route) => {
    const path = join(folder, decodeURIComponent(new URL(route.request().url()).pathname));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path;
    await (existsSync(file) ? route.fulfill({ path: file }) : route.continue());
  });
}

// The elements that a value is given to take it in different ways.
async function change(locator, value) {
  const kind = await locator.evaluate((element) => (element.localName === 'input' ? element.type : element.localName));
  if (kind === 'select') await locator.selectOption(value);
  else if (kind === 'checkbox' || kind === 'radio') await locator.setChecked(value === 'true');
  else await locator.fill(value);
}

// Presses at the first place, goes along the others and releases at the last: pixels from the element's corner.
async function drag(page, locator, button, places) {
  await locator.scrollIntoViewIfNeeded();
  const { x, y } = await locator.boundingBox();
  await page.mouse.move(x + places[0][0], y + places[0][1]);
  await page.mouse.down({ button });
  for (const place of places.slice(1)) await page.mouse.move(x + place[0], y + place[1]);
  await page.mouse.up({ button });
}

// Answers the dialogs that come next, in order.
function answerDialogs(page, answers) {
  page.once('dialog', async (dialog) => {
    const [{ accept, text }, ...rest] = answers;
    if (rest.length > 0) answerDialogs(page, rest);
    await (accept ? dialog.accept(text ?? undefined) : dialog.dismiss());
  });
}

// The values that an expression has in a frame at a place, each time the page comes by: the debugger looks.
async function valuesAt(page, { path, line, column }, expressions) {
  const session = await page.context().newCDPSession(page);
  const seen = [];
  session.on('Debugger.paused', async ({ callFrames }) => {
    const values = [];
    for (const { frame, expression } of expressions) {
      const { result } = await session.send('Debugger.evaluateOnCallFrame', {
        callFrameId: callFrames.at(frame).callFrameId, expression, silent: true,
      });
      values.push(primitive(result));
    }
    seen.push(values);
    await session.send('Debugger.resume');
  });
  await session.send('Debugger.enable');
  const urlRegex = `^[a-z]+:(//[^/]*)?${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  await session.send('Debugger.setBreakpointByUrl', { urlRegex, lineNumber: line - 1, columnNumber: column - 1 });
  return seen;
}

function primitive({ type, subtype, value, unserializableValue }) {
  if (type === 'bigint') return BigInt(unserializableValue.slice(0, -1));
  if (unserializableValue !== undefined) return Number(unserializableValue);
  return type === 'undefined' ? undefined : subtype === 'null' ? null : value ?? type;
}

// What was seen the last time; the page came by so often when the bug was there.
async function last(seen, hits) {
  await expect.poll(() => seen.length, { timeout: 5000 }).toBeGreaterThanOrEqual(hits).catch(() => undefined);
  expect(seen.length, 'the page comes by the place where the value was wrong').toBeGreaterThan(0);
  return seen.at(-1);
}
