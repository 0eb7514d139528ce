import { randomUUID } from 'node:crypto';
import { startOptions } from '../../../src/temporal/runs/run-start-options.js';
import { prepared } from '../../support/prepared.js';
import { configOf, journeyman } from '../contestants/journeyman.js';
import { definitionOf } from '../contestants/journeys.js';
import type { Part } from './part.js';

const runs = 10;

const definition = definitionOf(`apiVersion: v1
kind: Journey
metadata: { name: pure, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: add
  states:
    add: { type: transform, transform: { expr: "context ++ { n: context.n + 1 }", target: { kind: context } }, next: more }
    more: { type: choice, choices: [{ when: context.n < 500, next: add }], default: done }
    done: { type: succeed }
`);

/** The cost of states without calls. */
export const pureStates: Part = {
  name: 'pure',
  about: 'a journey of 1,000 states that only compute',
  measures: [
    { id: 'pure-latency', title: '1,000 states that only compute: latency', unit: 'ms', digits: 1, noChart: true },
  ],
  async run(bench) {
    const { site } = await bench.enter(journeyman, []);
    const run = async () => {
      const began = performance.now();
      const id = randomUUID();
      const request = { ...prepared(definition, { n: 0 }), mode: 'async' as const, caller: 'bench' };
      await bench.client.workflow.start(definition.name, startOptions({ id }, request, configOf(site)));
      await bench.result(id);
      return performance.now() - began;
    };
    for (let i = 0; i < runs; i++) await run();
    await bench.inTurn([journeyman.name], runs, async (name, repeat) =>
      bench.note('pure-latency', name, repeat, await run()),
    );
  },
};
