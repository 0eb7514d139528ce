import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { arazzoCommand, openApiCommand } from '../../../src/cli/author/export-openapi-and-arazzo.js';

const fixtures = 'test/fixtures/exports';
let folder: string;
let printed: string;
let errors: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'));
  printed = '';
  errors = '';
  vi.stubEnv('JOURNEYMAN_SPECS', join(process.cwd(), fixtures));
  vi.spyOn(console, 'error').mockImplementation((text) => {
    errors += `${String(text)}\n`;
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
  await rm(folder, { recursive: true });
});

const out = { write: (text: string) => (printed += text) };
const openApi = (...args: string[]) => openApiCommand(out).parseAsync(args, { from: 'user' });
const arazzo = (...args: string[]) => arazzoCommand(out).parseAsync(args, { from: 'user' });

it('prints one journey, by name or file, as YAML or JSON', async () => {
  await openApi('parcel-return');
  const byName = parse(printed);
  expect(byName).toMatchObject({ openapi: '3.1.0', info: { title: 'parcel-return', version: '2.1.0' } });
  printed = '';
  await openApi(`${fixtures}/parcel.journey.yaml`, '--format', 'json', '--server', 'https://shop.example');
  expect(JSON.parse(printed)).toEqual({ ...byName, servers: [{ url: 'https://shop.example/api/v1' }] });
  printed = '';
  await arazzo('parcel-return', '--format', 'json');
  expect(JSON.parse(printed)).toMatchObject({ sourceDescriptions: [{ url: 'parcel-return.openapi.json' }] });
});

it('writes several documents into a folder; Apis have no Arazzo document', async () => {
  await openApi('--all', '--out', folder);
  await arazzo(fixtures, '--out', folder);
  expect((await readdir(folder)).sort()).toEqual([
    'parcel-return.arazzo.yaml',
    'parcel-return.openapi.yaml',
    'price-check.openapi.yaml',
    'quote-maker.arazzo.yaml',
    'quote-maker.openapi.yaml',
    'reminder-7.arazzo.yaml',
    'reminder-7.openapi.yaml',
  ]);
  expect(parse(await readFile(join(folder, 'price-check.openapi.yaml'), 'utf8')).info.title).toBe('price-check');
  expect(printed).toContain(join(folder, 'reminder-7.arazzo.yaml'));
});

it.each(['shop.example', 'ftp://shop.example', 'https://shop.example?x=1'])(
  'rejects %s as the URL of the gateway',
  async (server) => {
    await expect(openApi('parcel-return', '--server', server)).rejects.toMatchObject({
      problem: { code: 'USAGE_INVALID' },
    });
    expect(printed).toBe('');
  },
);

it('supports the task kinds of plugins', async () => {
  const file = join(folder, 'shout.journey.yaml');
  const task = '{ kind: "shout:v1" }';
  await writeFile(
    file,
    `apiVersion: v1\nkind: Journey\nmetadata: { name: shout, version: 1.0.0 }\nspec:\n  start: a\n  states: { a: { type: task, task: ${task}, next: b }, b: { type: succeed } }\n`,
  );
  const plugin = join(folder, 'shout.mjs');
  await writeFile(plugin, "export default { kind: 'shout:v1', description: 'Shouts.', fields: {}, run: () => null };");
  vi.stubEnv('JOURNEYMAN_PLUGINS_MODULES', JSON.stringify([plugin]));
  await openApi(file);
  expect(parse(printed)).toMatchObject({ info: { title: 'shout' } });
});

it('rejects wrong usage with the reason', async () => {
  const refused = (code: string) => expect.objectContaining({ problem: expect.objectContaining({ code }) });
  await expect(openApi()).rejects.toEqual(refused('USAGE_INVALID'));
  await expect(openApi('--all')).rejects.toEqual(refused('USAGE_INVALID'));
  await expect(arazzo('price-check')).rejects.toEqual(refused('EXPORT_NOT_POSSIBLE'));
  await expect(openApi('parcel-retur')).rejects.toMatchObject({
    problem: { code: 'JOURNEY_UNKNOWN', hint: 'Did you mean "parcel-return"?' },
  });
  expect(printed).toBe('');
});

it('prints the findings of a broken document and exports the others', async () => {
  await writeFile(join(folder, 'bad.journey.yaml'), 'apiVersion: v1\n');
  await openApi(`${fixtures}/quote.journey.yaml`, folder, '--out', join(folder, 'out'));
  expect(await readdir(join(folder, 'out'))).toEqual(['quote-maker.openapi.yaml']);
  expect(errors).toContain('bad.journey.yaml');
  expect(process.exitCode).toBe(1);
});
