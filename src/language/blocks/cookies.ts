import { RE2JS } from 're2js';
import type { Cookies } from '../../definition/definition.js';
import { describe, given, isBlock, linearPatterns, list, oneOf, text, texts } from '../../document/fields.js';
import type { Place } from '../../document/place.js';

const modes = ['none', 'allFromAllowedDomains', 'filtered'] as const;

/** `spec.cookies`. */
export function readCookies(spec: Place): Cookies | undefined {
  const place = spec.at('cookies');
  if (!isBlock(place, 'COOKIES_TYPE', 'cookies')) return undefined;
  place.only(['jar', 'returnToClient'], 'warning');
  const jar = place.at('jar');
  let domains: string[] | undefined;
  if (isBlock(jar, 'COOKIES_TYPE', 'cookies.jar')) {
    jar.only(['domains'], 'warning');
    domains = list(jar.at('domains'), 'COOKIES_PATTERN', 'jar.domains').flatMap((item) => {
      item.only(['pattern'], 'warning');
      return text(item.at('pattern'), 'COOKIES_PATTERN', 'pattern') ?? [];
    });
  }
  return { ...given('domains', domains), ...given('returnToClient', readReturn(place, domains !== undefined)) };
}

function readReturn(cookies: Place, hasJar: boolean): Cookies['returnToClient'] {
  const place = cookies.at('returnToClient');
  if (!isBlock(place, 'COOKIES_TYPE', 'returnToClient')) return undefined;
  place.only(['mode', 'include'], 'warning');
  if (!hasJar) place.warn('COOKIES_NO_JAR', 'There is no jar, so nothing returns to the client.', undefined, 'key');
  const mode = oneOf(place.at('mode'), modes, 'COOKIES_MODE', 'returnToClient.mode');
  const include = place.at('include');
  if (isBlock(include, 'COOKIES_TYPE', 'include')) include.only(['names', 'namePatterns'], 'warning');
  const patterns = list(include.at('namePatterns'), 'COOKIES_REGEX', 'namePatterns').flatMap(
    (item) => readPattern(item) ?? [],
  );
  const names = texts(include.at('names'), 'COOKIES_TYPE', 'include.names');
  return mode && { mode, names, namePatterns: patterns };
}

function readPattern(place: Place): string | undefined {
  if (typeof place.value !== 'string') {
    place.error('COOKIES_REGEX', `A pattern is a text, not ${describe(place.value)}.`);
    return undefined;
  }
  try {
    RE2JS.compile(place.value);
    return place.value;
  } catch (error) {
    place.error('COOKIES_REGEX', `The pattern is not valid: ${(error as Error).message}.`, linearPatterns);
    return undefined;
  }
}
