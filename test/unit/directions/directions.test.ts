import { describe, expect, it } from 'vitest';
import { wrongDirections } from './check.js';
import { rooms } from './rooms.js';
import { importsOf, readSources, roomOf, type Sources } from './sources.js';

const sources = readSources();

/** The sources with something added to the end of files, or with new files. */
function planted(added: Readonly<Record<string, string>>): Sources {
  const out = new Map(sources);
  for (const [file, text] of Object.entries(added)) out.set(file, `${out.get(file) ?? ''}\n${text}`);
  return out;
}

describe('directions between rooms', () => {
  it('are those of the table', () => {
    expect(wrongDirections(sources)).toEqual([]);
  });

  it('name every folder there is, and no other', () => {
    expect([...new Set([...sources.keys()].map(roomOf))].sort()).toEqual(Object.keys(rooms).sort());
  });

  it('allow no package that nobody uses', () => {
    const used = new Set(
      [...sources].flatMap(([file, text]) => importsOf(file, text).map((it) => `${roomOf(file)} ${it.to}`)),
    );
    const allowed = Object.entries(rooms).flatMap(([room, { packages = [] }]) => packages.map((it) => `${room} ${it}`));
    expect(allowed.filter((it) => !used.has(it))).toEqual([]);
  });

  it('point one way: each room uses only rooms above it', () => {
    const order = Object.keys(rooms);
    const back = Object.entries(rooms).flatMap(([room, { uses = [] }]) =>
      uses.filter((it) => order.indexOf(it) >= order.indexOf(room)).map((it) => `${room} uses ${it}`),
    );
    expect(back).toEqual([]);
  });

  it('R3-39 R3-51 lead from nowhere but the composition root to an adapter of a channel', () => {
    const users = Object.entries(rooms).filter(([, it]) =>
      [...(it.uses ?? []), ...(it.types ?? [])].includes('channels'),
    );
    expect(users.map(([room]) => room)).toEqual(['app']);
    for (const file of [
      'src/scheduling/jobs/record.ts',
      'src/service/jobs.ts',
      'workflows/journey.ts',
      'activities/index.ts',
    ]) {
      const way = `${'../'.repeat(file.split('/').length - 1)}src/channels/slack/adapter.js`;
      const found = wrongDirections(planted({ [file]: `import type { Slack } from '${way}';` }));
      expect(found.some((it) => it.includes(file) && it.includes('is not allowed'))).toBe(true);
    }
  });

  it('R3-38 lead nowhere to a program of the machine, but where the embedded server is run and `diff` asks git', () => {
    const users = [...sources].filter(([file, text]) =>
      importsOf(file, text).some(({ to }) => to === 'node:child_process' || to === 'node:cluster'),
    );
    const allowed = (file: string) => file.startsWith('src/temporal/server/') || file === 'src/cli/revision.ts';
    expect(users.map(([file]) => file).filter((file) => !allowed(file))).toEqual([]);
    expect(users.length).toBeGreaterThan(0);
  });

  it.each([
    ['a wrong import', 'src/engine/walk.ts', "import { listen } from '../gateway/listen.js';", 'is not allowed'],
    ['one for its types', 'src/json/value.ts', "import type { Run } from '../engine/run.js';", 'is not allowed'],
    ['one that is loaded late', 'src/service/runs.ts', "await import('../temporal/runs.js');", 'is not allowed'],
    ['one that is passed on', 'src/document/place.ts', "export * from '../reading/graph.js';", 'is not allowed'],
    ['a package', 'src/engine/run.ts', "import express from 'express';", 'is not allowed'],
    ['a built-in', 'src/states/graphs.ts', "import { join } from 'node:path';", 'is not allowed'],
    ['a file that is not there', 'src/cli/main.ts', "import './nothing.js';", 'does not exist'],
    ['a cycle', 'src/engine/outcome.ts', "import { Run } from './run.js';", 'cycle: '],
    [
      'a stray writer',
      'src/temporal/worker.ts',
      'await service.updateSchedule(request);',
      'only src/temporal/schedules',
    ],
    [
      'a stray reach',
      'src/temporal/worker.ts',
      "import { a } from '@temporalio/client/lib/a.js';",
      'only src/temporal/sdk',
    ],
    [
      'another way to a target (R3-33)',
      'src/temporal/jobs/jobs.ts',
      'await targets.invoke(envelope);',
      'only activities/dispatch/activities.ts',
    ],
    [
      'another way to a channel (R3-39)',
      'src/service/functions/work.ts',
      'await adapter.post(it);',
      'only activities/dispatch/activities.ts',
    ],
  ])('are broken by %s', (_, file, text, wrong) => {
    const found = wrongDirections(planted({ [file]: text }));
    expect(found.some((it) => it.includes(file) && it.includes(wrong))).toBe(true);
  });

  it('are broken by a cycle through new files, and by a bundle that reaches Node', () => {
    const a = { 'src/tasks/a.ts': "import './b.js';", 'src/tasks/b.ts': "import './a.js';" };
    expect(wrongDirections(planted(a))).toEqual(['cycle: src/tasks/a.ts → src/tasks/b.ts → src/tasks/a.ts']);
    const reach = { 'workflows/index.ts': "import '../src/service/start.js';" };
    expect(wrongDirections(planted(reach))).toContain('the workflow bundle holds src/service/start.ts');
  });
});
