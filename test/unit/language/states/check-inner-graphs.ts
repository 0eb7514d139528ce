import { expect } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import type { Run } from '../../../../src/engine/run.js';
import { visitedNode } from '../../../../src/graph/find-visited-node.js';
import { journeyDiagram } from '../../../../src/graph/journey-diagram.js';
import { CallPattern } from '../../../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';
import { journey } from '../../engine/harness.js';

/** The `spec` of a journey without a compensation, and the input of its run. */
export interface InnerGraphsCase {
  spec: JsonObject;
  input: JsonObject;
}

const tookMs = 1_000;
/** The response to the call with this index, which is contained in nothing else. */
const receipt = (call: number) => `receipt ${call}.`;
const replies = Array.from({ length: 100 }, (_, i) => ({
  status: 200,
  headers: {},
  body: { receipt: receipt(i) },
  afterMs: tookMs,
}));
const undo = 'https://undo.test/';

/** Plays a journey whose calls to service.test take a second each and return receipts. */
async function play({ spec, input }: InnerGraphsCase, options: { cancelAt?: number; continues?: boolean } = {}) {
  const clock = new VirtualClock(0);
  const backend = new ScriptedBackend([
    { calls: CallPattern.parse('POST https://service.test/**')!, replies },
    { calls: CallPattern.parse(`POST ${undo}`)!, replies: [{ ...replies[0]!, body: null }] },
  ]);
  let parkedWithoutReason = false;
  const watch = (run: Run) => {
    run.host.parked = () => {
      if (run.parking.parked.size === 0) parkedWithoutReason = true;
    };
    return options.continues === true && run.trail.entries.length > 0;
  };
  const run = new Simulation(journey(spec, 'dataweave'), input, {
    clock,
    effects: new VirtualEffects(clock, backend),
    wantsContinue: watch,
  });
  let visitsAtCancel = -1;
  const cancel = () => {
    visitsAtCancel = run.visits.length;
    run.cancel();
  };
  if (options.cancelAt !== undefined) clock.at(options.cancelAt, cancel);
  await run.toEnd();
  const calls = backend.calls.filter(({ url }) => url !== undo);
  return {
    run,
    calls,
    keys: calls.map(({ headers }) => headers['idempotency-key']!),
    undone: backend.calls.filter(({ url }) => url === undo).map(({ body }) => JSON.stringify(body)),
    parkedWithoutReason,
    /** The graphs inside were left right after their calls. */
    isCutShort: run.visits.length === visitsAtCancel,
  };
}

/** The journey with a compensation that sends its whole context. */
function compensated(spec: JsonObject): JsonObject {
  const body = { mapper: 'context' };
  const call = { type: 'task', task: { kind: 'httpCall:v1', method: 'POST', url: undo, body }, next: 'end' };
  return { ...spec, compensation: { mode: 'sync', start: 'undo', states: { undo: call, end: { type: 'succeed' } } } };
}

/** The journey as a subjourney of another. */
function called({ start, states, subjourneys, ...rest }: JsonObject): JsonObject {
  const subjourney = { ref: 'called', input: { mapper: 'context' }, resultVar: 'result' };
  return {
    ...rest,
    start: 'call',
    states: { call: { type: 'subjourney', subjourney, next: 'end' }, end: { type: 'succeed' } },
    subjourneys: { ...(subjourneys as JsonObject), called: { start: start!, states: states! } },
  };
}

/** Checks the rules for a state type that runs other states, which the compiler cannot check. */
export async function checkInnerGraphs({ spec, input }: InnerGraphsCase): Promise<void> {
  const whole = await play({ spec, input });
  expect(whole.run.outcome).toMatchObject({ phase: 'SUCCEEDED' });
  expect(whole.calls.length, 'calls with POST to https://service.test').toBeGreaterThan(1);
  expect(new Set(whole.keys).size, 'idempotency keys: frames of two rounds need ids, or counts, of their own').toBe(
    whole.keys.length,
  );
  expect(whole.parkedWithoutReason, 'the run counts as parked while nothing waits: see parking.working').toBe(false);

  const diagram = journeyDiagram(whole.run.definition);
  const lost = whole.run.visits.filter(({ frame, state }) => visitedNode(diagram, state, frame) === undefined);
  expect(lost, 'visits that drawings do not find: the name in inner.map is not that of childId').toEqual([]);

  const parts = await play({ spec, input }, { continues: true });
  expect(parts.run.continued).toBeGreaterThan(0);
  expect(parts.keys, 'idempotency keys of a run that continues as new').toEqual(whole.keys);

  let cutShort = 0;
  for (const outer of [compensated(spec), compensated(called(spec))]) {
    for (const { atMs } of whole.calls) {
      const { undone, calls, isCutShort } = await play({ spec: outer, input }, { cancelAt: atMs + tookMs / 2 });
      const inFlight = calls.flatMap((call, i) => (call.atMs + tookMs > atMs + tookMs / 2 ? [receipt(i)] : []));
      expect(inFlight).not.toEqual([]);
      if (isCutShort) cutShort++;
      const about = `the compensation of a run cancelled after ${atMs} ms, in ${inFlight.length} calls`;
      expect(undone, about).toHaveLength(1);
      for (const one of inFlight) expect(undone[0], about).toContain(one);
    }
  }
  expect(
    cutShort,
    'cancels that leave a graph right after a call: let a call lead to another, or to a timer',
  ).toBeGreaterThan(0);
}
