import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../../temporal/support/browser.js';
import { gateway } from '../gateway/harness.js';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(async () => await browser?.close());

async function newPage(width: number): Promise<{ page: Page; url: string }> {
  const { server } = await gateway();
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  onTestFinished(async () => await page.close());
  return { page, url: `${server.url}/console` };
}

describe('the console', { timeout: 120_000 }, () => {
  it('labels items of a list, and shows examples of the schema in empty inputs', async () => {
    const { page, url } = await newPage(1100);
    const properties = {
      skus: { type: 'array', minItems: 1, items: { type: 'string', examples: ['SKU-1'] } },
      'line-1': { type: 'integer', examples: [5] },
    };
    const order = { name: 'order', version: '1.0.0', versions: ['1.0.0'], kind: 'Journey', tags: [], steps: [] };
    const json = { ...order, inputSchema: { type: 'object', properties } };
    await page.route('**/definitions/order', (route) => route.fulfill({ json }));
    await page.goto(`${url}/journeys/order`);
    const item = page.getByLabel('skus 1');
    await item.waitFor();
    expect(await item.getAttribute('placeholder')).toBe('e.g. SKU-1');
    expect(await page.getByLabel('line-1').getAttribute('placeholder')).toBe('e.g. 5');
    // The button is beside the input, not beside its label.
    const [input, remove] = [
      await item.boundingBox(),
      await page.getByRole('button', { name: 'Remove' }).boundingBox(),
    ];
    expect(Math.abs(remove!.y - input!.y)).toBeLessThan(4);
  });

  it('lists runs on a phone with state and subject, and folds the filters away', async () => {
    const { page, url } = await newPage(420);
    const run = { journeyName: 'checkout', journeyVersion: '1.0.0', phase: 'RUNNING', currentState: 'approval' };
    const items = [
      { ...run, journeyId: '0198c0de-1234-7000-8000-0123456789ab', attributes: { subjectId: 'kim' } },
      { ...run, journeyId: 'checkout/order-4711', attributes: {} },
    ];
    await page.route(/\/journeys\?/, (route) => route.fulfill({ json: { items, nextPageToken: null } }));
    await page.goto(`${url}/runs`);
    await page.getByRole('cell', { name: 'kim' }).waitFor();
    expect(await page.getByRole('cell', { name: 'approval' }).count()).toBe(2);
    expect(await page.getByText('order-4711').isVisible()).toBe(true);
    expect(await page.getByText('0198c0de').isVisible()).toBe(false);
    const key = page.getByLabel('Business key');
    expect(await key.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters' }).click();
    await key.waitFor();
  });
});
