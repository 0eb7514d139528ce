import { expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { readPatch } from '../../../src/schedules/bindings/binding-record.js';

const scheduling = (start: string) => `
apiVersion: v1
kind: Journey
metadata: { name: a, version: 1.0.0 }
spec:
  start: plan
  states:
    plan: { type: task, task: { kind: schedule:v1, ${start} interval: P1D, maxRuns: 2 }, next: end }
    end: { type: succeed }
`;
const messages = (text: string) => load({ text }).findings.map(({ message }) => message);

it.each([
  ['', 'The schedule does not say at which state of spec.states its runs start.'],
  ['start: null,', 'start must be the id of a state, not null.'],
  ['start: 3,', 'start must be the id of a state, not the number 3.'],
  ['start: edn,', 'spec.states has no state "edn" to start at.'],
])('FLT-22 a schedule with "%s" is reported in a sentence', (start, message) => {
  expect(messages(scheduling(start))).toContain(message);
});

it('FLT-22 and so is a journey whose start is not text', () => {
  const text =
    'apiVersion: v1\nkind: Journey\nmetadata: { name: a, version: 1.0.0 }\nspec: { start: 3, states: { a: { type: succeed } } }';
  expect(messages(text)).toContain('start must be the id of a state, not the number 3.');
});

it('FLT-22 zero is a whole number, but too small', () => {
  expect(() => readPatch({ maxRuns: 0 }, 60)).toThrow('"maxRuns" must be a whole number, at least 1.');
});
