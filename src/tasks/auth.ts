import { describe, identifier, optionalText, text } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { part, shape, textOf, wordOf } from '../document/schema-parts.js';
import { didYouMean } from '../document/suggest.js';
import type { AskingRunner } from '../engine/vocabulary.js';
import { isObject, type Json, type JsonObject, own } from '../json/value.js';
import { isProblem, ProblemError, problem, problemJson } from '../problems/problem.js';
import type { Code } from '../problems/registry.js';
import type { GraphReading } from '../reading/reading.js';

/** Where a credential stands in the current request. */
export type CredentialSource = { location: string; name: string; scheme?: string };

/** What every auth task says. */
export interface AuthTask {
  kind: string;
  profile: string;
  authVar: string;
}

/**
 * What the effect of an auth task answers: what is known of the caller, or what is wrong with their credentials. `refused` is about the
 * configuration, not about the caller, and ends the run.
 */
export type AuthAnswer = { known: JsonObject } | { problem: Json } | { refused: Json };

/** How long it may take to fetch keys and check a credential. */
const budgetMs = 15_000;

/**
 * Runs auth tasks of one mechanism: the credentials are checked where the request is, and `context.<authVar>.<mechanism>` says what came of
 * it. Where there is no request, they are missing.
 */
export function authRunner<T extends AuthTask>(effect: string, mechanism: string, missing: Code): AskingRunner<T> {
  return {
    ask({ kind: _, authVar: __, ...input }, { request }) {
      if (!request) return { answer: { problem: problemJson(problem(missing)) } };
      const about = `profile ${input.profile}`;
      return { name: effect, input: input as unknown as Json, about, safe: true, budgetMs, request };
    },
    take({ authVar }, answer, host) {
      const refused = own(answer, 'refused');
      if (isProblem(refused)) throw new ProblemError(refused);
      const known = own(answer, 'known');
      // What an earlier check left is replaced whole: nothing stale stands beside the verdict.
      const value = isObject(known) ? known : { problem: own(answer, 'problem') ?? null };
      host.writeTarget({ kind: 'path', path: [authVar, mechanism] }, value);
      return undefined;
    },
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
    named.error('AUTH_SOURCE_MISSING', `Neither the task nor its profile "${profile}" says where the credential is.`);
  const authVar = block.has('authVar') ? identifier(block.at('authVar'), 'authVar') : 'auth';
  return { profile, authVar: authVar ?? 'auth' };
}

/** `source`, an object with location and name. */
export function readSource(place: Place, locations: readonly string[]): CredentialSource | undefined {
  if (place.value === undefined) return undefined;
  if (!place.object) {
    place.error('AUTH_SOURCE', `source must be an object, not ${describe(place.value)}.`);
    return undefined;
  }
  const hasScheme = locations.includes('cookie');
  place.only(hasScheme ? ['location', 'name', 'scheme'] : ['location', 'name']);
  const location = place.at('location');
  if (!locations.includes(location.value as string))
    (location.value === undefined ? place : location).error(
      'AUTH_SOURCE',
      `location must be one of ${locations.join(', ')}, not ${describe(location.value)}.`,
    );
  const name = text(place.at('name'), 'AUTH_SOURCE', 'source.name');
  const scheme = hasScheme ? optionalText(place.at('scheme'), 'AUTH_SOURCE', 'source.scheme') : undefined;
  if (typeof location.value !== 'string' || name === undefined) return undefined;
  return { location: location.value, name, ...(scheme === undefined ? {} : { scheme }) };
}
