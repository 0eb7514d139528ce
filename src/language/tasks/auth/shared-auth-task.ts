import { didYouMean } from '../../../base/document/did-you-mean.js';
import type { Place } from '../../../base/document/placed-value.js';
import { describeType, identifier, optionalText, text } from '../../../base/document/read-fields.js';
import { part, shape, textOf, wordOf } from '../../../base/document/schema-builders.js';
import { isObject, type Json, type JsonObject, own } from '../../../base/json/value.js';
import { isProblem, ProblemError, problem, problemJson } from '../../../base/problems/problem.js';
import type { Code } from '../../../base/problems/registry.js';
import { timeless } from '../../../base/time/time-scale.js';
import { ordinaryActivity } from '../../analysis/cost/cost-counters.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { variable, writing } from '../../states/context-reads-and-writes.js';
import { none, type TaskBehaviour } from '../task-kind.js';

/** The part of a request that contains a credential. */
export type CredentialSource = { location: string; name: string; scheme?: string };

/** The fields of every auth task. */
export interface AuthTask {
  kind: string;
  profile: string;
  authVar: string;
  source?: CredentialSource;
}

/**
 * The answer of an auth effect: facts about the caller, or the problem with their credentials. `refused` is a problem of the configuration,
 * not of the caller, and ends the run.
 */
export type AuthAnswer = { known: JsonObject } | { problem: Json } | { refused: Json };

/** Time limit for fetching keys and checking a credential. */
const budgetMs = 15_000;

/**
 * The behaviour of the auth tasks of one mechanism. Credentials are checked in the process that has the request, and the result is written
 * to `context.<authVar>.<mechanism>`. Without a request they are missing.
 */
export function authBehaviour<T extends AuthTask>(effect: string, mechanism: string, missing: Code): TaskBehaviour<T> {
  return {
    run: {
      buildRequest({ kind: _, authVar: __, ...input }, { request }) {
        if (!request) return { answer: { problem: problemJson(problem(missing)) } };
        const about = `profile ${input.profile}`;
        return { name: effect, input: input as unknown as Json, about, safe: true, budgetMs, request };
      },
      handleResult({ authVar }, answer, host) {
        const refused = own(answer, 'refused');
        if (isProblem(refused)) throw new ProblemError(refused);
        const known = own(answer, 'known');
        // The result of an earlier check is replaced as a whole: no stale claims remain beside the new ones.
        const value = isObject(known) ? known : { problem: own(answer, 'problem') ?? null };
        host.writeTarget({ kind: 'path', path: [authVar, mechanism] }, value);
        return undefined;
      },
    },
    effect: { name: effect, virtual: 'real', recorded: 'virtual', summary: none },
    cost: () => ordinaryActivity,
    caption: ({ kind, profile }) => `${kind}, profile ${profile}`,
    data: writing(({ authVar }) => variable(authVar)),
    call: none,
    credential: ({ authVar, source }) => ({ variable: authVar, inRequest: source ? { source } : {} }),
    scheduledStart: none,
    stops: none,
    failures: none,
    scale: timeless,
  };
}

/** JSON Schema of the fields all three auth tasks share. */
export const authFields = {
  profile: { ...textOf('The configured profile; "default" when left out.'), default: 'default' },
  authVar: { ...part('identifier', 'Where the result goes in the context; auth when left out.'), default: 'auth' },
};

/** JSON Schema of `source`. */
export function sourceSchema(...locations: string[]) {
  return shape(
    'Where the credential is; when left out, the profile says.',
    {
      location: wordOf('The part of the request.', ...locations),
      name: textOf('The header, parameter or cookie.'),
      ...(locations.includes('cookie') ? { scheme: textOf('A prefix to strip, like Bearer.') } : {}),
    },
    ['location', 'name'],
  );
}

/** `profile`, `source` and `authVar`. */
export function readAuth(block: Place, within: GraphReading, kind: string): { profile: string; authVar: string } {
  const profile = optionalText(block.at('profile'), 'AUTH_PROFILE_UNKNOWN', 'profile') ?? 'default';
  const known = within.reading.options.profiles?.[kind];
  const named = block.has('profile') ? block.at('profile') : block;
  if (known && !Object.hasOwn(known, profile))
    named.error(
      'AUTH_PROFILE_UNKNOWN',
      `${kind} has no profile "${profile}".`,
      didYouMean(profile, Object.keys(known)),
    );
  else if (known?.[profile]?.lacksSource && !block.has('source'))
    named.error(
      'AUTH_SOURCE_MISSING',
      `Neither the task nor its profile "${profile}" specifies the location of the credential.`,
    );
  const authVar = block.has('authVar') ? identifier(block.at('authVar'), 'authVar') : 'auth';
  return { profile, authVar: authVar ?? 'auth' };
}

/** `source`, an object with location and name. */
export function readSource(place: Place, locations: readonly string[]): CredentialSource | undefined {
  if (place.value === undefined) return undefined;
  if (!place.object) {
    place.error('AUTH_SOURCE', `source must be an object, not ${describeType(place.value)}.`);
    return undefined;
  }
  const hasScheme = locations.includes('cookie');
  place.only(hasScheme ? ['location', 'name', 'scheme'] : ['location', 'name']);
  const location = place.at('location');
  if (!locations.includes(location.value as string))
    (location.value === undefined ? place : location).error(
      'AUTH_SOURCE',
      `location must be one of ${locations.join(', ')}, not ${describeType(location.value)}.`,
    );
  const name = text(place.at('name'), 'AUTH_SOURCE', 'source.name');
  const scheme = hasScheme ? optionalText(place.at('scheme'), 'AUTH_SOURCE', 'source.scheme') : undefined;
  if (typeof location.value !== 'string' || name === undefined) return undefined;
  return { location: location.value, name, ...(scheme === undefined ? {} : { scheme }) };
}
