import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { graphCommand } from '../../../src/cli/author/graph.js';
import { captured } from './capture.js';

const { folder, printed, run } = captured(graphCommand);
beforeEach(() => void vi.stubEnv('JOURNEYMAN_SPECS', join(process.cwd(), 'specs')));

it('prints a Mermaid flowchart of a journey by name or file', async () => {
  await run('checkout');
  const byName = printed();
  expect(byName).toMatch(/^flowchart TD\n {2}subgraph n0\["checkout"\]/);
  expect(byName).toMatch(/n\d+ [=-]+>\|"context\.summary\.needsApproval"\| n\d+/);
  await run('specs/checkout.journey.yaml');
  expect(printed()).toBe(byName + byName);
});

it('draws pipelines', async () => {
  await run('inbox', '--format', 'dot');
  expect(printed()).toContain('"/spec/producers/poll" -> "/spec/topics/mail"');
});

it('writes the drawing to a file', async () => {
  const file = join(folder(), 'checkout.svg');
  await run('checkout', '--format', 'svg', '--out', file);
  expect(printed()).toBe(`${file}\n`);
  expect(readFileSync(file, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
});

it('has positions in the JSON', async () => {
  await run('hello', '--format', 'json');
  const { graphs } = JSON.parse(printed());
  expect(graphs[0].nodes[1]).toMatchObject({ kind: 'state', position: { line: expect.any(Number) } });
});

it.each([
  [['chekout'], 'JOURNEY_UNKNOWN'],
  [['specs'], 'USAGE_INVALID'],
])('rejects %s with %s', async (args, code) => {
  await expect(run(...args)).rejects.toMatchObject({ problem: { code } });
});

it('reports the findings of a document that has errors', async () => {
  const file = join(folder(), 'broken.journey.yaml');
  writeFileSync(file, readFileSync('specs/hello.journey.yaml', 'utf8').replace(/^ {2}start: .*$/m, '  start: nowhere'));
  await expect(run(file)).rejects.toMatchObject({ problem: { code: 'JOURNEY_UNKNOWN' } });
  expect(printed()).toContain('START_UNKNOWN');
});
