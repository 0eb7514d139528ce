import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../src/base/json/value.js';
import { listTemplates } from '../../../src/cli/author/templates.js';
import { programFor } from '../../../src/cli/program.js';
import { acceptedInput, sampleInput } from '../../../src/cli/up.js';
import { packageName, version } from '../../../src/config/package-info.js';
import { validate } from '../../../src/json-schema/validate.js';

let folder: string;
let before: string;
beforeEach(() => {
  before = process.cwd();
  folder = mkdtempSync(join(tmpdir(), 'journeyman-init-'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  process.exitCode = undefined;
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** The output of a command, and its exit code. */
async function called(...args: string[]): Promise<{ printed: string; code: number }> {
  let printed = '';
  const take = (text: unknown) => {
    printed += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take),
    vi.spyOn(console, 'log').mockImplementation((text) => void take(`${text}\n`)),
  ];
  process.exitCode = 0;
  await (await programFor(args)).parseAsync(args, { from: 'user' }).finally(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return { printed, code: Number(process.exitCode) };
}

const files = () => readdirSync('.', { recursive: true, encoding: 'utf8' }).sort();
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;

describe('journeyman init', () => {
  it('scaffolds a project with a valid journey and passing scenarios', async () => {
    const { printed } = await called('init', 'flows');
    expect(printed).toContain('cd flows');
    process.chdir('flows');
    expect(files()).toEqual(
      expect.arrayContaining(['.gitignore', '.vscode/settings.json', '.github/workflows/journeys.yml', 'README.md']),
    );
    expect(json('package.json')).toMatchObject({ name: 'flows', dependencies: { [packageName]: version } });
    const validated = await called('validate');
    expect(validated).toMatchObject({ code: 0, printed: expect.stringContaining('0 errors, 0 warnings') });
    expect(await called('test')).toMatchObject({ code: 0, printed: expect.stringContaining(' 0 failed') });
    expect(await called('fmt', '--check')).toMatchObject({ code: 0 });
  });

  it('names an existing, matching schema in every document', async () => {
    await called('init');
    await called('new', 'pipeline');
    const settings = json('.vscode/settings.json')['yaml.schemas'] as JsonObject;
    for (const schema of Object.keys(settings)) expect(existsSync(schema)).toBe(true);
    const documents = files().filter((path) => /\.(journey|scenario|pipeline|config)\.yaml$/.test(path));
    expect(documents.length).toBeGreaterThan(5);
    for (const path of documents) {
      const text = readFileSync(path, 'utf8');
      const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1];
      const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(json(join(path, '..', schema!)));
      isValid(parse(text));
      expect([path, isValid.errors]).toEqual([path, null]);
    }
  });

  it('keeps existing project files and refuses to overwrite others', async () => {
    writeFileSync('package.json', '{"name": "mine"}');
    mkdirSync('specs');
    writeFileSync('specs/welcome.journey.yaml', 'mine');
    await expect(called('init')).rejects.toMatchObject({
      problem: { code: 'FILE_EXISTS', detail: expect.stringContaining('specs/welcome.journey.yaml') },
    });
    expect(files()).toEqual(['package.json', 'specs', 'specs/welcome.journey.yaml']);
    rmSync('specs', { recursive: true });
    const { printed } = await called('init', '--json');
    expect(JSON.parse(printed)).toMatchObject({ kept: ['package.json'] });
    expect(json('package.json')).toEqual({ name: 'mine' });
  });

  it('with an existing package.json, prints the install command and scripts to add', async () => {
    writeFileSync('package.json', '{"name": "mine"}');
    const { printed } = await called('init');
    expect(printed).toContain(`npm install --save-exact ${packageName}@${version}\n`);
    expect(printed).toContain('"test": "journeyman validate && journeyman test",');
    const readme = readFileSync('README.md', 'utf8');
    expect(readme).not.toContain('npm run');
    const [, command, file] = /npx journeyman (schema \w+) > (\S+json)/.exec(readme) ?? [];
    const schema = await called(...command!.split(' '));
    expect(JSON.parse(schema.printed)).toEqual(json(file!));
  });
});

describe('journeyman new', () => {
  it('every template is valid, passes its scenarios and has a summary', async () => {
    await called('init');
    for (const { name, summary } of listTemplates()) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      await called('new', name);
      await called('new', name, `other-${name}`);
    }
    const { printed, code } = await called('validate', '--format', 'json');
    expect(JSON.parse(printed)).toMatchObject({ valid: true, findings: [] });
    expect(code).toBe(0);
    const played = await called('test', '--format', 'json');
    expect(JSON.parse(played.printed)).toMatchObject({ failed: 0, findings: [] });
    expect(await called('fmt', '--check')).toMatchObject({
      code: 0,
      printed: expect.stringContaining(' 0 would change'),
    });
  });

  it.each(['approval', 'schedule', 'aggregator'])('%s has a long form without extensions', async (template) => {
    await called('new', template);
    expect(await called('validate', '--strict')).toMatchObject({ code: 1 });
    expect(await called('fmt', '--long')).toMatchObject({ code: 0 });
    expect(await called('validate', '--strict')).toMatchObject({ code: 0 });
  });

  it.each([
    ['an existing file', ['approval'], 'FILE_EXISTS'],
    ['a name used by another file', ['approval', 'taken'], 'FILE_EXISTS'],
    ['an invalid name', ['approval', 'My Approval'], 'META_NAME'],
    ['a reserved name', ['approval', 'constructor'], 'META_NAME_RESERVED'],
    ['a name that is too long with its suffixes', ['pipeline', 'x'.repeat(63)], 'META_NAME'],
    ['no template', [], 'USAGE_INVALID'],
  ])('rejects %s, and writes nothing', async (_, args, code) => {
    await called('new', 'approval');
    const text = readFileSync('specs/approval.journey.yaml', 'utf8').replace('name: approval', 'name: taken');
    writeFileSync('specs/elsewhere.journey.yaml', text);
    const there = files();
    await expect(called('new', ...args)).rejects.toMatchObject({ problem: { code } });
    expect(files()).toEqual(there);
  });
});

describe('the example body that `up` prints', () => {
  it.each<[string, Json, Json]>([
    ['examples first', { type: 'string', examples: ['Ada'], default: 'x' }, 'Ada'],
    [
      'required fields by their types',
      {
        type: 'object',
        required: ['a', 'b', 'c'],
        properties: { a: { type: 'integer', minimum: 5 }, b: { type: 'boolean' }, d: { type: 'string' } },
      },
      { a: 5, b: true, c: 'c' },
    ],
    ['lists of minimal length', { type: 'array', minItems: 1, items: { enum: ['x', 'y'] } }, ['x']],
    ['nothing without a schema', true, {}],
  ])('%s', (_, schema, sample) => {
    expect(sampleInput(schema)).toEqual(sample);
  });
});

it('GAP-23 the example body is valid by the input schema', () => {
  const schema = {
    type: 'object',
    required: ['mail', 'n', 'code'],
    properties: {
      mail: { type: 'string', format: 'email', minLength: 8 },
      n: { type: 'integer', exclusiveMinimum: 4 },
      code: { $ref: '#/$defs/code' },
    },
    $defs: { code: { type: 'string', minLength: 10 } },
  };
  expect(validate(schema, sampleInput(schema))).not.toEqual([]);
  expect(validate(schema, acceptedInput(schema))).toEqual([]);
});
