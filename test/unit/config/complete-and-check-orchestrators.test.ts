import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Problem, ProblemError } from '../../../src/base/problems/problem.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { orchestratorsOf } from '../../../src/service/orchestrators.js';

function load(yaml: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'jm-scopes-'));
  writeFileSync(join(cwd, 'journeyman.config.yaml'), yaml);
  return { cwd, config: loadConfig({ cwd, env: {} }) };
}

function refused(yaml: string): Problem {
  try {
    load(yaml);
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Error('It was not refused');
}

describe('orchestrators in the configuration', () => {
  it('are only `main` by default, with access to everything', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'jm-scopes-'));
    const { all, get } = orchestratorsOf(loadConfig({ cwd, env: {} }));
    expect(all).toEqual([
      { id: 'main', root: join(cwd, '.journeyman/orchestrators/main'), journeys: ['*'], functions: ['*'], shared: [] },
    ]);
    expect(() => get('eng')).toThrow('There is no orchestrator with that name.');
  });

  it('have a root of their own and only the journeys granted to them', () => {
    const { cwd, config } = load(`
orchestrators:
  eng: { journeys: [triage], functions: ['schedule.*'], shared: [reports] }
  ops: { root: ./ops }
shared: { reports: ./shared/reports }
channelProfiles:
  slack_main: { channel: slack, orchestratorId: eng, timezone: Europe/Rome, channels: { '#team': C100 }, callers: ['key:bot'] }
`);
    const scopes = orchestratorsOf(config);
    expect(scopes.all.map(({ id, root }) => [id, root])).toEqual([
      ['main', join(cwd, '.journeyman/orchestrators/main')],
      ['eng', join(cwd, '.journeyman/orchestrators/eng')],
      ['ops', join(cwd, 'ops')],
    ]);
    expect(scopes.get('eng')).toMatchObject({ journeys: ['triage'], functions: ['schedule.*'], shared: ['reports'] });
    expect(scopes.get('ops')).toMatchObject({ journeys: [], functions: ['*'] });
    expect(config.shared).toEqual({ reports: join(cwd, 'shared/reports') });
    expect(scopes.profilesOf('eng')).toEqual([scopes.profile('slack_main')]);
    expect(scopes.profile('slack_main')).toMatchObject({ timezone: 'Europe/Rome', channels: { '#team': 'C100' } });
  });

  it.each([
    [
      'R3-13 a shared root',
      'orchestrators: { a: { root: ./x }, b: { root: ./y/../x } }',
      '"a" and "b" have the same root',
    ],
    [
      'R3-13 a root inside another',
      'orchestrators: { a: { root: ./x }, b: { root: ./x/b } }',
      'have roots inside each other',
    ],
    [
      'R3-13 the root of main inside another',
      'orchestrators: { a: { root: ./.journeyman } }',
      '"main" and "a" have roots inside each other',
    ],
    [
      'R3-30 a profile without an orchestrator',
      'channelProfiles: { p: { channel: slack, orchestratorId: mian } }',
      'Did you mean "main"?',
    ],
    ['an invalid zone', 'channelProfiles: { p: { channel: slack, orchestratorId: main, timezone: PST } }', 'PST'],
    ['an unknown shared folder', 'orchestrators: { a: { shared: [reports] } }', 'No such shared folder: "reports"'],
    ['a name that is a path', "orchestrators: { '../x': {} }", 'is not a valid name'],
    ['a key with a typo', 'orchestrators: { a: { journey: [x] } }', 'Did you mean "journeys"?'],
    [
      'HOME-6 alerts to a profile that does not exist',
      'alerts: { to: [{ channelProfileId: ops }] }',
      'No such channel profile: "ops"',
    ],
    [
      'HOME-6 alerts to Slack without a channel',
      '{ channelProfiles: { ops: { channel: slack, orchestratorId: main } }, alerts: { to: [{ channelProfileId: ops }] } }',
      'Alerts to ops need a channelId',
    ],
    [
      'HOME-6 alerts to a webhook with a channel',
      '{ channelProfiles: { ops: { channel: webhook, orchestratorId: main } }, alerts: { to: [{ channelProfileId: ops, channelId: C1 }] } }',
      'Alerts to ops cannot have a channelId',
    ],
  ])('are rejected for %s, with the location', (_, yaml, detail) => {
    const problem = refused(yaml);
    expect(problem.code).toBe('CONFIG_FILE_INVALID');
    expect(problem.detail).toContain(detail);
    expect(problem.errors?.[0]?.line).toBe(1);
  });

  it('may have roots whose names share a prefix', () => {
    expect(() => load('orchestrators: { a: { root: ./x }, b: { root: ./x-b }, c: { root: ./..x } }')).not.toThrow();
  });
});
