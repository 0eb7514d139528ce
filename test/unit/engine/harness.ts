import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/base/json/value.js';
import type { Code } from '../../../src/base/problems/registry.js';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { load } from '../../../src/language/load-journey.js';
import { readScenarios } from '../../../src/scenarios/read/read-scenario-file.js';
import type { Scenario } from '../../../src/scenarios/scenario.js';
import { doc, type FaultCase } from '../language/cases/case.js';
import { expressed, type Language } from './expressed.js';

/** A journey's `spec` and the expected result. Expressions are plain texts, valid in both languages. */
export interface Case {
  name: string;
  kind?: 'Journey' | 'Api';
  tags?: string[];
  spec: JsonObject;
  /** The only language of this case, if its expressions are not valid in both. */
  lang?: Language;
  scenarios: JsonObject;
  /** Its first scenario is also run on a real server, and its history stored as `test/histories/<release>/<topic>.history`. */
  record?: true;
  /** A journey whose POSTs, all inside the state, are checked by `test/unit/language/states/inner-graphs.test.ts`. */
  contract?: true;
}

/** Documents for which the loader must report a finding at `§`. */
interface FaultGroup {
  finding: Code;
  severity?: 'warning';
  /** Reported only with `--strict`. */
  strict?: true;
  /** The published schema rejects them too, so editors show the error. */
  structural?: true;
  /** The states of each document, starting with `a`; or the whole document. */
  faults: Record<string, string>;
}

export const languages: readonly Language[] = ['dataweave', 'jsonata'];

/** The names of the files of cases. */
export const topics: readonly string[] = readdirSync(new URL('cases/', import.meta.url))
  .map((file) => file.replace('.yaml', ''))
  .sort();

function readTopic(topic: string): (Case | FaultGroup)[] {
  return parse(readFileSync(new URL(`cases/${topic}.yaml`, import.meta.url), 'utf8')) as (Case | FaultGroup)[];
}

/** The cases of one topic. */
export function readCases(topic: string): Case[] {
  return readTopic(topic).filter((it) => 'scenarios' in it);
}

/** The invalid documents of one topic. */
export function readFaults(topic: string): (FaultCase & Pick<FaultGroup, 'structural'>)[] {
  return readTopic(topic)
    .filter((it) => 'finding' in it)
    .flatMap(({ finding, severity, strict, structural, faults }) =>
      Object.entries(faults).map(([about, text]) => ({
        code: finding,
        about,
        text: text.startsWith('apiVersion') ? text : doc({ states: text }),
        ...(severity && { severity }),
        ...(strict && { options: { compat: false } }),
        ...(structural && { structural }),
      })),
    );
}

/** A journey's document from its `spec`, with expressions in `lang`. */
export function document(spec: JsonObject, lang: Language, more: Partial<Case> = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: more.kind ?? 'Journey',
    metadata: { name: 'case', version: '1.0.0', ...(more.tags && { tags: more.tags }) },
    spec: expressed(spec, lang),
  };
}

/** A journey from its `spec`. */
export function journey(spec: JsonObject, lang: Language, more: Partial<Case> = {}): Definition {
  const { definition, findings } = load({
    text: JSON.stringify(document(spec, lang, more)),
    path: 'case.journey.json',
  });
  if (!definition)
    throw new Error(
      JSON.stringify(
        findings.filter(({ severity }) => severity === 'error'),
        null,
        1,
      ),
    );
  return definition;
}

/** The scenarios of a case. */
export function scenariosOf({ scenarios }: Pick<Case, 'scenarios'>): Scenario[] {
  const read = readScenarios(JSON.stringify({ scenarios }), 'case.scenario.json');
  if (read.findings.length > 0) throw new Error(JSON.stringify(read.findings, null, 1));
  return read.scenarios.map(({ scenario }) => scenario);
}
