import { load } from '../../../src/language/load-journey.js';
import { mapJourney } from '../../support/map-journey.js';
import { type Flow, flowName } from './contestant.js';

const journey = (name: string, start: string, states: string): string => `apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: ${start}
  states:
${states}
    done: { type: succeed, output: { expr: '{ ok: true }' } }
`;

const call = (method: string, url: string, i: number): string => {
  const body = method === 'GET' ? '' : `, body: { i: ${i} }`;
  return `{ kind: "httpCall:v1", method: ${method}, url: "${url}"${body}, resultVar: r${i} }`;
};

/** States that check this many calls. */
function check(count: number): string {
  const allOk = Array.from({ length: count }, (_, i) => `context.r${i}.ok`).join(' and ');
  return `    check: { type: choice, choices: [{ when: "${allOk}", next: done }], default: failed }
    failed: { type: fail, errorCode: FAILED, reason: A call failed }`;
}

function calls({ method, count, path }: Extract<Flow, { kind: 'calls' }>, serviceUrl: string): string {
  const states = Array.from(
    { length: count },
    (_, i) =>
      `    call${i}: { type: task, task: ${call(method, `${serviceUrl}${path}/${i}`, i)}, next: ${i < count - 1 ? `call${i + 1}` : 'check'} }`,
  );
  return `${states.join('\n')}
${check(count)}`;
}

function parallel(branches: number, serviceUrl: string): string {
  const each = Array.from(
    { length: branches },
    (_, i) =>
      `          - { name: b${i}, start: call, states: { call: { type: task, task: ${call('POST', `${serviceUrl}/${i}`, i)}, next: end }, end: { type: succeed } } }`,
  );
  return `    all:
      type: parallel
      parallel:
        branches:
${each.join('\n')}
        join: { strategy: allOf }
      next: check
${check(branches)}`;
}

/** The journey of a flow. */
export function textOf(flow: Flow, serviceUrl: string): string {
  const name = flowName(flow);
  switch (flow.kind) {
    case 'calls':
      return journey(name, 'call0', calls(flow, serviceUrl));
    case 'parallel':
      return journey(name, 'all', parallel(flow.branches, serviceUrl));
    case 'each':
      return mapJourney(serviceUrl, 'POST', flow.atOnce);
    case 'wait':
      return journey(
        name,
        'approve',
        '    approve: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: done }',
      );
    case 'nothing':
      return journey(name, 'done', '');
  }
}

/** A journey in its normal form. */
export type Definition = NonNullable<ReturnType<typeof load>['definition']>;

/** The definition of a journey; throws if it has findings. */
export function definitionOf(text: string): Definition {
  const { definition, findings } = load({ text });
  if (!definition) throw new Error(JSON.stringify(findings));
  return definition;
}

const definitions = new Map<string, Definition>();

/** The definition of a flow's journey, loaded once. */
export function journeyOf(flow: Flow, serviceUrl: string): Definition {
  const key = JSON.stringify([flow, serviceUrl]);
  const known = definitions.get(key) ?? definitionOf(textOf(flow, serviceUrl));
  definitions.set(key, known);
  return known;
}
