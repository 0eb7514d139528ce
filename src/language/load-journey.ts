import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { didYouMean } from '../base/document/did-you-mean.js';
import { sourceFindings } from '../base/document/locate-pointer.js';
import { parseSource } from '../base/document/parse-yaml.js';
import { Place, type Report, type SchemaFault } from '../base/document/placed-value.js';
import { describeType, ifDefined } from '../base/document/read-fields.js';
import type { Json } from '../base/json/value.js';
import type { Finding } from '../base/problems/problem.js';
import type { Definition } from '../engine/definition/definition.js';
import type { LoadOptions } from './read/load-options.js';
import { draft } from './read/read-inline-schema.js';
import { readDocument } from './read-document.js';

/** A journey's text and, for messages and the choice between YAML and JSON, its path. */
export interface JourneySource {
  text: string;
  path?: string;
}

/** The result of loading: all findings in document order, and a definition if none of them is an error. */
export interface Loaded<D = Definition> {
  definition?: D;
  findings: Finding[];
}

/** Reads a journey: parses it, checks it against the whole language, and normalises it. Pure and total: it never throws. */
export function load(source: JourneySource, options: LoadOptions = {}): Loaded {
  return loadDocument(source, options, (root) => readDocument(root, options));
}

/** Parses a document and reads it with `read`. */
export function loadDocument<D>(
  source: JourneySource,
  options: Pick<LoadOptions, 'compat' | 'forms'>,
  read: (root: Place) => D | undefined,
): Loaded<D> {
  const parsed = parseSource(source.text, source.path);
  const findings = sourceFindings(parsed);
  const misspelt = new Map<string, string>();
  let definition: D | undefined;
  if (parsed.value !== undefined) {
    const report: Report = {
      source: parsed,
      findings,
      compat: options.compat ?? true,
      schemaFaults,
      misspelt,
      ...ifDefined('forms', options.forms),
    };
    definition = read(new Place(report, '', parsed.value));
  }
  findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const unique = withoutMisspelt(distinct(findings), misspelt);
  const refused = definition === undefined || unique.some(({ severity }) => severity === 'error');
  return refused ? { findings: unique } : { definition: definition!, findings: unique };
}

/** Removes duplicate findings: a named mapper is checked once for each of its users. */
function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ code, pointer, line, column, message }) => {
    const key = JSON.stringify([code, pointer, line, column, message]);
    return seen.has(key) ? false : seen.add(key);
  });
}

/** Removes findings about missing fields that are only misspelt. If the missing field was an error, the misspelling becomes one. */
function withoutMisspelt(findings: readonly Finding[], misspelt: ReadonlyMap<string, string>): Finding[] {
  const missed = findings.filter(({ code, pointer = '' }) => code !== 'UNKNOWN_FIELD' && misspelt.has(pointer));
  const needed = new Set(
    missed.flatMap(({ severity, pointer }) => (severity === 'error' ? misspelt.get(pointer!)! : [])),
  );
  return findings
    .filter((finding) => !missed.includes(finding))
    .map((it) => (it.code === 'UNKNOWN_FIELD' && needed.has(it.pointer ?? '') ? { ...it, severity: 'error' } : it));
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false, verbose: true });

/** Checks a JSON Schema against the meta-schema of its dialect. Returns at most one fault per JSON pointer. */
function schemaFaults(schema: Json): ReadonlyMap<string, SchemaFault> {
  const faults = new Map<string, SchemaFault>();
  ajv.validate(draft, schema);
  for (const error of ajv.errors ?? []) {
    // A wrong value of a keyword that accepts "a schema or something else" fails every alternative; one finding is enough.
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === '$dynamicRef') continue;
    if (!faults.has(error.instancePath)) faults.set(error.instancePath, faultOf(error));
  }
  return faults;
}

function faultOf({ keyword, params, message, data }: ErrorObject): SchemaFault {
  if (keyword === 'type') return { message: `must be ${[params.type].flat().join(' or ')}, not ${shown(data)}` };
  if (keyword === 'enum') {
    const allowed = (params.allowedValues as Json[]).map(String);
    const hint = didYouMean(data as Json, allowed);
    return { message: `must be one of ${allowed.join(', ')}, not ${shown(data)}`, ...(hint !== undefined && { hint }) };
  }
  return { message: `${message ?? 'is not valid'}, not ${shown(data)}` };
}

function shown(data: unknown): string {
  return describeType(data as Json);
}

export type { LoadOptions } from './read/load-options.js';
