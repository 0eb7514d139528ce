import { setTimeout as sleep } from 'node:timers/promises';
import type { Flow } from '../contestants/contestant.js';
import type { Part } from './part.js';
import { lagsOf } from './schedule-runs.js';

const flow: Flow = { kind: 'nothing' };
/** Schedules of each contestant; a second between any two that fire. */
const schedulesEach = 2;

/** The time from the due time of a schedule to the end of the first workflow task. */
export const scheduleLag: Part = {
  name: 'schedule-lag',
  about: 'from the nominal time of a schedule until the first workflow task of its run is recorded',
  measures: [{ id: 'schedule-lag', title: 'schedule lag', unit: 'ms', digits: 1 }],
  async run(bench) {
    const entrants = await bench.enterAll(flow);
    const everySeconds = entrants.length * schedulesEach;
    const base = Math.ceil(Date.now() / 1000) * 1000 + 8_000;
    const schedules: { name: (typeof entrants)[number]['contestant']['name']; id: string }[] = [];
    for (let i = 0; i < schedulesEach; i++)
      for (const { contestant, site } of entrants) {
        const startAt = new Date(base + schedules.length * 1000);
        const id = await contestant.schedule(site, `lag-${contestant.name}-${i}`, everySeconds, startAt);
        schedules.push({ name: contestant.name, id });
      }
    await sleep(base - Date.now() + (bench.repeats + 1) * everySeconds * 1000);
    for (const { name, id } of schedules) {
      const lags = await lagsOf(bench, id);
      for (const [repeat, lag] of lags.slice(0, bench.repeats).entries()) bench.note('schedule-lag', name, repeat, lag);
    }
  },
};
