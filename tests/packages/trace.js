// Does things to a page with Playwright and keeps a trace of them: node trace.js BROWSER PAGE
const { chromium, expect } = require('@playwright/test');

(async () => {
  const [, , executablePath, page] = process.argv;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const context = await browser.newContext({ viewport: { width: 800, height: 600 }, baseURL: page });
  await context.tracing.start({ screenshots: true, snapshots: true });
  const shop = await context.newPage();
  await shop.goto('/');
  await shop.getByRole('button', { name: 'add one' }).click();
  await shop.locator('#add').first().dblclick();
  await shop.getByLabel('Coupon').fill('HALF');
  await shop.getByPlaceholder('Name').pressSequentially('Ada');
  await shop.keyboard.press('Tab');
  await expect(shop.getByText('buy', { exact: true })).toBeVisible();
  await expect(shop.locator('#coupon')).toHaveValue('HALF');
  const other = await context.newPage();
  await other.goto('about:blank');
  await shop.bringToFront();
  await shop.locator('css=#buy').click();
  await expect(shop.locator('#said')).not.toBeEmpty();
  console.log(await shop.locator('#said').textContent());
  await shop.locator('#missing').click({ timeout: 300 }).catch(() => {});
  await context.tracing.stop({ path: 'trace.zip' });
  await browser.close();
})();
