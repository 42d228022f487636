// Runs the recording that is named second in the browser that is named first, with @puppeteer/replay; prints what the
// page says at the end (`document.title`).
import { readFileSync } from 'node:fs';
import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';
import puppeteer from 'puppeteer';

const [executablePath, recording] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage();
  const flow = parse(JSON.parse(readFileSync(recording, 'utf8')));
  const runner = await createRunner(flow, new PuppeteerRunnerExtension(browser, page, { timeout: 20_000 }));
  await runner.run();
  console.log(await page.title());
} finally {
  await browser.close();
}
