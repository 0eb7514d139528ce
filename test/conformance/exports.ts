import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject, own } from '../../src/base/json/value.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import { arazzoOf } from '../../src/language/exports/generate-arazzo.js';
import { openApiOf } from '../../src/language/exports/generate-openapi.js';
import { load } from '../../src/language/load-journey.js';
import { readApiCatalogue } from '../../src/library/read-library.js';
import { arazzoFaults, openApiFaults, operationsOf } from '../support/export-validity.js';
import { type Difference, type Explained, explain } from './exports-explained.js';
import { flat } from './flat-schema.js';
import { repairs } from './repairs.js';
import { type Section, shared, type Tally } from './section.js';

const corpus = new URL('corpus/', shared);
const root = pathToFileURL(`${process.cwd()}/`);
const overlay = new URL('test/fixtures/overlay/', root);

async function baseDocument(): Promise<JsonObject> {
  return parse(await readFile(new URL('docs/openapi.yaml', root), 'utf8')) as JsonObject;
}

/** The public journeys, repaired where they are rejected, so that all of them can be exported. */
async function journeys(): Promise<Definition[]> {
  const { catalogue } = await readApiCatalogue({ root: fileURLToPath(corpus), overlays: [fileURLToPath(overlay)] });
  const files = (await readdir(new URL('journeys/', corpus))).filter((file) => file.endsWith('.journey.yaml')).sort();
  const found: Definition[] = [];
  for (const file of files) {
    const document = parse(await readFile(new URL(`journeys/${file}`, corpus), 'utf8')) as JsonObject;
    repairs[file.replace('.journey.yaml', '')]?.(document);
    const { definition } = load({ text: JSON.stringify(document) }, { catalogue });
    if (definition) found.push(definition);
  }
  return found;
}

/** Validates our exports of every public journey against the official schemas. */
async function validity(): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const base = await baseDocument();
  for (const definition of await journeys()) {
    const openApi = openApiOf(definition, base);
    const faults = await openApiFaults(openApi);
    if (definition.kind === 'Journey') faults.push(...arazzoFaults(arazzoOf(definition, 'openapi.yaml'), openApi));
    if (faults.length === 0) tally.passed++;
    else tally.failures.push({ id: definition.name, line: faults.join('; ') });
  }
  return tally;
}

/** Compares our exports with hand-written ones, operation by operation; each difference needs a reason. */
async function comparison(): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const counts = new Map<string, number>();
  const base = await baseDocument();
  const generic = parse(await readFile(new URL('reference/journeys.openapi.yaml', shared), 'utf8')) as JsonObject;
  for (const definition of await journeys()) {
    const ours = openApiOf(definition, base);
    const theirs = await golden(`${definition.name}.openapi.yaml`);
    const workflows = await golden(`${definition.name}.arazzo.yaml`);
    const differences = [
      ...(theirs ? compareOperations(ours, theirs, generic) : []),
      ...(workflows ? compareWorkflows(arazzoOf(definition, 'openapi.yaml'), workflows) : []),
    ];
    if (!theirs && !workflows) continue;
    const unexplained = differences.filter((difference) => !note(explain(definition, difference), counts));
    if (unexplained.length === 0) tally.passed++;
    for (const it of unexplained) {
      const line = `${it.operation} ${it.at}: ours ${short(it.ours)}, theirs ${short(it.theirs)}`;
      tally.failures.push({ id: definition.name, line });
    }
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  tally.remarks = sorted.map(([reason, count]) => `explained ${count}x: ${reason}`);
  return tally;
}

function note(explained: Explained | undefined, counts: Map<string, number>): boolean {
  if (explained) counts.set(explained.reason, (counts.get(explained.reason) ?? 0) + 1);
  return explained !== undefined;
}

async function golden(file: string): Promise<JsonObject | undefined> {
  const url = new URL(`exports/${file}`, corpus);
  return existsSync(url) ? (parse(await readFile(url, 'utf8')) as JsonObject) : undefined;
}

function compareOperations(ours: JsonObject, theirs: JsonObject, generic: JsonObject): Difference[] {
  const read = (document: JsonObject) =>
    new Map(operationsOf(document).map(({ path, method, value }) => [`${method} ${path}`, value]));
  const [mine, other] = [read(ours), read(theirs)];
  return [...new Set([...mine.keys(), ...other.keys()])].flatMap((operation): Difference[] => {
    const [one, two] = [mine.get(operation), other.get(operation)];
    if (!one || !two) return [{ operation, at: '', ours: one && 'there', theirs: two && 'there' }];
    const [a, b] = [plain(one, ours, generic), plain(two, theirs, generic)];
    return [...choices(a, b), ...differences(a, b, '')].map((it) => ({ operation, ...it }));
  });
}

/** If we list several responses and they list one, keeps our matching one; the choice itself is a difference. */
function choices(ours: JsonObject, theirs: JsonObject): Omit<Difference, 'operation'>[] {
  const [mine, other] = [ours.responses, theirs.responses] as JsonObject[];
  return Object.entries(mine!).flatMap(([status, answer]) => {
    const several = own(answer, 'anyOf');
    const one = own(other, status);
    if (!Array.isArray(several) || !isObject(one)) return [];
    const keys = ({ required }: JsonObject) => JSON.stringify([...((required ?? []) as string[])].sort());
    const meant = (several as JsonObject[]).find((it) => keys(it) === keys(one)) ?? several[0]!;
    mine![status] = meant;
    return [{ at: `/responses/${status}/anyOf`, ours: several, theirs: undefined }];
  });
}

/** An operation's request and responses, without references and descriptions. */
function plain(operation: JsonObject, document: JsonObject, generic: JsonObject): JsonObject {
  const deref = (value: Json | undefined) => dereferenced(value ?? null, document, generic, 0);
  const body = deref(operation.requestBody);
  const parameters = (deref(operation.parameters ?? []) as JsonObject[]).map(
    (it) => [`${String(it.in)} ${String(it.name)}`, it] as const,
  );
  const responses = Object.entries(deref(operation.responses) as JsonObject);
  return {
    operationId: operation.operationId ?? null,
    parameters: Object.fromEntries(parameters.map(([key, it]) => [key, { required: it.required ?? false }])),
    body: { required: own(body, 'required') ?? false, schema: schemaOf(body) },
    responses: Object.fromEntries(responses.map(([status, it]) => [status, schemaOf(it)])),
  };
}

function schemaOf(part: Json): Json {
  const schema = own(own(own(part, 'content'), 'application/json'), 'schema');
  return schema === undefined ? null : flat(schema);
}

function dereferenced(value: Json, document: JsonObject, generic: JsonObject, depth: number): Json {
  if (depth > 60) return null;
  if (Array.isArray(value)) return value.map((item) => dereferenced(item, document, generic, depth + 1));
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string') {
    const [file, pointer = ''] = $ref.split('#');
    const root = file === '' ? document : generic;
    const target = pointer
      .split('/')
      .slice(1)
      .reduce<Json | undefined>((at, key) => own(at, key.replaceAll('~1', '/')), root);
    if (target === undefined) throw new Error(`nothing at ${$ref}`);
    return dereferenced(target, root, generic, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [key, dereferenced(it, document, generic, depth + 1)]),
  );
}

function differences(ours: Json | undefined, theirs: Json | undefined, at: string): Omit<Difference, 'operation'>[] {
  if (isObject(ours) && isObject(theirs))
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((key) =>
      differences(own(ours, key), own(theirs, key), `${at}/${key}`),
    );
  const sorted = (it: Json | undefined) =>
    JSON.stringify(Array.isArray(it) ? it.map((x) => JSON.stringify(x)).sort() : it);
  return sorted(ours) === sorted(theirs) ? [] : [{ at, ours, theirs }];
}

/** Each of their workflows must be one of ours: the same calls in the same order. Status reads in between are not separate calls. */
function compareWorkflows(ours: JsonObject, theirs: JsonObject): Difference[] {
  const calls = (document: JsonObject) =>
    (document.workflows as JsonObject[]).map((it) => ({
      id: String(it.workflowId),
      calls: (it.steps as JsonObject[])
        .map(({ operationId }) => String(operationId))
        .filter((id) => !id.endsWith('_getStatus'))
        .join(' → '),
    }));
  const known = calls(ours);
  return calls(theirs)
    .filter((it) => !known.some((mine) => mine.calls === it.calls))
    .map((it) => ({ operation: `workflow ${it.id}`, at: '', ours: known.map((mine) => mine.calls), theirs: it.calls }));
}

function short(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

export const exportSections: Section[] = [
  { name: 'exports: valid', run: validity },
  { name: 'exports: compared with hand-written ones', run: comparison },
].map(({ name, run }) => ({
  name,
  run: async () =>
    existsSync(new URL('exports/', corpus))
      ? run()
      : { skipped: 'the shared corpus is not here (../shared/corpus/exports)' },
}));
