import { RE2JS } from 're2js';
import type { Place } from '../../base/document/placed-value.js';
import {
  describeType,
  headerName,
  ifDefined,
  isBlock,
  linearPatterns,
  list,
  oneOf,
  optionalInteger,
  text,
  texts,
} from '../../base/document/read-fields.js';
import type { Cookies } from '../../engine/definition/definition.js';
import { hasPlaceholder } from '../../engine/definition/parse-template.js';
import type { DeclaredApi, Reading } from '../read/document-reading-state.js';
import { type Policies, retryPolicy } from '../read/read-call-policies.js';
import { type Mentions, template } from '../read/read-templates.js';

/** Reads `spec.apis`: OpenAPI documents by name. */
export function readApis(spec: Place, mentions: Mentions): Map<string, DeclaredApi> {
  const apis = new Map<string, DeclaredApi>();
  const all = spec.at('apis');
  isBlock(all, 'API_REF_UNREADABLE', 'apis');
  for (const [name, place] of all.entries()) {
    if (name.includes('.'))
      place.error('OPREF_API', `An API's name cannot contain a dot: "${name}".`, undefined, 'key');
    if (!isBlock(place, 'API_REF_UNREADABLE', 'An API')) continue;
    place.only(['openApiRef', 'server'], 'warning');
    const openApiRef = text(place.at('openApiRef'), 'API_REF_UNREADABLE', 'openApiRef');
    const server = readServer(place.at('server'), mentions);
    if (openApiRef !== undefined) apis.set(name, { openApiRef, ...ifDefined('server', server) });
  }
  return apis;
}

function readServer(place: Place, reading: Mentions): string | undefined {
  if (place.value === undefined) return undefined;
  if (!place.report.compat)
    place.error('CONFIG_EXTENSION', 'The language has no server here.', 'Write it into the OpenAPI document.', 'key');
  const server = text(place, 'API_SERVER', 'server');
  if (server === undefined) return undefined;
  template(place, { reading, bindings: [] });
  const others = server.replace(/\$\{platform\.config\.[^}]*\}/g, 'x');
  if (hasPlaceholder(others) || !/^(https?:\/\/[^/?#\s]|\$\{platform\.config\.)[^?#\s]*$/i.test(server))
    place.error('API_SERVER', `The server of an API cannot be ${describeType(server)}.`);
  return server.replace(/\/+$/, '');
}

/** Reads `spec.defaults`. */
export function readDefaults(spec: Place, policies: Policies, mentions: Mentions): Reading['defaults'] {
  const place = spec.at('defaults');
  if (isBlock(place, 'FIELD_TYPE', 'defaults')) place.only(['http', 'tasks', 'lang'], 'warning');
  const http = place.at('http');
  if (isBlock(http, 'FIELD_TYPE', 'defaults.http')) http.only(['timeoutMs', 'headers'], 'warning');
  const tasks = place.at('tasks');
  if (isBlock(tasks, 'FIELD_TYPE', 'defaults.tasks')) tasks.only(['resiliencePolicyRef'], 'warning');
  const out: Reading['defaults'] = { headers: Object.create(null) as Record<string, string> };
  const timeoutMs = optionalInteger(http.at('timeoutMs'), 'DEFAULTS_TIMEOUT', 'timeoutMs');
  if (timeoutMs !== undefined) out.timeoutMs = timeoutMs;
  isBlock(http.at('headers'), 'DEFAULTS_HEADERS', 'headers');
  for (const [name, value] of http.at('headers').entries()) {
    if (!headerName(name)) value.error('DEFAULTS_HEADERS', `"${name}" is not a header name.`, undefined, 'key');
    else if (typeof value.value === 'string' && /[\r\n\0]/.test(value.value))
      value.error('DEFAULTS_HEADERS', `The value of ${name} has a line break.`, 'Write it on one line.');
    if (typeof value.value === 'string') out.headers[name] = template(value, { reading: mentions, bindings: [] });
    else value.error('DEFAULTS_HEADERS', `"${name}" must be a text, not ${describeType(value.value)}.`);
  }
  if (tasks.has('resiliencePolicyRef')) {
    out.resiliencePolicyRef = tasks.at('resiliencePolicyRef');
    retryPolicy(out.resiliencePolicyRef, policies, 'warning');
  }
  return out;
}

const modes = ['none', 'allFromAllowedDomains', 'filtered'] as const;

/** Reads `spec.cookies`. */
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
  return { ...ifDefined('domains', domains), ...ifDefined('returnToClient', readReturn(place, domains !== undefined)) };
}

function readReturn(cookies: Place, hasJar: boolean): Cookies['returnToClient'] {
  const place = cookies.at('returnToClient');
  if (!isBlock(place, 'COOKIES_TYPE', 'returnToClient')) return undefined;
  place.only(['mode', 'include'], 'warning');
  if (!hasJar)
    place.warn('COOKIES_NO_JAR', 'There is no jar, so no cookies are returned to the client.', undefined, 'key');
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
    place.error('COOKIES_REGEX', `A pattern is a text, not ${describeType(place.value)}.`);
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
