import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copy, type Json, type JsonObject } from '../../../../src/base/json/value.js';
import { ProblemError } from '../../../../src/base/problems/problem.js';
import { automation, jobArgs } from '../../../support/automation.js';

const keys = [
  ...['orchestratorId', 'scheduleType', 'schedule', 'targetAction', 'targetRef', 'name', 'state', 'misfirePolicy'],
  ...['allowOverlap', 'maxDurationSec', 'jobId', 'createdBy', 'type', 'runAt', 'everySeconds', 'every', 'anchorAt'],
  ...['expression', 'timezone', 'workflowId', 'inputs', 'functionId', 'functionArgs', 'channel', 'channelProfileId'],
  ...['channelId', 'postingMode', 'threadTs', 'patch', '__proto__', 'constructor', 'toString', ''],
];
const texts = [
  ...[
    'eng',
    'once',
    'interval',
    'cron',
    'workflow_start',
    'command_invoke',
    'report',
    'schedule.create',
    'slack',
    'slack_main',
  ],
  ...[
    '0 9 * * fri',
    'Europe/Rome',
    '2031-01-01T00:00:00Z',
    'PT1H',
    '../x',
    'shared://payroll/x',
    'thread_reply',
    'enabled',
    'deleted',
  ],
];
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<Json>(...texts, null, true, 0, -1, 60, 1e308),
    fc.string(),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('any'), { maxKeys: 6, noNullPrototype: false }),
  ),
}));
const object = fc.dictionary(fc.constantFrom(...keys), value.any, { maxKeys: 8 }) as fc.Arbitrary<JsonObject>;

it('any input is accepted or rejected with findings that have code, pointer and hint', async () => {
  const rig = automation();
  const { jobId } = await rig.invoke('schedule.create', jobArgs());
  const tries: [string, (it: JsonObject) => JsonObject][] = [
    ['schedule.create', (it) => it],
    ['schedule.create', (it) => jobArgs(it)],
    ['schedule.update', (patch) => ({ jobId, patch })],
    ['journey.start', (it) => it],
  ];
  await fc.assert(
    fc.asyncProperty(object, fc.constantFrom(...tries), async (given, [functionId, args]) => {
      const error = await rig.invoke(functionId, copy(args(given))).catch((it: unknown) => it);
      if (!(error instanceof Error)) return;
      expect(error).toBeInstanceOf(ProblemError);
      const { code, status, errors = [] } = (error as ProblemError).problem;
      expect([code, status < 500]).toEqual([code, true]);
      for (const it of errors) {
        expect([it.code, it.message].every((text) => text !== '')).toBe(true);
        if (it.code !== 'INPUT_INVALID') expect(it.hint, JSON.stringify(it)).toBeTruthy();
      }
    }),
    { numRuns: 2000 },
  );
});
