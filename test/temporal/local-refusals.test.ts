import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { refuse } from '../../src/base/problems/problem.js';
import { type Rig, rig } from './support/rig.js';

const reading = (how: string) => `
apiVersion: v1
kind: Journey
metadata: { name: local-${how}, version: 1.0.0 }
spec:
  start: read
  states:
    read:
      type: task
      task: { kind: httpCall:v1, method: GET, url: "http://service.test/${how}", resultVar: answer }
      next: done
    done: { type: succeed, outputVar: answer }
`;

describe('a call that runs in the worker’s own task', () => {
  let rigged: Rig;
  const calls: string[] = [];
  beforeAll(async () => {
    rigged = await rig({
      activities: asActivities({
        http: async (input, { isLocal }) => {
          const { url } = input as { url: string };
          calls.push(`${isLocal ? 'local' : 'ordinary'} ${url}`);
          if (url.endsWith('refused')) return refuse('ATTRIBUTE_OVERWRITE', 'Not today.');
          if (isLocal) throw new Error('Something broke.');
          return { status: 200, headers: {}, body: 'in the end' };
        },
      }),
    });
  });
  afterAll(() => rigged.stop());

  it('FLT-15 fails its run if rejected, and the waiting caller gets the reason', async () => {
    const view = await rigged.start(reading('refused'));
    expect(view).toMatchObject({
      phase: 'FAILED',
      status: { currentState: 'read' },
      outcome: { terminationKind: 'RuntimeError', error: { code: 'ATTRIBUTE_OVERWRITE', state: 'read' } },
    });
    expect(calls.filter((call) => call.endsWith('refused'))).toEqual(['local http://service.test/refused']);
  });

  it('FLT-15 is retried as an ordinary activity if it fails, and the caller gets the result', async () => {
    const view = await rigged.start(reading('broken'));
    expect(calls.filter((call) => call.endsWith('broken'))).toEqual([
      'local http://service.test/broken',
      'ordinary http://service.test/broken',
    ]);
    expect(view).toMatchObject({ phase: 'SUCCEEDED', outcome: { output: { body: 'in the end' } } });
  });
});
