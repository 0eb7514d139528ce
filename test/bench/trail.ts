import { defaultDataConverter, defaultPayloadConverter, type LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { Json } from '../../src/base/json/value.js';
import { loadConfig } from '../../src/config/load-config.js';
import { load } from '../../src/language/load-journey.js';
import { readEvents } from '../../src/temporal/runs/replay/decode-history-events.js';
import { runSettings } from '../../src/temporal/runs/run-start-options.js';
import { TrailBuilder } from '../../src/temporal/runs/trail/build-trail.js';
import { msToTs } from '../../src/temporal/sdk-internals.js';
import { journeyArguments, newInput } from '../../workflows/journey/build-workflow-input.js';
import { median } from './clock.js';

/*
 * The time to turn a history of 10,000 events into a trail: decoding and replay, as a gateway does for the first reader. The history is that of
 * a loop with a call, a transform and a choice; it is generated here, so that the figure does not depend on a server.
 */

type Event = temporal.api.history.v1.IHistoryEvent;

const events = 10_000;
const perRound = 6;
const rounds = Math.floor((events - 10) / perRound);
const targetMs = 1_000;

const journey = `apiVersion: v1
kind: Journey
metadata: { name: loop, version: 1.0.0 }
spec:
  start: send
  states:
    send: { type: task, task: { kind: "httpCall:v1", method: POST, url: "https://service.test/send", body: { json: { text: hello } }, resultVar: sent }, next: count }
    count: { type: transform, transform: { mapper: { lang: dataweave, expr: "(context.n default 0) + 1" }, target: { kind: var }, resultVar: n }, next: again }
    again: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "context.n < ${rounds}" } }, next: send }], default: done }
    done: { type: succeed, outputVar: n }
`;

function history(): Event[] {
  const { definition } = load({ text: journey });
  const { limits, ...settings } = runSettings(loadConfig({ env: {} }));
  const input = newInput(
    { ...settings, limits: { ...limits, historyEvents: 1_000_000, calls: { atOnce: 1e6, perMinute: 1e6 } } },
    { definition: definition!, context: { order: 'o-1' }, tags: [], attributes: {}, info: { id: 'loop', config: {} } },
  );
  const made: Event[] = [];
  let at = 1_900_000_000_000;
  const add = (more: Event): number => {
    // Slow enough for the run never to yield.
    at += 200;
    made.push({ eventId: made.length + 1, eventTime: msToTs(at), ...more } as unknown as Event);
    return made.length;
  };
  const payloads = (...values: unknown[]) => ({ payloads: values.map((it) => defaultPayloadConverter.toPayload(it)!) });
  const task = (): void => {
    add({ workflowTaskScheduledEventAttributes: {} });
    add({ workflowTaskStartedEventAttributes: { historySizeBytes: 1_000, suggestContinueAsNew: false } as never });
    add({ workflowTaskCompletedEventAttributes: {} });
  };
  add({
    workflowExecutionStartedEventAttributes: {
      input: payloads(...journeyArguments(input)),
      originalExecutionRunId: 'bench',
    },
  });
  task();
  for (let i = 0; i < rounds; i += 1) {
    const request = { method: 'POST', url: 'https://service.test/send', headers: {}, body: '{"text":"hello"}' };
    const scheduledEventId = add({
      activityTaskScheduledEventAttributes: { activityType: { name: 'http' }, input: payloads(request, 11_000) },
      userMetadata: { summary: defaultPayloadConverter.toPayload('send · POST service.test/send')! },
    });
    add({ activityTaskStartedEventAttributes: { scheduledEventId, attempt: 1 } as never });
    const answer: Json = { ok: true, status: 200, headers: { 'content-type': 'application/json' }, body: { id: i } };
    add({ activityTaskCompletedEventAttributes: { scheduledEventId, result: payloads(answer) } as never });
    task();
  }
  const outcome = { phase: 'SUCCEEDED', terminatedAtState: 'done', output: rounds, status: 'SUCCEEDED', error: null };
  add({ workflowExecutionCompletedEventAttributes: { result: payloads(outcome) } });
  return made;
}

const made = history();
const times: number[] = [];
for (let i = 0; i < 5; i += 1) {
  const began = performance.now();
  const trail = new TrailBuilder('loop');
  for (let from = 0; from < made.length; from += 1_000 * perRound)
    await trail.add(
      'execution',
      await readEvents(made.slice(from, from + 1_000 * perRound), defaultDataConverter as LoadedDataConverter),
    );
  times.push(performance.now() - began);
  if (trail.gap) throw new Error(trail.gap.detail);
  if (trail.entries.kept.length !== rounds * 3 + 3) throw new Error(`${trail.entries.kept.length} entries`);
}
const ms = Math.round(median(times));
console.log(`${made.length} events, ${rounds * 3 + 1} visits: ${ms} ms (aim ${targetMs})`);
if (ms > targetMs) process.exitCode = 1;
