import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { playgroundCommand } from '../../../../src/cli/author/playground.js';
import { load } from '../../../../src/language/load-journey.js';
import { openBrowser } from '../../../temporal/support/browser.js';
import { gateway } from '../../gateway/harness.js';

const hostile = '</script><img src=x onerror="window.hacked = true">';

const broken = `apiVersion: v1
kind: Journey
metadata: { name: greeting, version: 1.0.0, description: '${hostile}' }
spec:
  input: { schema: { type: objekt } }
  start: greet
  states:
    greet:
      type: transform
      transform:
        mapper: { lang: dataweave, expr: "{ text: 'Hello ' ++ context.name }" }
        target: { kind: var }
        resultVar: answer
      next: dnoe
    done: { type: succeed, outputVar: answer }
`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(async () => await browser?.close());

/** Opens a page, which must not report an error nor run any part of a document. */
async function open(url: string): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
  onTestFinished(async () => await context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(url);
  return { page, errors };
}

async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Backspace');
  await page.keyboard.insertText(text);
}

/** The text of an editor. */
async function textOf(page: Page, editor: string): Promise<string> {
  return (await page.getByRole('textbox', { name: editor }).textContent()) ?? '';
}

const line = (page: Page) => page.locator('.transport-label');

/** Plays the run to its end by keyboard. */
async function playToEnd(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Play', exact: true }).press('Enter');
  await page.getByRole('tab', { name: 'Now' }).waitFor();
  await page.getByRole('slider').press('End');
}

/** Serves the static site below a path, without any of our headers. */
async function staticSite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  await playgroundCommand({ write: () => true }).parseAsync(['--out', folder], { from: 'user' });
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname.replace('/any/path/', '') || 'index.html';
    try {
      const content = readFileSync(join(folder, path));
      response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream').end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(folder, { recursive: true });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/any/path/`;
}

describe('the playground', { timeout: 180_000 }, () => {
  it('shows findings of a broken journey, plays the corrected one to its end, and links to it', async () => {
    const { server } = await gateway();
    const { page, errors } = await open(`${server.url}/console/playground`);
    await page.getByRole('button', { name: /^addUp/ }).waitFor();

    await write(page, 'Journey in YAML', broken);
    await write(page, 'Scenario in YAML', `input: { name: '${hostile}' }\n`);
    const finding = page.getByRole('button', { name: 'REF_UNKNOWN' });
    await finding.waitFor();
    expect(await finding.textContent()).toContain('Line 14');
    // The validators of schemas are precompiled, because the policy allows no generated code.
    const { findings } = load({ text: broken });
    const shown = await page.locator('.finding').first().textContent();
    expect(findings.map(({ code }) => code)).toEqual(['SCHEMA_INVALID', 'REF_UNKNOWN']);
    expect(shown).toContain(findings[0]!.message);
    expect(await page.getByRole('button', { name: 'Play', exact: true }).isDisabled()).toBe(true);

    await write(page, 'Journey in YAML', broken.replace('dnoe', 'done').replace('objekt', 'object'));
    const node = page.getByRole('button', { name: /^greet/ });
    await node.waitFor();
    await finding.waitFor({ state: 'detached' });
    await playToEnd(page);
    expect(await line(page).textContent()).toContain('SUCCEEDED');
    expect(await node.getAttribute('class')).toContain('visited');
    expect(await page.getByRole('region', { name: 'Output' }).textContent()).toContain('Hello </script>');

    // Clicking a node moves the cursor there. Outside an expression, the context is that of the played moment.
    await node.click();
    expect(await node.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('tab', { name: 'Evaluate' }).click();
    await page.getByLabel('Expression').fill('upper(context.name)');
    await page.getByText(JSON.stringify(hostile.toUpperCase())).waitFor();
    await page.getByText(/^Context of the played moment \d+ of \d+/).waitFor();

    await page.getByRole('tab', { name: 'Save as scenario' }).click();
    const saved = await page.getByRole('region', { name: 'Scenario file' }).textContent();
    expect(saved).toContain('phase: SUCCEEDED');
    expect(saved).toContain(hostile);

    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.waitForURL(/#d1\./);
    const linked = await open(page.url());
    await linked.page.getByText('These documents come from a link.').waitFor();
    await linked.page.getByRole('button', { name: /^greet/ }).waitFor();
    // Nothing is played before a click.
    expect(await linked.page.getByRole('slider').isDisabled()).toBe(true);
    for (const it of [page, linked.page]) expect(await it.evaluate('window.hacked')).toBeUndefined();
    expect([...errors, ...linked.errors]).toEqual([]);
  });

  it('stops undoing at the loaded example', async () => {
    const { server } = await gateway();
    const { page, errors } = await open(`${server.url}/console/playground`);
    await page.getByRole('button', { name: /^addUp/ }).waitFor();
    await page.getByLabel('Start from an example').selectOption('hello');
    await page.getByRole('button', { name: /^greet/ }).waitFor();
    const loaded = await textOf(page, 'Journey in YAML');
    await write(page, 'Journey in YAML', 'mine');
    expect(await textOf(page, 'Journey in YAML')).toBe('mine');
    for (let undone = 0; undone < 4; undone++) await page.keyboard.press('Control+Z');
    expect(await textOf(page, 'Journey in YAML')).toBe(loaded);
    expect(errors).toEqual([]);
  });

  it('keeps edited documents when an example is chosen', async () => {
    const { server } = await gateway();
    const { page, errors } = await open(`${server.url}/console/playground`);
    await page.getByRole('button', { name: /^addUp/ }).waitFor();
    const list = page.getByLabel('Start from an example');
    await write(page, 'Journey in YAML', 'mine');
    await list.selectOption('hello');
    await page.getByRole('button', { name: /^greet/ }).waitFor();
    await write(page, 'Journey in YAML', 'another');
    await page.reload();
    await page.getByRole('button', { name: /^addUp/ }).waitFor();
    for (const [label, text] of [
      ['Your own, 1', 'mine'],
      ['Your own, 2', 'another'],
    ] as const) {
      await list.selectOption({ label });
      await page.getByRole('textbox', { name: 'Journey in YAML' }).getByText(text, { exact: true }).waitFor();
    }
    expect(errors).toEqual([]);
  });

  it('is an accessible static site that needs no server', async () => {
    const { page, errors } = await open(await staticSite());
    await page.getByLabel('Start from an example').selectOption('hello');
    await page.getByRole('button', { name: /^greet/ }).waitFor();
    await playToEnd(page);
    expect(await line(page).textContent()).toContain('SUCCEEDED');
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    await page.evaluate(readFileSync(axe, 'utf8'));
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; impact: string; nodes: { html: string }[] }[];
    };
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(errors).toEqual([]);
  });
});
