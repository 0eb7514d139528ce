import { describe, expect, it } from 'vitest';
import { wrongDirections } from './check.js';
import { rooms } from './rooms.js';
import { importsOf, readSources, roomOf, type Sources } from './sources.js';

const sources = readSources();

/** The sources with text appended to files, or with new files. */
function planted(added: Readonly<Record<string, string>>): Sources {
  const out = new Map(sources);
  for (const [file, text] of Object.entries(added)) out.set(file, `${out.get(file) ?? ''}\n${text}`);
  return out;
}

describe('directions between rooms', () => {
  it('match the table', () => {
    expect(wrongDirections(sources)).toEqual([]);
  });

  it('include every folder, and no others', () => {
    expect([...new Set([...sources.keys()].map(roomOf))].sort()).toEqual(Object.keys(rooms).sort());
  });

  it('allow only packages that are used', () => {
    const used = new Set(
      [...sources].flatMap(([file, text]) => importsOf(file, text).map((it) => `${roomOf(file)} ${it.to}`)),
    );
    const allowed = Object.entries(rooms).flatMap(([room, { packages = [] }]) => packages.map((it) => `${room} ${it}`));
    expect(allowed.filter((it) => !used.has(it))).toEqual([]);
  });

  it('form no cycle: each room uses only rooms above it', () => {
    const order = Object.keys(rooms);
    const back = Object.entries(rooms).flatMap(([room, { uses = [] }]) =>
      uses.filter((it) => order.indexOf(it) >= order.indexOf(room)).map((it) => `${room} uses ${it}`),
    );
    expect(back).toEqual([]);
  });

  it('R3-39 R3-51 allow only the composition root to import a channel adapter', () => {
    const users = Object.entries(rooms).filter(([, it]) =>
      [...(it.uses ?? []), ...(it.types ?? [])].includes('gateway/channels'),
    );
    expect(users.map(([room]) => room)).toEqual(['app']);
    for (const file of [
      'src/schedules/jobs/job-record.ts',
      'src/service/jobs-interface.ts',
      'workflows/journey/journey.ts',
      'activities/index.ts',
    ]) {
      const way = `${'../'.repeat(file.split('/').length - 1)}src/gateway/channels/slack/slack-channel.js`;
      const found = wrongDirections(planted({ [file]: `import type { Slack } from '${way}';` }));
      expect(found.some((it) => it.includes(file) && it.includes('is not allowed'))).toBe(true);
    }
  });

  it('R3-38 allow child processes only for the embedded server, and git for `diff`', () => {
    const users = [...sources].filter(([file, text]) =>
      importsOf(file, text).some(({ to }) => to === 'node:child_process' || to === 'node:cluster'),
    );
    const allowed = (file: string) => file.startsWith('src/temporal/server/') || file === 'src/cli/author/diff.ts';
    expect(users.map(([file]) => file).filter((file) => !allowed(file))).toEqual([]);
    expect(users.length).toBeGreaterThan(0);
  });

  it.each([
    [
      'a wrong import',
      'src/engine/execute-graph.ts',
      "import { listen } from '../gateway/listen.js';",
      'is not allowed',
    ],
    [
      'a wrong import of a type',
      'src/base/json/value.ts',
      "import type { Run } from '../../engine/run.js';",
      'is not allowed',
    ],
    [
      'a wrong dynamic import',
      'src/service/runs-interface.ts',
      "await import('../temporal/runs.js');",
      'is not allowed',
    ],
    [
      'a wrong re-export',
      'src/base/document/placed-value.ts',
      "export * from '../../language/read/graph.js';",
      'is not allowed',
    ],
    ['a package', 'src/engine/run.ts', "import express from 'express';", 'is not allowed'],
    ['a built-in', 'src/language/states/state-queries.ts', "import { join } from 'node:path';", 'is not allowed'],
    ['a missing file', 'src/cli/main.ts', "import './nothing.js';", 'does not exist'],
    ['a cycle', 'src/engine/outcome.ts', "import { Run } from './run.js';", 'cycle: '],
    [
      'a write outside its file',
      'src/temporal/worker/create-worker.ts',
      'await service.updateSchedule(request);',
      'only src/temporal/schedules',
    ],
    [
      'a reserved import',
      'src/temporal/worker/create-worker.ts',
      "import { a } from '@temporalio/client/lib/a.js';",
      'only src/temporal/sdk',
    ],
    [
      'another way to a target (R3-33)',
      'src/temporal/schedules/jobs/temporal-jobs.ts',
      'await targets.invoke(envelope);',
      'only activities/dispatch/dispatch-activities.ts',
    ],
    [
      'another way to a channel (R3-39)',
      'src/service/functions/journey-functions.ts',
      'await adapter.post(it);',
      'only activities/dispatch/dispatch-activities.ts',
    ],
  ])('are violated by %s', (_, file, text, wrong) => {
    const found = wrongDirections(planted({ [file]: text }));
    expect(found.some((it) => it.includes(file) && it.includes(wrong))).toBe(true);
  });

  it('are violated by a cycle through new files, and by bundles that include Node', () => {
    const a = { 'src/language/tasks/a.ts': "import './b.js';", 'src/language/tasks/b.ts': "import './a.js';" };
    expect(wrongDirections(planted(a))).toEqual([
      'cycle: src/language/tasks/a.ts → src/language/tasks/b.ts → src/language/tasks/a.ts',
    ]);
    const reach = { 'workflows/index.ts': "import '../src/service/prepare-start-with-ajv.js';" };
    expect(wrongDirections(planted(reach))).toContain(
      'the workflow bundle holds src/service/prepare-start-with-ajv.ts',
    );
    const browser = {
      'src/scenarios/simulate/record-visited-moments.ts': "import { play } from '../virtual/virtual-runner.js';",
    };
    expect(wrongDirections(planted(browser)).join('\n')).toMatch(
      /the console bundle holds src\/gateway\/auth\/.*node:/,
    );
  });
});
