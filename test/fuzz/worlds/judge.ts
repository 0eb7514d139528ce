import { Books } from './books.js';
import { checkCalls, checkKeys } from './check-calls.js';
import { checkCompensation, checkEnd } from './check-end.js';
import { checkFrames } from './check-frames.js';
import { checkInnerGraphs } from './check-inner-graphs.js';
import { checkStates } from './check-states.js';
import { checkSubmissions } from './check-submissions.js';
import type { WorldLog } from './log.js';
import { playWorld } from './play.js';
import { type World, worldOf } from './world.js';

/** The result of one world. */
export interface Verdict {
  /** Violations; empty if there are none. */
  violations: string[];
  /** The first play, for statistics. */
  log: WorldLog;
  /** The number of times that the plays continued as new. */
  continued: number;
  /** Whether plays with and without continue-as-new were compared. */
  isComparable: boolean;
}

/** Every check of one play. */
export function checkLog(world: World, log: WorldLog): string[] {
  if (log.faults.length > 0) return log.faults;
  const books = new Books(world, log);
  return [
    ...checkFrames(books),
    ...checkStates(books),
    ...checkKeys(books),
    ...checkCalls(books),
    ...checkInnerGraphs(books),
    ...checkSubmissions(books),
    ...checkEnd(books),
    ...checkCompensation(books),
  ];
}

/** One in this many worlds is played a second time unchanged. */
const playedAgain = 4;

/** Plays the world of a seed without and with continue-as-new, and checks each play and that they agree. */
export async function judge(seed: number): Promise<Verdict> {
  const world = worldOf(seed);
  const whole = await playWorld(world);
  const violations = checkLog(world, whole);
  const trail = trailOf(whole);
  const parts = await playWorld(world, 'always');
  const differs = difference('continued as new', trail, trailOf(parts));
  // Events due at one instant may happen in another order.
  const isComparable = !whole.tied && !new Books(world, whole).hasRaces;
  if (isComparable) violations.push(...parts.faults, ...differs);
  // The same trail has the same findings.
  else if (differs.length > 0) violations.push(...checkLog(world, parts).map((it) => `continued as new: ${it}`));
  if (seed % playedAgain === 0) violations.push(...difference('played again', trail, trailOf(await playWorld(world))));
  return { violations, log: whole, continued: parts.continued, isComparable };
}

/** All events with their times. Events at one instant in different graphs are unordered. */
export function trailOf(log: WorldLog): string[] {
  const { visits, submissions, outcome, context, endedAt, compensations, waiting } = log;
  const lines = visits.map(
    ({ enteredAt, leftAt, frame, number, state, next, problem, effects }) =>
      `${enteredAt} ${frame}#${number} ${state} until ${leftAt}: ${next ?? problem}; ${effects
        .map(({ key, attempts, answeredAt }) => `${key} ${attempts.map(({ at }) => at).join()} ${answeredAt}`)
        .join(' & ')}`,
  );
  const answers = submissions.map(({ at, address, payload, verdict, answer }) =>
    JSON.stringify([at, address, payload, verdict, answer !== undefined]),
  );
  const end = JSON.stringify([outcome, context, endedAt, compensations.map((it) => it.outcome), [...waiting].sort()]);
  return [...lines, ...answers].sort().concat(end);
}

function difference(how: string, expected: string[], actual: string[]): string[] {
  const at = expected.findIndex((line, i) => line !== actual[i]);
  if (at < 0 && expected.length === actual.length) return [];
  const place = at < 0 ? expected.length : at;
  return [`${how}, it differs: ${actual[place]?.slice(0, 400)} instead of ${expected[place]?.slice(0, 400)}`];
}
