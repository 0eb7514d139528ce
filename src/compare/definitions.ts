import { apiMethod, apiPath, routeKey } from '../definition/api-path.js';
import type { Definition } from '../definition/definition.js';
import { compareVersions } from '../json/semver.js';
import { canonical, type Json } from '../json/value.js';
import { allStates, scheduleStarts } from '../states/graphs.js';
import { bindingsBetween } from './bindings.js';
import { type Change, differ, schemas } from './change.js';
import { policiesBetween } from './policies.js';
import { stepsBetween } from './steps.js';

/** What is different, from the side of those who know `before`. Content that is equal gives nothing. */
export function changesBetween(before: Definition, after: Definition): Change[] {
  const found = [
    ...surface(before, after),
    ...bindingsBetween('callers', '/spec/bindings/http/start', before.http.start, after.http.start),
    ...stepsBetween(before, after),
    ...policiesBetween(before, after),
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
  const [was, is] = [before, after].map((it) => (it.kind === 'Api' ? it : undefined));
  if (was && is && routeKey(was) !== routeKey(is))
    found.push(
      tell('DIFF_ROUTE', '/spec/bindings/http/route', true, `It answers at ${route(is)} and did at ${route(was)}.`),
    );
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
  if (before.links && !after.links)
    found.push(tell('DIFF_LINKS', '/spec/httpSurface/links/enabled', true, 'Its answers have no _links any more.'));
  if (differ(before.errors?.envelope, after.errors?.envelope))
    found.push(tell('DIFF_ENVELOPE', '/spec/errors/envelope', true, 'Its errors have another form.'));
  if (differ(before.http.apiResponses, after.http.apiResponses))
    found.push(
      tell(
        'DIFF_RESPONSES',
        '/spec/bindings/http/apiResponses',
        false,
        'The statuses that it answers with may differ.',
      ),
    );
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

function route(definition: Definition): string {
  return `${apiMethod(definition)} ${apiPath(definition)}`;
}

function errorCodes(definition: Definition): Set<string> {
  return new Set(
    [...allStates(definition)].flatMap(({ state }) =>
      state.type === 'fail' && typeof state.errorCode === 'string' ? [state.errorCode] : [],
    ),
  );
}
