import { describe, expect, it } from 'vitest';
import { runAt } from '../../../../src/console/playground/compute-run-at-moment.js';
import { journeyDiagram } from '../../../../src/graph/journey-diagram.js';
import { load } from '../../../../src/language/load-journey.js';
import { readScript } from '../../../../src/scenarios/read/read-scenario-file.js';
import { recordPlay } from '../../../../src/scenarios/simulate/record-visited-moments.js';
import { interpretedChecks } from '../../../../src/service/start/input-checks.js';

const race = `
apiVersion: v1
kind: Journey
metadata: { name: race, version: 1.0.0 }
spec:
  start: both
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: quick
            start: nap
            states: { nap: { type: timer, timer: { duration: PT1S }, next: end }, end: { type: succeed } }
          - name: slow
            start: ask
            states:
              ask: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: end }
              end: { type: succeed }
        join: { strategy: anyOf }
      next: bad
    bad: { type: fail, errorCode: BAD, reason: Refused. }
`;

describe('runAt', async () => {
  const { definition } = load({ text: race });
  const diagram = journeyDiagram(definition!);
  const script = readScript('{}').scenarios[0]!.scenario;
  const platform = { inputChecks: () => interpretedChecks, authEffects: () => ({}) };
  const { moments } = await recordPlay(platform, definition!, script, () => undefined);
  const node = (state: string) => `/spec/states/${state}`;
  const slow = `${node('both')}/parallel/branches/1/states/ask`;

  it('shows active states and waiting steps', () => {
    const at = runAt(
      diagram,
      moments,
      moments.findIndex(({ state }) => state === 'ask'),
    );
    expect(at.openSteps).toMatchObject([{ state: 'ask', within: 'both#1.slow' }]);
    expect(at.node).toBe(slow);
    expect(at.progress.nodes.get(node('both'))).toEqual({ progress: 'current', visits: 1 });
    expect(at.progress.nodes.get(slow)).toEqual({ progress: 'current', visits: 1 });
    expect(at.progress.nodes.has(node('bad'))).toBe(false);
  });

  it('removes the steps of an interrupted branch', () => {
    const left = moments.findIndex(({ kind, state }) => kind === 'left' && state === 'both');
    const at = runAt(diagram, moments, left);
    expect(at.openSteps).toEqual([]);
    expect(at.progress.nodes.get(slow)).toEqual({ progress: 'visited', visits: 1 });
  });

  it('marks the failed state and the edges taken', () => {
    const at = runAt(diagram, moments, moments.length - 1);
    expect(at.progress.nodes.get(node('bad'))).toEqual({ progress: 'failed', visits: 1 });
    expect([...at.progress.edges]).toEqual(expect.arrayContaining([`${node('both')}#0`, '/spec#start']));
    expect(at.openSteps).toEqual([]);
  });
});
