import { readFileSync } from 'node:fs';
import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { costOf } from '../../../src/language/analysis/cost/estimate-cost.js';
import { load } from '../../../src/language/load-journey.js';
import { mapJourney } from '../../support/map-journey.js';
import { recordings } from '../../temporal/support/recordings.js';

const { History } = proto.temporal.api.history.v1;
const histories = new URL('../../histories/0.1.0/', import.meta.url);
const cost = (text: string) => costOf(load({ text }).definition!);

const loop = `apiVersion: v1
kind: Journey
metadata: { name: poll, version: 1.0.0 }
spec:
  start: ask
  states:
    ask: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://tea.example/pot", resultVar: pot }, next: hot }
    hot:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: context.pot.ok } }, next: done }]
      default: nap
    nap: { type: timer, timer: { duration: PT5S }, next: ask }
    done: { type: succeed, outputVar: pot }
`;

describe('the cost of a run', () => {
  // Each recorded run took one of the paths, and its history is in the range of that path.
  it.each([
    'fail',
    'http-get-post-notify',
    'parallel-all-any-nested',
    'schedule',
    'scheduled-run',
    'subjourney',
    'timer-deadline',
    'transform-choice-succeed',
    'wait-step',
    'webhook-signal-timeout',
  ])('covers the recorded history of %s', (name) => {
    const recorded = readFileSync(new URL(`${name}.history`, histories));
    const events = History.decode(recorded).events.length;
    const { paths } = cost(recordings[name]!.journey('https://tea.example'));
    const fits = paths.filter(({ cost: { least, most } }) => least.events <= events && events <= most.events);
    expect(fits).not.toEqual([]);
    const [{ bytes }] = fits as [(typeof fits)[number]];
    expect(recorded.length).toBeGreaterThan(bytes.least / 2);
    expect(recorded.length).toBeLessThan(bytes.most * 2);
  });

  it('includes the runs that its schedules start', () => {
    const { paths } = cost(recordings['scheduled-run']!.journey('https://tea.example'));
    expect(paths.filter(({ scheduled }) => scheduled).map(({ states }) => states[0])).toContain('work');
    expect(paths[0]).not.toHaveProperty('scheduled');
  });

  it('includes a compensation, with a run of its own if it has one', () => {
    const compensated = (mode: string) =>
      cost(
        loop.replace(
          '  start: ask',
          `  compensation: { mode: ${mode}, start: note, states: { note: { type: succeed } } }\n  start: ask`,
        ),
      ).compensation?.most.events;
    expect([compensated('sync'), compensated('async')]).toEqual([0, 10]);
  });

  it('is given per round of a loop', () => {
    const { paths, loops } = cost(loop);
    expect(paths).toMatchObject([
      { states: ['ask', 'hot', 'done'], cost: { most: { events: 10, calls: 1, timers: 0 } } },
    ]);
    expect(loops).toMatchObject([
      { states: ['ask', 'hot', 'nap'], perRound: { most: { events: 7, localActivities: 1, calls: 1, timers: 1 } } },
    ]);
  });

  it('is given per item of a map, separately from the paths', () => {
    const { paths, maps } = cost(mapJourney('https://tea.example', 'POST'));
    expect(paths).toMatchObject([{ states: ['each', 'done'], cost: { most: { events: 9, calls: 0 } } }]);
    expect(maps).toMatchObject([
      { state: 'each', perItem: { least: { events: 3, activities: 1, calls: 1 }, most: { events: 6, calls: 1 } } },
    ]);
    const [one] = cost(mapJourney('https://tea.example', 'POST', 1)).maps;
    expect(one).toMatchObject({ perItem: { least: { events: 6 }, most: { events: 6 } } });
  });

  it('of an Api contains no history', () => {
    const text = loop.replace('kind: Journey', 'kind: Api').replace('default: nap', 'default: done');
    expect(cost(text.replace(/^ {4}nap:.*\n/m, '')).paths[0]!.cost.most).toMatchObject({
      events: 0,
      localActivities: 0,
      calls: 1,
    });
  });
});
