import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareNamespace } from '../../../src/app/prepare-namespace.js';
import type { Json, JsonObject } from '../../../src/base/json/value.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { wholeTrail } from '../../../src/service/run-trail.js';
import { connect } from '../../../src/temporal/connection.js';
import { TemporalRuns } from '../../../src/temporal/runs/temporal-runs.js';
import { startServer } from '../../../src/temporal/server/start-server.js';
import type { Failure } from './block.js';
import { Books, undoing } from './books.js';
import { duration, worldStart } from './journey-builder.js';
import type { WorldLog } from './log.js';
import { playWorld } from './play.js';
import { replyTo, type World, worldOf } from './world.js';

const main = fileURLToPath(new URL('../../../../src/cli/main.js', import.meta.url));

/** A world that a server can play, with a unique journey name. */
interface Candidate {
  name: string;
  world: World;
  log: WorldLog;
}

/** Limits of worlds on a server, in milliseconds: the longest scenario, and the minimum distance of its events. */
const pace = { longestMs: 5_000, apartMs: 300 };

/** Plays worlds on a real server as scenarios, and compares the trails of their runs with those in virtual time. */
export async function playOnServer(first: number, count: number): Promise<Failure[]> {
  const candidates = await choose(first, count);
  const last = candidates.at(-1)!.world.seed;
  console.log(`${count} of the worlds ${first} to ${last} can be played in order on a server`);
  const folder = mkdtempSync(join(tmpdir(), 'worlds-'));
  for (const it of candidates) writeScenario(folder, it);
  const quiet = { JOURNEYMAN_SERVER_IN_MEMORY: 'true', JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0' };
  const server = await startServer(loadConfig({ env: { ...process.env, ...quiet } }));
  try {
    const env = { ...process.env, TEMPORAL_ADDRESS: server.address };
    const config = loadConfig({ env });
    await prepareNamespace(config);
    const mismatches = await playScenarios(folder, env);
    const trails = await trailsOf(config);
    return candidates.flatMap((it) => judge(it, mismatches.get(it.name) ?? [], trails.get(it.name) ?? []));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The first worlds from a seed on that a server can play. */
async function choose(first: number, count: number): Promise<Candidate[]> {
  const prefix = `w${randomUUID().slice(0, 8)}`;
  const chosen: Candidate[] = [];
  // Adjacent seeds share a journey, for which one world is enough.
  for (let seed = first; chosen.length < count; seed += 7) {
    const world = worldOf(seed);
    const log = await playWorld(world);
    if (isPlayable(world, log)) chosen.push({ name: `${prefix}-${seed}`, world, log });
  }
  return chosen;
}

/** Whether it needs services other than HTTP, or a start at the world's instant. */
const unavailable = /^(cache|kafkaPublish|signal|activity|stamp|schedule|unschedule|\w+Validate):v1$|^until$/;

function isPlayable(world: World, log: WorldLog): boolean {
  const { journey, outage, losesWorkers } = world;
  if (outage || losesWorkers || log.tied || !log.outcome || new Books(world, log).hasRaces) return false;
  if ([...journey.features].some((it) => unavailable.test(it))) return false;
  // Rejected, repeated or early submissions cannot be ordered in a scenario.
  if (log.submissions.some(({ verdict }) => verdict !== 'accepted')) return false;
  return isSpacedOut(log);
}

/** Whether all events are far enough apart for a server to keep their order in shortened time. */
function isSpacedOut(log: WorldLog): boolean {
  const effects = log.visits.flatMap((it) => it.effects);
  const moments = [
    worldStart,
    ...log.visits.flatMap(({ enteredAt, leftAt }) => [enteredAt, leftAt ?? enteredAt]),
    ...effects.flatMap(({ attempts, answeredAt }) => [...attempts.map(({ at }) => at), answeredAt ?? worldStart]),
    ...log.cuts.map(({ at }) => at),
    log.endedAt!,
  ].sort((a, b) => a - b);
  const factor = Math.max(1, (moments.at(-1)! - worldStart) / pace.longestMs);
  return moments.every((at, i) => i === 0 || at === moments[i - 1] || at - moments[i - 1]! >= pace.apartMs * factor);
}

/** Writes a world as a journey and its scenario. */
function writeScenario(folder: string, { name, world, log }: Candidate): void {
  const { metadata, ...rest } = world.journey.document;
  const document = { ...rest, metadata: { ...(metadata as JsonObject), name } };
  writeFileSync(join(folder, `${name}.journey.json`), JSON.stringify(document));
  const { outcome } = log;
  const { cancelAt } = world;
  const isCancelled = cancelAt !== undefined && log.endedAt! > worldStart + cancelAt;
  const scenario = {
    input: world.input,
    backend: backendOf(world, log),
    steps: log.submissions.map(({ at, address, payload }) => ({
      step: address,
      payload,
      at: duration(at - worldStart),
    })),
    ...(isCancelled && { cancel: { at: duration(cancelAt) } }),
    expect: {
      phase: outcome!.phase,
      terminationKind: outcome!.terminationKind,
      currentState: outcome!.terminatedAtState,
      ...(outcome!.error && { errorCode: outcome!.error.code }),
      compensation: world.journey.compensation && log.compensations.length > 0 ? { phase: 'SUCCEEDED' } : 'none',
    },
  };
  writeFileSync(join(folder, `${name}.scenario.json`), JSON.stringify({ scenarios: { [name]: scenario } }));
}

function backendOf(world: World, log: WorldLog): Json[] {
  const counts = new Map<string, { state: string; index?: number; count: number }>();
  for (const { state, index, effects } of log.visits)
    for (const { attempts } of effects) {
      const key = `${state}/${index ?? ''}`;
      const count = (counts.get(key)?.count ?? 0) + attempts.length;
      counts.set(key, { state, ...(index !== undefined && { index }), count });
    }
  return [...counts.values()].map(({ state, index, count }) => ({
    call: `ANY https://${state.startsWith('undo_') ? 'undo' : 'service'}.test/${state}${index === undefined ? '' : `/${index}`}`,
    replies: Array.from({ length: count }, (_, i) => {
      const { status, body, afterMs, fail } = replyTo(world, state, index, i);
      return { status, body: body!, after: duration(afterMs), ...(fail && { fail }) };
    }),
  }));
}

async function playScenarios(folder: string, env: NodeJS.ProcessEnv): Promise<Map<string, string[]>> {
  const stdout = await new Promise<string>((resolve) => {
    const options = { env, maxBuffer: 1e9 };
    execFile(process.execPath, [main, 'test', folder, '--temporal', '--format', 'json'], options, (_, out) =>
      resolve(out),
    );
  });
  const { scenarios } = JSON.parse(stdout) as {
    scenarios: { name: string; mismatches?: { subject: string; message: string }[] }[];
  };
  return new Map(
    scenarios.map(({ name, mismatches = [] }) => [
      name,
      mismatches.map(({ subject, message }) => `${subject}: ${message}`),
    ]),
  );
}

/** The states visited by the runs of each journey. A scenario that lost its order has several runs. */
async function trailsOf(config: ReturnType<typeof loadConfig>): Promise<Map<string, string[]>> {
  const { client, close } = await connect(config);
  const runs = new TemporalRuns(client, config);
  const trails = new Map<string, string[]>();
  for await (const { workflowId } of client.workflow.list({ query: 'JourneyName STARTS_WITH "w"' })) {
    if (workflowId.endsWith('-compensation')) continue;
    const { journeyName, entries, complete } = await wholeTrail(runs, workflowId);
    const states = entries.flatMap((it) => (it.kind === 'visit' ? [`${it.within ?? ''} ${it.state}`] : []));
    const seen = complete ? linesOf(states) : 'an incomplete trail';
    trails.set(journeyName, [...(trails.get(journeyName) ?? []), seen]);
  }
  await close();
  return trails;
}

/** Visits of the run itself; those of concurrent graphs are unordered. */
function linesOf(visits: readonly string[]): string {
  return visits
    .filter((it) => !it.startsWith(undoing))
    .sort()
    .join(', ');
}

function judge({ name, world, log }: Candidate, mismatches: string[], trails: string[]): Failure[] {
  const expected = linesOf(log.visits.map(({ frame, state }) => `${frame} ${state}`));
  const what = [...mismatches];
  if (!trails.includes(expected))
    what.push(`${name}: its trail on the server is ${trails.join(' or ') || 'missing'} instead of ${expected}`);
  return what.length === 0 ? [] : [{ seed: world.seed, what }];
}
