import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Definition } from '../../../src/definition/definition.js';
import type { Json, JsonObject } from '../../../src/json/value.js';
import { isObject } from '../../../src/json/value.js';
import { load } from '../../../src/language/load.js';
import { readScenarios } from '../../../src/scenarios/read-scenarios.js';
import type { Scenario } from '../../../src/scenarios/scenario.js';

/** One case: a journey's `spec` and what is expected of it. Expressions are plain texts in what both languages share. */
export interface Case {
  name: string;
  kind?: 'Journey' | 'Api';
  tags?: string[];
  spec: JsonObject;
  /** Only in this language, where the expressions are not common to both. */
  lang?: Language;
  scenarios: JsonObject;
}

export type Language = 'dataweave' | 'jsonata';
export const languages: readonly Language[] = ['dataweave', 'jsonata'];

/** The names of the files of cases. */
export const topics: readonly string[] = readdirSync(new URL('cases/', import.meta.url))
  .map((file) => file.replace('.yaml', ''))
  .sort();

/** The cases of one topic. */
export function readCases(topic: string): Case[] {
  return parse(readFileSync(new URL(`cases/${topic}.yaml`, import.meta.url), 'utf8')) as Case[];
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

/** Texts where an expression stands, as expressions. */
function expressed(value: Json, lang: Language): Json {
  if (Array.isArray(value)) return value.map((item) => expressed(item, lang));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    const text = typeof inner === 'string' ? inner : undefined;
    if (text !== undefined && (key === 'mapper' || key === 'predicate')) out[key] = expression(text, lang);
    else if (text !== undefined && key === 'when' && text !== 'nonOk') out[key] = { predicate: expression(text, lang) };
    else out[key] = expressed(inner, lang);
  }
  return out;
}

function expression(text: string, lang: Language): Json {
  return { lang, expr: lang === 'jsonata' ? text.replaceAll('==', '=').replaceAll('++', '&') : text };
}
