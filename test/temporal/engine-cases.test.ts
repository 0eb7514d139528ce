import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { play } from '../../src/scenarios/virtual/virtual-runner.js';
import { type RunTrail, type TrailEntry, wholeTrail } from '../../src/service/run-trail.js';
import { type Case, document, journey, languages, readCases, scenariosOf, topics } from '../unit/engine/harness.js';
import { rig } from './support/rig.js';

const cli = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'cases-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Journeys of this test run. */
const prefix = `c${randomUUID().slice(0, 8)}`;

const { TOPIC } = process.env;
/** The minimum number of cases; a single file has few. */
const least = TOPIC === undefined ? 100 : 1;

/** Every engine case, or those of one file, in one of the languages, under a unique name. */
const cases = (TOPIC === undefined ? topics : [TOPIC]).flatMap((topic) =>
  readCases(topic).map((it, i) => ({
    it,
    lang: it.lang ?? languages[i % languages.length]!,
    name: `${prefix}-${topic}-${i}`,
  })),
);

/** Writes every case as a journey and a scenario file. */
function writeCases(): void {
  for (const { it, lang, name } of cases) {
    const { metadata, ...rest } = document(it.spec, lang, it);
    const named = { ...rest, metadata: { ...(metadata as JsonObject), name } };
    writeFileSync(join(folder, `${name}.journey.json`), JSON.stringify(named));
    const scenarios = Object.entries(it.scenarios).map(([scenario, fields]) => [`${it.name}: ${scenario}`, fields]);
    const text = JSON.stringify({ scenarios: Object.fromEntries(scenarios) });
    writeFileSync(join(folder, `${name}.scenario.json`), text.replaceAll('"name":"case"', `"name":"${name}"`));
  }
}

interface Report {
  passed: number;
  scenarios: { file: string; name: string; mismatches?: { subject: string; message: string }[] }[];
}

it('every engine case has the same outcome on Temporal as in virtual time', { timeout: 900_000 }, async () => {
  writeCases();
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('temporalAddress') };
  const stdout = await new Promise<string>((resolve) => {
    const options = { env, maxBuffer: 1e8 };
    execFile(process.execPath, [cli, 'test', folder, '--temporal', '--format', 'json'], options, (_, out) =>
      resolve(out),
    );
  });
  const { passed, scenarios } = JSON.parse(stdout) as Report;
  const wrong = scenarios.flatMap(({ name, mismatches = [] }) =>
    mismatches.map(({ subject, message }) => `${name}: ${subject}: ${message}`),
  );
  expect(wrong).toEqual([]);
  expect(passed).toBeGreaterThanOrEqual(least);
});

it('each of these runs has a complete trail, with the same states as in virtual time', {
  timeout: 300_000,
}, async () => {
  const { client, runs, stop } = await rig({ worker: false });
  onTestFinished(stop);
  const trails = new Map<string, RunTrail>();
  for await (const { workflowId } of client.workflow.list({ query: `JourneyName STARTS_WITH "${prefix}"` }))
    if (!trails.has(workflowId)) trails.set(workflowId, await wholeTrail(runs, workflowId));
  const incomplete = [...trails.values()].filter((it) => !it.complete);
  expect(incomplete.map(({ journeyName, reason }) => `${journeyName}: ${reason?.detail}`)).toEqual([]);
  expect(trails.size).toBeGreaterThanOrEqual(least);
  const missing: string[] = [];
  let compared = 0;
  for (const given of cases) {
    // Some scenarios are not played on a server, or only partly.
    const seen = [...trails.values()]
      .filter(({ journeyName }) => journeyName === given.name || journeyName.startsWith(`${given.name}-`))
      .filter(({ entries }) => hasEnded(entries.at(-1)))
      .map((trail) => topStates(trail).join());
    if (seen.length === 0) continue;
    for (const [scenario, states] of await endings(given)) {
      compared += 1;
      if (!seen.includes(states)) missing.push(`${given.it.name}: ${scenario}: ${states.slice(0, 500)}`);
    }
  }
  expect(compared).toBeGreaterThanOrEqual(least);
  expect(missing).toEqual([]);
});

function hasEnded(last: TrailEntry | undefined): boolean {
  return last?.kind === 'ended' && last.status !== 'TERMINATED';
}

function topStates({ entries }: RunTrail): string[] {
  return entries.flatMap((it) => (it.kind === 'visit' && it.within === undefined ? [it.state] : []));
}

/** The states that each scenario of a case visits in virtual time, if its run ends there. */
async function endings({ it, lang }: { it: Case; lang: (typeof languages)[number] }): Promise<[string, string][]> {
  const definition = journey(it.spec, lang, it);
  if (definition.kind === 'Api') return [];
  const played = scenariosOf(it).map(async (scenario): Promise<[string, string][]> => {
    const { outcome, states = [], refused } = await play(definition, scenario);
    if (!outcome || refused || scenario.until || scenario.virtualOnly) return [];
    // The state at which an endless cycle is stopped is not entered.
    const begun = outcome.error?.code === 'STEP_LIMIT_EXCEEDED' ? states.slice(0, -1) : states;
    return [[scenario.name, begun.join()]];
  });
  return (await Promise.all(played)).flat();
}
