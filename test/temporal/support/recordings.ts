import type { JsonObject } from '../../../src/base/json/value.js';
import type { Scenario } from '../../../src/scenarios/scenario.js';
import { bindingId } from '../../../src/temporal/schedules/bindings/binding-id.js';
import { document, readCases, scenariosOf, topics } from '../../unit/engine/harness.js';
import { handling, lineOf, PipelineRig } from './pipelines.js';
import type { Rig } from './rig.js';
import { until } from './schedules.js';
import { testSecret } from './secret.js';

interface Recording {
  journey(serviceUrl: string): string;
  body?: JsonObject;
  /** Acts on the run while it runs. */
  during?(rig: Rig, id: string): Promise<unknown>;
  /** The run to record, if it is not the one that was started. */
  recorded?(rig: Rig): Promise<string>;
}

const journey = (name: string, spec: string) => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
${spec}`;

const submit = (stepId: string, payload: JsonObject) => (rig: Rig, id: string) =>
  rig.runs.submit({ id, stepId, payload, caller: 'test', headers: {} });

/** Journeys of which one run is recorded: every state type and every kind of end, which a later interpreter must be able to replay. */
export const recordings: Record<string, Recording> = {
  ...Object.fromEntries(topics.flatMap((topic) => recordedCases(topic))),
  'transform-choice-succeed': {
    body: { n: 3 },
    journey: () =>
      journey(
        'pure',
        `
  start: double
  states:
    double:
      type: transform
      transform: { mapper: { lang: dataweave, expr: "context ++ { n: context.n * 2, at: now() as String, id: uuid() }" }, target: { kind: context } }
      next: big
    big:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.n < 20" } }, next: double }]
      default: note
    note:
      type: transform
      transform: { mapper: { lang: jsonata, expr: "$sum([context.n, 1])" }, target: { kind: var }, resultVar: sum }
      next: done
    done: { type: succeed, outputVar: sum }
`,
      ),
  },
  fail: {
    journey: () =>
      journey(
        'failing',
        `\n  start: stop\n  states:\n    stop: { type: fail, errorCode: NOT_DONE, reason: It does not }\n`,
      ),
  },
  'http-get-post-notify': {
    journey: (url) =>
      journey(
        'calls',
        `
  start: read
  states:
    read: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}/a", resultVar: a }, next: write }
    write: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/b", body: { mapper: { lang: dataweave, expr: "{ path: context.a.body.path }" } }, resultVar: b }, next: tell }
    tell: { type: task, task: { kind: "httpCall:v1", mode: notify, method: POST, url: "${url}/c", body: { x: 1 } }, next: lost }
    lost:
      type: task
      task: { kind: "httpCall:v1", method: GET, url: "http://127.0.0.1:9/nobody", resultVar: none, errorMapping: { when: nonOk, mapper: { lang: dataweave, expr: "{ why: payload.error.\\"type\\" }" }, target: { kind: context, path: problem } } }
      next: done
    done: { type: succeed, outputVar: problem }
`,
      ),
  },
  'wait-step': {
    during: submit('ask', { yes: true }),
    journey: () =>
      journey(
        'asking',
        `
  start: ask
  states:
    ask: { type: wait, wait: { channel: manual, input: { schema: { type: object } }, timeoutSec: 3600, onTimeout: late }, next: done }
    late: { type: fail, errorCode: LATE, reason: Too late }
    done: { type: succeed }
`,
      ),
  },
  'webhook-signal-timeout': {
    during: async (rig, id) => rig.client.workflow.getHandle(id).signal('callback', { ok: 1 }),
    journey: () =>
      journey(
        'called-back',
        `
  start: callback
  states:
    callback: { type: webhook, webhook: { input: { schema: { type: object } } }, next: again }
    again: { type: wait, wait: { channel: manual, input: { schema: true }, timeoutSec: 1, onTimeout: done }, next: done }
    done: { type: succeed }
`,
      ),
  },
  'timer-deadline': {
    journey: () =>
      journey(
        'deadline',
        `
  execution: { maxDurationSec: 1, onTimeout: { errorCode: SLOW, reason: Too slow } }
  start: nap
  states:
    nap: { type: timer, timer: { duration: PT0.1S }, next: sleep }
    sleep: { type: timer, timer: { duration: P1D }, next: done }
    done: { type: succeed }
`,
      ),
  },
  cancelled: {
    during: (rig, id) => rig.runs.cancel(id),
    journey: () =>
      journey(
        'cancelled',
        `\n  start: nap\n  states:\n    nap: { type: timer, timer: { duration: P1D }, next: done }\n    done: { type: succeed }\n`,
      ),
  },
  'parallel-all-any-nested': {
    during: submit('answer', { yes: true }),
    journey: (url) =>
      journey(
        'branches',
        `
  start: all
  states:
    all:
      type: parallel
      parallel:
        branches:
          - name: call
            start: get
            states:
              get: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}/p", resultVar: p }, next: end }
              end: { type: succeed }
          - name: race
            start: inner
            states:
              inner:
                type: parallel
                parallel:
                  branches:
                    - name: person
                      start: answer
                      states:
                        answer: { type: wait, wait: { channel: manual, input: { schema: true } }, next: end }
                        end: { type: succeed }
                    - name: clock
                      start: month
                      states:
                        month: { type: timer, timer: { duration: P1M }, next: end }
                        end: { type: succeed }
                  join: { strategy: anyOf }
                next: end
              end: { type: succeed }
        join: { strategy: allOf, mapper: { lang: dataweave, expr: "{ called: branches.call.p.ok }" }, resultVar: joined }
      next: done
    done: { type: succeed, outputVar: joined }
`,
      ),
  },
  map: {
    journey: (url) =>
      journey(
        'mapped',
        `
  start: each
  states:
    each:
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: "[3, 1, 0, 2]" } }
        input: { mapper: { lang: jsonata, expr: '{"of": $string(item)}' } }
        maxConcurrency: 2
        errorPolicy: { tolerate: 1 }
        start: any
        states:
          any: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "item > 0" } }, next: call }], default: none }
          none: { type: fail, errorCode: NONE, reason: Nothing there }
          call: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}/\${context.of}/\${index}", resultVar: r }, next: nap }
          nap: { type: timer, timer: { duration: PT0.1S }, next: end }
          end: { type: succeed, outputVar: r }
        mapper: { lang: dataweave, expr: "{ paths: results map $.body.path, lost: failures map $.index }" }
        resultVar: seen
      next: done
    done: { type: succeed, outputVar: seen }
`,
      ),
  },
  schedule: {
    body: { n: 0 },
    journey: () => scheduling('recorded-plan', '2090-01-01T00:00:00Z'),
  },
  'scheduled-run': {
    body: { n: 0 },
    journey: () => scheduling('recorded-run'),
    recorded: async (rig) => {
      const key = { journeyName: 'recorded-run', journeyVersion: '1.0.0', subjectId: null, startStateId: 'work' };
      const { recent } = await until(rig, bindingId(key, testSecret), ({ record }) => record.runsExecuted === 1);
      return recent[0]!.id;
    },
  },
  pipeline: {
    journey: () => journey('beside', `\n  start: done\n  states:\n    done: { type: succeed }\n`),
    during: async (rig) => {
      const piped = new PipelineRig(rig);
      await piped.deploy(recordedLine, [handling('handle'), polling]);
      for (const id of ['a', 'b']) await piped.publish('recorded', id);
      await piped.publish('recorded', 'c', { id: 'c', fails: true });
      await piped.until('recorded', ({ status }) => status === 'paused');
      // A worker without a cache may show the end of a run before the pipeline has processed it; then there is nothing to resume yet.
      for (let failed = 1; failed < 2; ) {
        await piped.pipelines.resume('recorded');
        const paused = await piped.until('recorded', ({ status }) => status === 'paused');
        failed = paused.counts.failed;
      }
      await piped.pipelines.trigger('recorded', 'poll', 'r');
      await piped.committed('recorded', 3);
      // It does not end by itself.
      await rig.client.workflow.getHandle('pipeline.recorded').terminate();
    },
    recorded: async () => 'pipeline.recorded',
  },
  tick: {
    journey: () => journey('beside', `\n  start: done\n  states:\n    done: { type: succeed }\n`),
    during: async (rig) => {
      await new PipelineRig(rig).deploy(recordedLine, [handling('handle'), polling]);
      await rig.client.workflow.execute('journeyman.tick', {
        workflowId: 'tick.recorded',
        taskQueue: rig.config.temporal.taskQueue,
        args: [{ pipeline: 'recorded', producer: 'poll', schedule: { interval: '1h' } }],
      });
    },
    recorded: async () => 'tick.recorded',
  },
};

const polling = handling('fetch', { output: '{ state: context.state }' });
const recordedLine = lineOf('recorded', {
  producers: `producers:
    poll: { schedule: { interval: 1h }, journey: fetch, state: 0 }`,
});
function scheduling(name: string, startAt?: string): string {
  return journey(
    name,
    `
  start: plan
  states:
    plan: { type: task, task: { kind: schedule:v1, start: work, interval: P1D, maxRuns: 2${startAt ? `, startAt: "${startAt}"` : ''} }, next: done }
    work: { type: transform, transform: { mapper: { lang: dataweave, expr: "{ n: context.n + 1 }" }, target: { kind: context } }, next: nap }
    nap: { type: timer, timer: { duration: PT0.1S }, next: done }
    done: { type: succeed }
`,
  );
}

/** The engine case of a topic with `record`: its first scenario, in DataWeave, on a real server. Calls go to the test's service. */
function recordedCases(topic: string): [string, Recording][] {
  return readCases(topic)
    .filter(({ record }) => record)
    .map((given) => {
      const [{ input, steps }] = scenariosOf(given) as [Scenario];
      return [
        topic,
        {
          body: input,
          journey: (url) =>
            JSON.stringify(document(given.spec, 'dataweave', given)).replaceAll('https://service.test', url),
          during: async (rig, id) => {
            for (const { step: stepId, payload } of steps)
              await rig.runs.submit({ id, stepId, payload, caller: 'test', headers: {} });
          },
        },
      ];
    });
}
