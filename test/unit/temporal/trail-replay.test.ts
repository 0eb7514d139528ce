import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultDataConverter, type LoadedDataConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import type { TrailEntry, TrailVisit } from '../../../src/service/run-trail.js';
import { type RecordedEvent, readEvents } from '../../../src/temporal/runs/replay/decode-history-events.js';
import { WorkflowRandom } from '../../../src/temporal/runs/replay/replayed-clock-and-effects.js';
import { TrailBuilder } from '../../../src/temporal/runs/trail/build-trail.js';

const { History } = proto.temporal.api.history.v1;
const folder = fileURLToPath(new URL('../../histories', import.meta.url));
const stored = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.history'))
  .filter((name) => !/(pipeline|tick)\.history$/.test(name));

async function recorded(name: string): Promise<RecordedEvent[]> {
  const { events } = History.decode(readFileSync(`${folder}/${stored.find((it) => it.endsWith(`${name}.history`))}`));
  return await readEvents(events, defaultDataConverter as LoadedDataConverter);
}

async function trailOf(events: readonly RecordedEvent[]): Promise<TrailBuilder> {
  const trail = new TrailBuilder('run');
  await trail.add('execution', events);
  return trail;
}

const entriesOf = ({ entries }: TrailBuilder): TrailEntry[] => entries.kept.map(({ entry }) => entry);
const visitsOf = (trail: TrailBuilder) =>
  entriesOf(trail).filter((it): it is TrailEntry & TrailVisit => it.kind === 'visit');

describe('the trail of a recorded history', () => {
  it.each(stored)('is complete for %s', async (name) => {
    const trail = await trailOf(await recorded(name.replace('.history', '')));
    expect(trail.gap).toBeUndefined();
    const entries = entriesOf(trail);
    expect(entries[0]).toMatchObject({ n: 0, kind: 'started' });
    expect(entries.at(-1)).toMatchObject({ n: entries.length - 1, kind: 'ended' });
    for (const { kept } of [trail.entries])
      for (const { entry, before, after } of kept)
        if (entry.kind === 'visit') {
          expect(entry.outcome).not.toBe('running');
          expect(entry.leftAt! >= entry.enteredAt).toBe(true);
          expect([before, entry.outcome === 'interrupted' ? {} : after]).not.toContain(undefined);
        }
  });

  it('is the same in parts as at once', async () => {
    const events = await recorded('parallel-all-any-nested');
    const trail = new TrailBuilder('run');
    // The server returns whole batches: a batch begins with the completion of a workflow task, or with an external event.
    const cuts = events.flatMap(({ kind }, i) => (kind === 'workflowTask' ? [i] : []));
    for (const [i, cut] of [0, ...cuts].entries())
      await trail.add('execution', events.slice(cut, [...cuts, events.length][i]));
    expect(entriesOf(trail)).toEqual(entriesOf(await trailOf(events)));
    expect(trail.cursor).toBe(events.at(-1)!.id);
  });
});

describe('the trail of a history that differs from the replay', () => {
  const states = (trail: TrailBuilder) => visitsOf(trail).map(({ state }) => state);

  it('shows only the history if it has another call', async () => {
    const events = await recorded('http-get-post-notify');
    const called = events.filter((it) => it.kind === 'effect' || it.kind === 'local').map((it) => it.id);
    const other = events.map((it) =>
      it.id === called[0] ? ({ ...it, label: 'elsewhere · GET x' } as RecordedEvent) : it,
    );
    const trail = await trailOf(other);
    expect(trail.gap).toMatchObject({ code: 'REPLAY_DIFFERS' });
    expect(states(trail)).toContain('elsewhere');
    expect(visitsOf(trail).every(({ outcome }) => outcome === 'unknown')).toBe(true);
    expect(visitsOf(trail).flatMap(({ calls = [] }) => calls).length).toBe(called.length);
    expect(entriesOf(trail).at(-1)).toMatchObject({ kind: 'ended', phase: 'SUCCEEDED' });
    // A client that followed the replay so far reads everything again.
    expect(trail.entries.kept.every(({ revision }) => revision > 0)).toBe(true);
  });

  it('has a gap if the history lacks a call or has another outcome', async () => {
    const events = await recorded('http-get-post-notify');
    const lost = events.findLast((it) => it.kind === 'effect' || it.kind === 'local')!;
    const shorter = events.filter((it) => it.id !== lost.id && !('of' in it && it.of === lost.id));
    expect((await trailOf(shorter)).gap).toMatchObject({ code: 'REPLAY_DIFFERS' });
    const other = events.map((it) =>
      it.kind === 'end' ? { ...it, outcome: { ...(it.outcome as object), output: 'another' } } : it,
    );
    expect((await trailOf(other)).gap).toMatchObject({ code: 'REPLAY_DIFFERS' });
  });

  it('has a gap if the history is of a newer interpreter', async () => {
    const events = await recorded('wait-step');
    const newer = events.map((it) => {
      if (it.kind !== 'started') return it;
      const [context, rest] = it.args as [object, object];
      return { ...it, args: [context, { ...rest, interpreter: 99 }] };
    });
    const trail = await trailOf(newer);
    expect(trail.gap).toMatchObject({ code: 'INTERPRETER_DIFFERS' });
    expect(visitsOf(trail).some(({ submissions }) => submissions !== undefined)).toBe(true);
  });
});

it('has reproducible random numbers, which differ by run id', () => {
  const [a, b, other] = ['run', 'run', 'other'].map((id) => new WorkflowRandom(id));
  expect(a!.uuid()).toBe(b!.uuid());
  expect(a!.random()).not.toBe(other!.random());
  expect(a!.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
