import { apiPath } from '../definition/api-path.js';
import type { Definition, State } from '../definition/definition.js';
import { compareVersions } from '../json/semver.js';
import { canonical, type Json } from '../json/value.js';
import { allStates, isStep, type PlacedState, scheduleStarts } from '../states/graphs.js';
import { type Direction, schemaChanges } from './schemas.js';

/** Whom a change concerns: who starts or reads runs, who submits steps, schedules, runs that are parked, who deploys. */
export type Concerns = 'callers' | 'steps' | 'schedules' | 'runs' | 'deployment';

/** One difference between two versions of a journey or Api. */
export interface Change {
  readonly code: string;
  readonly concerns: Concerns;
  /** Somebody who relies on the old one is let down. */
  readonly breaking: boolean;
  readonly pointer: string;
  readonly message: string;
}

/** What is different, from the side of those who know `before`. Content that is equal gives nothing. */
export function changesBetween(before: Definition, after: Definition): Change[] {
  const found = [
    ...surface(before, after),
    ...stepsBetween(before, after),
    ...statesBetween(before, after),
    ...schedulesBetween(before, after),
    ...configBetween(before, after),
  ];
  return [...found, ...versionRules(before, after, found)];
}

function surface(before: Definition, after: Definition): Change[] {
  const tell = (code: string, pointer: string, breaking: boolean, message: string): Change => ({
    code,
    concerns: 'callers',
    breaking,
    pointer,
    message,
  });
  const found: Change[] = [];
  if (before.kind !== after.kind)
    found.push(tell('DIFF_KIND', '/kind', true, `It is a ${after.kind} and was a ${before.kind}.`));
  const [was, is] = [before, after].map((it) => (it.kind === 'Api' ? apiPath(it) : ''));
  if (was !== is)
    found.push(tell('DIFF_ROUTE', '/spec/bindings/http/route', true, `It answers at ${is} and did at ${was}.`));
  const [mode, oldMode] = [after.lifecycle.startMode, before.lifecycle.startMode];
  if (mode !== oldMode)
    found.push(
      tell(
        'DIFF_START_MODE',
        '/spec/lifecycle/startMode',
        true,
        `A start answers ${mode === 'sync' ? 'with the outcome or status (200)' : 'at once (202)'} now.`,
      ),
    );
  if (before.lifecycle.cancellable && !after.lifecycle.cancellable)
    found.push(tell('DIFF_CANCEL', '/spec/lifecycle/cancellable', true, 'Its runs cannot be cancelled any more.'));
  if (after.access && !before.access)
    found.push(tell('DIFF_ACCESS', '/spec/access', true, 'A guard decides now who reads its runs.'));
  const outcomes = new Set(after.outcomes.map(({ id }) => id));
  for (const { id } of before.outcomes)
    if (!outcomes.has(id)) found.push(tell('DIFF_OUTCOME', '/spec/outcomes', true, `The outcome '${id}' is gone.`));
  const [codes, oldCodes] = [errorCodes(after), errorCodes(before)];
  for (const code of oldCodes)
    if (!codes.has(code)) found.push(tell('DIFF_ERROR', '/spec/states', false, `It fails with ${code} no more.`));
  for (const code of codes)
    if (!oldCodes.has(code)) found.push(tell('DIFF_ERROR', '/spec/states', false, `It may fail with ${code} now.`));
  const { response, schema } = after.output ?? {};
  return [
    ...found,
    ...schemas('DIFF_INPUT', 'callers', '/spec/input/schema', before.input?.schema, after.input?.schema, 'sent'),
    ...schemas('DIFF_OUTPUT', 'callers', '/spec/output/schema', before.output?.schema, schema, 'read'),
    ...schemas(
      'DIFF_OUTPUT',
      'callers',
      '/spec/output/response/schema',
      before.output?.response?.schema,
      response?.schema,
      'read',
    ),
  ];
}

function stepsBetween(before: Definition, after: Definition): Change[] {
  const now = byId(after);
  return [...allStates(before)].flatMap(({ id, state, pointer }): Change[] => {
    if (!isStep(state) || !('schema' in state)) return [];
    const other = now.get(id)?.state;
    if (!other || !isStep(other) || !('schema' in other))
      return [{ code: 'DIFF_STEP', concerns: 'steps', breaking: true, pointer, message: `The step '${id}' is gone.` }];
    return [
      ...schemas('DIFF_STEP', 'steps', pointer, state.schema as Json, other.schema as Json, 'sent'),
      ...schemas('DIFF_STEP', 'steps', `${pointer}/response`, responseOf(state), responseOf(other), 'read'),
    ];
  });
}

/** A parked run moves to another version only where every state that it stands in has the same type there. */
function statesBetween(before: Definition, after: Definition): Change[] {
  const now = new Map([...allStates(after)].map((it) => [it.pointer, it.state]));
  return [...allStates(before)].flatMap(({ id, state, pointer }): Change[] => {
    const other = now.get(pointer);
    if (other?.type === state.type) return [];
    const message = other
      ? `The state '${id}' is a ${other.type} and was a ${state.type}`
      : `The state '${id}' is gone`;
    return [
      {
        code: 'DIFF_STATE',
        concerns: 'runs',
        breaking: false,
        pointer,
        message: `${message}: runs that stand there cannot move.`,
      },
    ];
  });
}

/** The version is part of a binding's identity: the old one's go on with it until they are moved. */
function schedulesBetween(before: Definition, after: Definition): Change[] {
  const [was, is] = [scheduleStarts(before), scheduleStarts(after)];
  const told = (message: string, breaking: boolean): Change => ({
    code: 'DIFF_SCHEDULE',
    concerns: 'schedules',
    breaking,
    pointer: '/spec/states',
    message,
  });
  const found = [...was]
    .filter((start) => !Object.hasOwn(after.states, start))
    .map((start) => told(`Schedules begin at '${start}', which is gone: theirs cannot move.`, true));
  if (was.size > 0 && before.version !== after.version)
    found.push(told(`Schedules made by ${before.version} go on with it: the version is part of what they are.`, false));
  for (const start of was)
    if (!is.has(start) && Object.hasOwn(after.states, start))
      found.push(told(`No schedule is made for '${start}' any more; those that are there go on.`, false));
  return found;
}

function configBetween(before: Definition, after: Definition): Change[] {
  return Object.entries(after.platformConfig).flatMap(([key, { required, type }]): Change[] => {
    const old = Object.hasOwn(before.platformConfig, key) ? before.platformConfig[key] : undefined;
    const pointer = `/spec/platform/config/${key}`;
    if (required && !old?.required)
      return [
        {
          code: 'DIFF_CONFIG',
          concerns: 'deployment',
          breaking: true,
          pointer,
          message: `platform.config.${key} is required now.`,
        },
      ];
    if (old && old.type !== type)
      return [
        {
          code: 'DIFF_CONFIG',
          concerns: 'deployment',
          breaking: true,
          pointer,
          message: `platform.config.${key} is of type ${type} now.`,
        },
      ];
    return [];
  });
}

/** Content that changes needs another version, and what breaks callers a higher major one. */
function versionRules(before: Definition, after: Definition, found: readonly Change[]): Change[] {
  const tell = (message: string): Change => ({
    code: 'DIFF_VERSION',
    concerns: 'deployment',
    breaking: true,
    pointer: '/metadata/version',
    message,
  });
  const order = compareVersions(after.version, before.version);
  const changed = canonical(withoutVersion(before)) !== canonical(withoutVersion(after));
  if (order < 0) return [tell(`${after.version} is lower than ${before.version}: the highest version is served.`)];
  if (order === 0) return changed ? [tell(`The content has changed, and the version is still ${after.version}.`)] : [];
  const major = (version: string) => Number(version.split('.')[0]);
  const breaks = found.some((it) => it.breaking);
  return breaks && major(before.version) > 0 && major(after.version) === major(before.version)
    ? [tell(`${after.version} breaks what ${before.version} promised: raise the major version.`)]
    : [];
}

function withoutVersion({ version: _, ...rest }: Definition): Json {
  return rest as unknown as Json;
}

function schemas(
  code: string,
  concerns: Concerns,
  pointer: string,
  before: Json | undefined,
  after: Json | undefined,
  way: Direction,
): Change[] {
  return schemaChanges(before, after, way).map((it) => ({
    code,
    concerns,
    breaking: it.breaking,
    pointer,
    message: `${it.pointer || 'The whole value'} ${it.message}.`,
  }));
}

function byId(definition: Definition): Map<string, PlacedState> {
  return new Map([...allStates(definition)].map((it) => [it.id, it]));
}

function responseOf(state: State): Json | undefined {
  return 'response' in state
    ? ((state.response as { schema?: Json } | undefined)?.schema as Json | undefined)
    : undefined;
}

function errorCodes(definition: Definition): Set<string> {
  return new Set(
    [...allStates(definition)].flatMap(({ state }) =>
      state.type === 'fail' && typeof state.errorCode === 'string' ? [state.errorCode] : [],
    ),
  );
}
