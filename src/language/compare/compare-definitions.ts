import { compareVersions } from '../../base/json/semver.js';
import { canonical, equal, type Json } from '../../base/json/value.js';
import { apiMethod, apiPath, routeKey } from '../../engine/definition/api-routes.js';
import type { Correlation, Definition, InboundBinding } from '../../engine/definition/definition.js';
import type { Signature } from '../../engine/definition/inbound-signature-scheme.js';
import { allStates, errorCodes, scheduleStarts, stepUses } from '../states/graph-traversal.js';
import { isStep, stateDifferences, stepOf } from '../states/state-queries.js';
import { type Audience, type Change, differ } from './change.js';
import { reportSchemaChanges } from './compare-schemas.js';

/** Changes between two versions of a definition, each marked as breaking or not for those who use `before`. Empty for equal content. */
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
  const change = (code: string, pointer: string, breaking: boolean, message: string): Change => ({
    code,
    concerns: 'callers',
    breaking,
    pointer,
    message,
  });
  const found: Change[] = [];
  if (before.kind !== after.kind)
    found.push(change('DIFF_KIND', '/kind', true, `The kind changed from ${before.kind} to ${after.kind}.`));
  const [was, is] = [before, after].map((it) => (it.kind === 'Api' ? it : undefined));
  if (was && is && routeKey(was) !== routeKey(is))
    found.push(
      change('DIFF_ROUTE', '/spec/bindings/http/route', true, `The route changed from ${route(was)} to ${route(is)}.`),
    );
  const [mode, oldMode] = [after.lifecycle.startMode, before.lifecycle.startMode];
  if (mode !== oldMode)
    found.push(
      change(
        'DIFF_START_MODE',
        '/spec/lifecycle/startMode',
        true,
        `A start now answers ${mode === 'sync' ? 'with the outcome or status (200)' : 'at once (202)'}.`,
      ),
    );
  if (before.lifecycle.cancellable && !after.lifecycle.cancellable)
    found.push(change('DIFF_CANCEL', '/spec/lifecycle/cancellable', true, 'Runs can no longer be cancelled.'));
  if (after.access && !before.access)
    found.push(change('DIFF_ACCESS', '/spec/access', true, 'Reading a run is now subject to a guard.'));
  if (before.links && !after.links)
    found.push(change('DIFF_LINKS', '/spec/httpSurface/links/enabled', true, 'Responses no longer contain _links.'));
  if (differ(before.errors?.envelope, after.errors?.envelope))
    found.push(change('DIFF_ENVELOPE', '/spec/errors/envelope', true, 'The error envelope has changed.'));
  if (differ(before.http.apiResponses, after.http.apiResponses))
    found.push(change('DIFF_RESPONSES', '/spec/bindings/http/apiResponses', false, 'Response statuses may differ.'));
  const outcomes = new Set(after.outcomes.map(({ id }) => id));
  for (const { id } of before.outcomes)
    if (!outcomes.has(id))
      found.push(change('DIFF_OUTCOME', '/spec/outcomes', true, `The outcome '${id}' was removed.`));
  const [codes, oldCodes] = [errorCodes(after), errorCodes(before)];
  for (const code of oldCodes)
    if (!codes.has(code))
      found.push(change('DIFF_ERROR', '/spec/states', false, `No run fails with ${code} any longer.`));
  for (const code of codes)
    if (!oldCodes.has(code)) found.push(change('DIFF_ERROR', '/spec/states', false, `Runs may now fail with ${code}.`));
  found.push(...keyChanges(before, after).map((message) => change('DIFF_KEY', '/spec/key', true, message)));
  const { response, schema } = after.output ?? {};
  return [
    ...found,
    ...reportSchemaChanges(
      'DIFF_INPUT',
      'callers',
      '/spec/input/schema',
      before.input?.schema,
      after.input?.schema,
      'sent',
    ),
    ...reportSchemaChanges('DIFF_OUTPUT', 'callers', '/spec/output/schema', before.output?.schema, schema, 'read'),
    ...reportSchemaChanges(
      'DIFF_OUTPUT',
      'callers',
      '/spec/output/response/schema',
      before.output?.response?.schema,
      response?.schema,
      'read',
    ),
  ];
}

/** A key spans versions, so callers notice every change of it. */
function keyChanges({ key: before }: Definition, { key: after }: Definition): string[] {
  if (!before || !after) {
    if (before) return ['Runs no longer have a key.'];
    return after ? ['Runs now have a key: a start may return a run that exists.'] : [];
  }
  return [
    ...(differ(before.mapper, after.mapper) ? ['The key of a run is computed in another way.'] : []),
    ...(before.onExisting === after.onExisting
      ? []
      : [`A start with a key that is taken is now: ${after.onExisting}.`]),
    ...(before.once === after.once
      ? []
      : [after.once ? 'The key of an ended run stays taken.' : 'The key of an ended run can be used again.']),
  ];
}

/** A parked run can be migrated only if each of its current states exists in the other version with the same type. */
function statesBetween(before: Definition, after: Definition): Change[] {
  const now = new Map([...allStates(after)].map((it) => [it.pointer, it.state]));
  return [...allStates(before)].flatMap(({ id, state, pointer }): Change[] => {
    const other = now.get(pointer);
    if (other?.type === state.type) return [];
    const message = other
      ? `The state '${id}' changed from ${state.type} to ${other.type}`
      : `The state '${id}' was removed`;
    return [
      {
        code: 'DIFF_STATE',
        concerns: 'runs',
        breaking: false,
        pointer,
        message: `${message}: runs in it cannot be migrated.`,
      },
    ];
  });
}

/** A schedule belongs to the version that created it and runs that version until it is migrated. */
function schedulesBetween(before: Definition, after: Definition): Change[] {
  const [was, is] = [scheduleStarts(before), scheduleStarts(after)];
  const change = (message: string, breaking: boolean): Change => ({
    code: 'DIFF_SCHEDULE',
    concerns: 'schedules',
    breaking,
    pointer: '/spec/states',
    message,
  });
  const found = [...was]
    .filter((start) => !Object.hasOwn(after.states, start))
    .map((start) => change(`Schedules start at '${start}', which was removed: they cannot be migrated.`, true));
  if (was.size > 0 && before.version !== after.version)
    found.push(change(`Schedules created by ${before.version} run that version until they are migrated.`, false));
  for (const start of was)
    if (!is.has(start) && Object.hasOwn(after.states, start))
      found.push(change(`No new schedules start at '${start}'; existing ones continue.`, false));
  return found;
}

function configBetween(before: Definition, after: Definition): Change[] {
  return Object.entries(after.platformConfig).flatMap(([key, { required, type, default: usual }]): Change[] => {
    const old = Object.hasOwn(before.platformConfig, key) ? before.platformConfig[key] : undefined;
    const pointer = `/spec/platform/config/${key}`;
    if (required && !old?.required)
      return [
        {
          code: 'DIFF_CONFIG',
          concerns: 'deployment',
          breaking: true,
          pointer,
          message: `platform.config.${key} is now required.`,
        },
      ];
    if (old && old.type !== type)
      return [
        {
          code: 'DIFF_CONFIG',
          concerns: 'deployment',
          breaking: true,
          pointer,
          message: `platform.config.${key} now has the type ${type}.`,
        },
      ];
    if (old && !equal(old.default ?? null, usual ?? null))
      return [
        {
          code: 'DIFF_CONFIG',
          concerns: 'deployment',
          breaking: false,
          pointer,
          message: `The default of platform.config.${key} has changed.`,
        },
      ];
    return [];
  });
}

/** Changed content needs a higher version, and a breaking change a higher major version. */
function versionRules(before: Definition, after: Definition, found: readonly Change[]): Change[] {
  const change = (message: string): Change => ({
    code: 'DIFF_VERSION',
    concerns: 'deployment',
    breaking: true,
    pointer: '/metadata/version',
    message,
  });
  const order = compareVersions(after.version, before.version);
  const changed = canonical(withoutVersion(before)) !== canonical(withoutVersion(after));
  if (order < 0) return [change(`${after.version} is lower than ${before.version}: the highest version is served.`)];
  if (order === 0)
    return changed ? [change(`The content has changed, but the version is still ${after.version}.`)] : [];
  const major = (version: string) => Number(version.split('.')[0]);
  const breaks = found.some((it) => it.breaking);
  return breaks && major(before.version) > 0 && major(after.version) === major(before.version)
    ? [change(`${after.version} is not compatible with ${before.version}: raise the major version.`)]
    : [];
}

function withoutVersion({ version: _, ...rest }: Definition): Json {
  return rest as unknown as Json;
}

function route(definition: Definition): string {
  return `${apiMethod(definition)} ${apiPath(definition)}`;
}

/** Changes in the number of failures that a run tolerates, and in the time that it may take. */
function policiesBetween(before: Definition, after: Definition): Change[] {
  const now = new Map([...allStates(after)].map(({ pointer, state }) => [pointer, state]));
  const states = [...allStates(before)].flatMap(({ id, state, pointer }): Change[] => {
    const other = now.get(pointer);
    const differences = other ? stateDifferences(state, other, id) : [];
    return differences.map((it) => ({ code: 'DIFF_POLICY', concerns: 'callers', pointer, ...it }));
  });
  const longest = ({ execution }: Definition) => execution?.maxDurationSec ?? Number.POSITIVE_INFINITY;
  if (longest(after) >= longest(before)) return states;
  const message = `A run may now take at most ${longest(after)} seconds.`;
  const pointer = '/spec/execution/maxDurationSec';
  return [...states, { code: 'DIFF_DURATION', concerns: 'runs', breaking: false, pointer, message }];
}

/** Changes for clients that submit steps. */
function stepsBetween(before: Definition, after: Definition): Change[] {
  // Only the ids of steps are unique in the whole document.
  const now = new Map([...allStates(after)].filter((it) => isStep(it.state)).map((it) => [it.id, it.state]));
  const [uses, newUses] = [stepUses(before), stepUses(after)];
  return [...allStates(before)].flatMap(({ id, state, pointer }): Change[] => {
    const step = stepOf(state)?.step;
    if (!step) return [];
    const change = (breaking: boolean, message: string, field = ''): Change => ({
      code: 'DIFF_STEP',
      concerns: 'steps',
      breaking,
      pointer: `${pointer}${field}`,
      message,
    });
    const otherState = now.get(id);
    const other = otherState && stepOf(otherState)?.step;
    if (!other) return [change(true, `The step '${id}' was removed.`)];
    const [use, newUse] = [uses.get(id), newUses.get(id)];
    const moved = (alone: boolean | undefined, now: boolean | undefined, message: string) =>
      alone && !now ? [change(true, message)] : [];
    const block = `/${otherState.type}`;
    const { timeout } = other;
    const sooner = timeout && timeout.sec < (step.timeout?.sec ?? Number.POSITIVE_INFINITY);
    return [
      ...moved(use?.alone, newUse?.alone, `The step '${id}' is now submitted as ${id}/<item>.`),
      ...moved(use?.inItems, newUse?.inItems, `The step '${id}' is now submitted without an item.`),
      ...reportSchemaChanges('DIFF_STEP', 'steps', pointer, step.schema, other.schema, 'sent'),
      ...reportSchemaChanges(
        'DIFF_STEP',
        'steps',
        `${pointer}/response`,
        step.response?.schema,
        other.response?.schema,
        'read',
      ),
      ...signatures(id, step.signature, other.signature).map(([breaking, message]) =>
        change(breaking, message, `${block}/signature`),
      ),
      ...correlations(id, step.correlate, other.correlate).map(([breaking, message]) =>
        change(breaking, message, `${block}/correlate`),
      ),
      ...(sooner
        ? [change(false, `The step '${id}' now waits at most ${timeout.sec} seconds.`, `${block}/timeoutSec`)]
        : []),
      ...bindingsBetween('steps', `/spec/bindings/http/steps/${id}`, before.http.steps[id], after.http.steps[id]),
    ];
  });
}

/** Changes for clients that sign submissions as the previous version required. */
function signatures(id: string, before: Signature | undefined, after: Signature | undefined): Difference[] {
  if (!after) return before ? [[false, `Submissions of '${id}' no longer have to be signed.`]] : [];
  if (!before) return [[true, `Submissions of '${id}' must now be signed.`]];
  const { secretRefs: old, ...scheme } = before;
  const { secretRefs, ...newScheme } = after;
  const gone = old.filter((ref) => !secretRefs.includes(ref));
  const rejected = gone.map((ref): Difference => [true, `Submissions of '${id}' signed with ${ref} are now rejected.`]);
  return differ(scheme, newScheme)
    ? [[true, `Submissions of '${id}' must now be signed with another scheme.`], ...rejected]
    : rejected;
}

/** Changes for systems that submit the step at its fixed URL. */
function correlations(id: string, before: Correlation | undefined, after: Correlation | undefined): Difference[] {
  if (!before) return after ? [[false, `The step '${id}' now has a fixed URL for all runs.`]] : [];
  if (!after) return [[true, `The step '${id}' no longer has a fixed URL for all runs.`]];
  const changed: Difference[] = [];
  if (differ(before.key, after.key))
    changed.push([true, `The key of the run is now computed in another way from requests to '${id}'.`]);
  if (differ(before.dedupe, after.dedupe))
    changed.push([false, `Repeated deliveries to '${id}' are now recognised in another way.`]);
  if (differ(before.input, after.input))
    changed.push(
      after.input
        ? [false, `A request to '${id}' now starts a missing run${before.input ? ' with another input' : ''}.`]
        : [true, `A request to '${id}' no longer starts a missing run.`],
    );
  return changed;
}

type Difference = [breaking: boolean, message: string];

/** Differences in the parts of a request that a binding reads. Path parameters are compared by target field: their names are not visible to callers. */
function bindingsBetween(
  concerns: Audience,
  pointer: string,
  before: InboundBinding | undefined,
  after: InboundBinding | undefined,
): Change[] {
  const between = (field: string, what: string, was: Names, is: Names): Change[] =>
    Object.entries(was).flatMap(([name, to]) => {
      const now = Object.hasOwn(is, name) ? is[name] : undefined;
      if (now === to) return [];
      const message =
        now === undefined
          ? `The ${what} ${name} is no longer read.`
          : `The ${what} ${name} is now mapped to ${now} instead of ${to}.`;
      return [{ code: 'DIFF_BINDING', concerns, breaking: now === undefined, pointer: `${pointer}/${field}`, message }];
    });
  const paths = [before, after].map((it) => Object.values(it?.pathToContext ?? {}));
  const gone = paths[0]!.filter((field) => !paths[1]!.includes(field));
  return [
    ...between('queryToContext', 'query parameter', before?.queryToContext ?? {}, after?.queryToContext ?? {}),
    ...between('headersToContext', 'header', lower(before?.headersToContext), lower(after?.headersToContext)),
    ...between('headersPassthrough', 'header', passed(before), passed(after)),
    ...gone.map((field): Change => {
      const message = `The path no longer sets context.${field}.`;
      return { code: 'DIFF_BINDING', concerns, breaking: false, pointer: `${pointer}/pathToContext`, message };
    }),
  ];
}

type Names = Readonly<Record<string, string>>;

/** Header names are case-insensitive. */
function lower(names: Names = {}): Names {
  return Object.fromEntries(Object.entries(names).map(([name, to]) => [name.toLowerCase(), to]));
}

function passed(binding: InboundBinding | undefined): Names {
  return lower(Object.fromEntries((binding?.headersPassthrough ?? []).map(({ from, to }) => [from, to.toLowerCase()])));
}
