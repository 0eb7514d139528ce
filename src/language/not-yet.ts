import type { Definition, Graph, Task } from '../definition/definition.js';
import { escapePointer } from '../json/pointer.js';
import type { Finding } from '../problems/problem.js';

/**
 * What the language has and the engine does not execute yet. Journeys that use it load and validate; starting one is refused with
 * these places. The one list to shorten when a part becomes executable.
 */
export const notYet = {
  taskKinds: [
    'cache:v1',
    'kafkaPublish:v1',
    'xmlDecode:v1',
    'jwtValidate:v1',
    'mtlsValidate:v1',
    'apiKeyValidate:v1',
  ] as readonly string[],
  blocks: {
    '/spec/compensation': (definition: Definition) => definition.compensation !== undefined,
    '/spec/cookies': (definition: Definition) => definition.cookies !== undefined,
    '/spec/access/read/guardRef': (definition: Definition) => definition.access !== undefined,
    // In a journey these values must stay out of history, which takes a vault in the gateway; an Api has no history.
    '/spec/bindings/http/start/headersPassthrough': ({ kind, http }: Definition) =>
      kind === 'Journey' && http.start.headersPassthrough.length > 0,
    '/spec/bindings/http/steps': ({ http }: Definition) =>
      Object.values(http.steps).some(({ headersPassthrough }) => headersPassthrough.length > 0),
    '/spec/errors/envelope': (definition: Definition) => definition.errors?.envelope !== undefined,
  } as Readonly<Record<string, (definition: Definition) => boolean>>,
  httpCall: { auth: (task: Task) => 'authPolicy' in task } as Readonly<Record<string, (task: Task) => boolean>>,
};

/** Every place of a journey that needs something the engine cannot do yet. */
export function unsupportedFeatures(definition: Definition): Finding[] {
  const findings = Object.entries(notYet.blocks)
    .filter(([, used]) => used(definition))
    .map(([pointer]) => finding(pointer, pointer.slice('/spec/'.length).replaceAll('/', '.')));
  findings.push(...inGraph(definition, '/spec'));
  for (const [id, graph] of Object.entries(definition.subjourneys))
    findings.push(...inGraph(graph, `/spec/subjourneys/${escapePointer(id)}`));
  if (definition.compensation) findings.push(...inGraph(definition.compensation, '/spec/compensation'));
  return findings;
}

function inGraph(graph: Graph, pointer: string): Finding[] {
  return Object.entries(graph.states).flatMap(([id, state]) => {
    const at = `${pointer}/states/${escapePointer(id)}`;
    if (state.type === 'task') return inTask(state.task, `${at}/task`);
    if (state.type !== 'parallel') return [];
    return state.branches.flatMap((branch, i) => inGraph(branch, `${at}/parallel/branches/${i}`));
  });
}

function inTask(task: Task, pointer: string): Finding[] {
  if (notYet.taskKinds.includes(task.kind)) return [finding(`${pointer}/kind`, `task kind ${task.kind}`)];
  if (task.kind !== 'httpCall:v1') return [];
  return Object.entries(notYet.httpCall)
    .filter(([, used]) => used(task))
    .map(([field]) => finding(`${pointer}/${field}`, `${field} of an HTTP call`));
}

function finding(pointer: string, what: string): Finding {
  return { code: 'NOT_YET_SUPPORTED', severity: 'error', pointer, message: `This engine cannot execute ${what} yet.` };
}
