import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { isObject, type Json, type JsonObject, own } from '../../src/base/json/value.js';
import { differences } from '../../src/scenarios/json-differences.js';
import { noteEnd } from './journeys-ends.js';
import { journeysWithoutLiveScenario } from './journeys-run-expected.js';
import { type Section, shared, type Tally } from './section.js';

const root = pathToFileURL(`${process.cwd()}/`);
const command = new URL('dist/src/cli/main.js', root);
const path = (relative: string, base = root) => fileURLToPath(new URL(relative, base));

interface Report {
  findings: { file: string; message: string }[];
  scenarios: ScenarioLine[];
}

interface ScenarioLine {
  journey: string;
  name: string;
  skipped?: true;
  passed?: boolean;
  mismatches?: { line: number; subject: string; message: string }[];
  run?: { phase?: string; outcome?: JsonObject };
}

/** The report of `journeyman test` on the scenarios of the public journeys. */
async function play(...options: string[]): Promise<Report> {
  const env = {
    ...process.env,
    JOURNEYMAN_CATALOGUE_ROOT: path('corpus/', shared),
    JOURNEYMAN_CATALOGUE_OVERLAYS: path('test/fixtures/overlay'),
    JOURNEYMAN_SECRETS: JSON.stringify({ 'secret://oauth/clients/orders-service': { env: 'ORDERS_SECRET' } }),
    ORDERS_SECRET: 'of the tests alone',
  };
  const args = [fileURLToPath(command), 'test', path('test/fixtures/scenarios'), '--format', 'json', ...options];
  const run = promisify(execFile)(process.execPath, args, { env, maxBuffer: 100_000_000 });
  const { stdout } = await run.catch((failed: { stdout?: string }) => {
    if (!failed.stdout) throw failed;
    return { stdout: failed.stdout };
  });
  return JSON.parse(stdout) as Report;
}

/** Plays every scenario on a real server too: it must pass with the same outcome as in virtual time. */
async function compareWithServer(): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const virtual = await play();
  const live = await play('--temporal');
  for (const { file, message } of live.findings) tally.failures.push({ id: file, line: message });
  const journeys = new Set(live.scenarios.map(({ journey }) => journey));
  for (const line of live.scenarios) {
    if (line.skipped) continue;
    journeys.delete(line.journey);
    const same = virtual.scenarios.find(({ journey, name }) => journey === line.journey && name === line.name);
    const wrong = [...mismatchesOf(line), ...(same ? endsDifferently(same, line) : ['it is not there'])];
    if (wrong.length === 0) {
      tally.passed++;
      noteEnd(line.journey, endOf(line));
    } else
      tally.failures.push({ id: `${line.journey} / ${line.name}`, line: wrong.map((it) => `\n    ${it}`).join('') });
  }
  for (const name of journeys) {
    if (!journeysWithoutLiveScenario.includes(name))
      tally.failures.push({ id: name, line: 'has only scenarios that need virtual time' });
  }
  const skipped = live.scenarios.filter((it) => it.skipped).length;
  tally.remarks = [`${live.scenarios.length} scenarios, ${skipped} of them need virtual time`];
  return tally;
}

/** The outcome of a run in one word. */
function endOf({ run }: ScenarioLine): string {
  const code = own(own(run?.outcome ?? {}, 'error') ?? null, 'code');
  return typeof code === 'string' ? code : (run?.phase ?? 'nothing');
}

function mismatchesOf({ mismatches = [] }: ScenarioLine): string[] {
  return mismatches.map(({ line, subject, message }) => `${line}: ${subject}: ${message}`);
}

function endsDifferently(virtual: ScenarioLine, live: ScenarioLine): string[] {
  const end = ({ run }: ScenarioLine): JsonObject => ({
    phase: run?.phase ?? null,
    output: timeless(own(run?.outcome ?? {}, 'output') ?? null),
    error: errorOf(own(run?.outcome ?? {}, 'error') ?? null),
  });
  return differences(end(virtual), end(live)).map(
    ({ path: where, expected, actual }) =>
      `${where}: ${JSON.stringify(expected)} in virtual time, ${JSON.stringify(actual)} on the server`,
  );
}

function errorOf(error: Json): Json {
  return isObject(error) ? { code: own(error, 'code') ?? null, reason: own(error, 'reason') ?? null } : null;
}

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z/g;

/** The value without parts that differ between runs: instants, and details of a real connection in HTTP results. */
function timeless(value: Json): Json {
  if (typeof value === 'string') return value.replace(instant, '<instant>');
  if (Array.isArray(value)) return value.map(timeless);
  if (!isObject(value)) return value;
  const isHttpResult = Object.hasOwn(value, 'ok') && Object.hasOwn(value, 'headers');
  const kept = Object.entries(value).filter(([key]) => !(isHttpResult && (key === 'headers' || key === 'error')));
  return Object.fromEntries(kept.map(([key, item]) => [key, timeless(item)]));
}

export const journeyLiveSections: Section[] = [
  {
    name: 'journeys: on a real server',
    run: async () => {
      if (!existsSync(new URL('corpus/journeys/', shared)))
        return { skipped: 'the shared corpus is not here (../shared/corpus/journeys)' };
      if (!existsSync(command)) return { skipped: 'the product is not built (npm run build)' };
      return compareWithServer();
    },
  },
];
