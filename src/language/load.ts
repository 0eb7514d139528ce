import type { Definition } from '../definition/definition.js';
import { sourceFindings } from '../document/locate.js';
import { parseSource } from '../document/parse.js';
import { Place, type Report } from '../document/place.js';
import type { Finding } from '../problems/problem.js';
import type { LoadOptions } from '../reading/load-options.js';
import { schemaFaults } from './meta-schema.js';
import { readDocument } from './read-document.js';

export type { LoadOptions } from '../reading/load-options.js';

/** A journey's text and, for messages and the choice between YAML and JSON, its path. */
export interface JourneySource {
  text: string;
  path?: string;
}

/** What loading gives: every finding at once, in the order of the document; a definition only when none is an error. */
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
  options: Pick<LoadOptions, 'compat'>,
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
    };
    definition = read(new Place(report, '', parsed.value));
  }
  findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const unique = withoutMissed(distinct(findings), misspelt);
  const refused = definition === undefined || unique.some(({ severity }) => severity === 'error');
  return refused ? { findings: unique } : { definition: definition!, findings: unique };
}

/** Without repetitions: a named mapper is checked once for each place that uses it. */
function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ code, pointer, line, column, message }) => {
    const key = JSON.stringify([code, pointer, line, column, message]);
    return seen.has(key) ? false : seen.add(key);
  });
}

/** What is misspelt is not missing as well. Where the document cannot do without it, the misspelt one is the error. */
function withoutMissed(findings: readonly Finding[], misspelt: ReadonlyMap<string, string>): Finding[] {
  const missed = findings.filter(({ code, pointer = '' }) => code !== 'UNKNOWN_FIELD' && misspelt.has(pointer));
  const needed = new Set(
    missed.flatMap(({ severity, pointer }) => (severity === 'error' ? misspelt.get(pointer!)! : [])),
  );
  return findings
    .filter((finding) => !missed.includes(finding))
    .map((it) => (it.code === 'UNKNOWN_FIELD' && needed.has(it.pointer ?? '') ? { ...it, severity: 'error' } : it));
}
