import { percentEncoded } from '../../base/json/percent-encode.js';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import type { Definition } from './definition.js';

/** Base path of all our own routes. */
export const apiBase = '/api/v1';

/** First path segments of our own routes; no Api may use them. */
const ownParts = new Set([
  'attention',
  'channels',
  'definitions',
  'functions',
  'hooks',
  'intents',
  'jobs',
  'journeys',
  'orchestrators',
  'pipelines',
  'queue',
  'schedules',
  'steps',
]);

/** Returns the first segment of a path below the base if it is reserved, however it is encoded. */
export function reservedSegment(path: string): string | undefined {
  const part = path.startsWith(`${apiBase}/`) ? decoded(path.split('/')[3]!) : undefined;
  return part !== undefined && ownParts.has(part) ? part : undefined;
}

/** Returns why no request can have this path, with a hint; undefined if the path is valid. */
export function routePathFault(path: string): { why: string; hint?: string } | undefined {
  if (!/^\/(?!\/)[^\s?#\p{Surrogate}]*$/u.test(path))
    return {
      why: `"${path}" is not an absolute path.`,
      ...(path.startsWith('/') ? {} : { hint: 'Start it with /.' }),
    };
  if (path.includes('\\'))
    return {
      why: `"${path}" has a backslash, which clients send as "/".`,
      hint: 'Write / or %5C, whichever is meant.',
    };
  for (const part of path.split('/')) {
    const text = decoded(part);
    if (text === undefined)
      return {
        why: `"${part}" is not valid in a URL: its % does not start a percent-encoded character.`,
        hint: 'Write %25 for a percent sign.',
      };
    if (text === '.' || text === '..')
      return {
        why: `"${part}" is never sent: clients resolve it.`,
        hint: 'Write the path without . and .. segments.',
      };
  }
  return undefined;
}

/** The path of an Api: its own route or `/apis/{name}`, under the common base. */
export function apiPath({ http, name }: Pick<Definition, 'http' | 'name'>): string {
  return fullPath(http.route?.path ?? `/apis/${name}`);
}

/** Adds the common base to a path that lacks it; documents may write either form. */
export function fullPath(path: string): string {
  return path.startsWith(`${apiBase}/`) ? path : `${apiBase}${path}`;
}

/** The HTTP method of an Api. */
export function apiMethod({ http }: Pick<Definition, 'http'>): 'POST' | 'GET' {
  return http.route?.method ?? 'POST';
}

/** The name of a parameter, if this path segment is one; other braces are plain characters. */
function parameterOf(part: string, { http }: Pick<Definition, 'http'>): string | undefined {
  const name = /^\{(.+)\}$/.exec(part)?.[1];
  return name !== undefined && Object.hasOwn(http.start.pathToContext ?? {}, name) ? name : undefined;
}

/** The identity of a route: its method and path, regardless of parameter names. It is unique among all Apis. */
export function routeKey(definition: Pick<Definition, 'http' | 'name'>): string {
  const parts = apiPath(definition).split('/');
  const shape = parts.map((part) => (parameterOf(part, definition) === undefined ? normal(part) : '?')).join('/');
  return `${apiMethod(definition)} ${shape}`;
}

/** Returns the path parameters of a request; undefined if its path is not this Api's. */
export function pathParameters(
  definition: Pick<Definition, 'http' | 'name'>,
  path: string,
): Record<string, string> | undefined {
  const [parts, given] = [apiPath(definition).split('/'), path.split('/')];
  if (parts.length !== given.length) return undefined;
  const found = Object.create(null) as Record<string, string>;
  for (const [i, part] of parts.entries()) {
    const name = parameterOf(part, definition);
    const value = decoded(given[i]!);
    if (value === undefined || (name === undefined ? value !== decoded(part) : value === '')) return undefined;
    if (name === undefined) continue;
    found[name] = value;
  }
  return found;
}

/** Path parameters of a call, read from the fields of `input` that they are bound to. */
export function parametersFrom({ http }: Pick<Definition, 'http'>, input: JsonObject): Record<string, string> {
  const found = Object.create(null) as Record<string, string>;
  for (const [name, field] of Object.entries(http.start.pathToContext ?? {})) {
    let value: Json | undefined = input;
    for (const part of field.split('.')) value = isObject(value) ? own(value, part) : undefined;
    if (value !== undefined && value !== null) found[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return found;
}

/** The path of an Api in a URL, with its parameters in braces. */
export function urlPath(definition: Pick<Definition, 'http' | 'name'>): string {
  return eachPart(definition, (name) => `{${name}}`);
}

/** The path of a call with these parameters. */
export function filledPath(
  definition: Pick<Definition, 'http' | 'name'>,
  parameters: Readonly<Record<string, string>>,
): string {
  return eachPart(definition, (name) => percentEncoded(parameters[name] ?? ''));
}

function eachPart(definition: Pick<Definition, 'http' | 'name'>, parameter: (name: string) => string): string {
  const fill = (part: string): string => {
    const name = parameterOf(part, definition);
    return name === undefined ? part.replace(/[^!-~]|["<>^`{|}]/gu, percentEncoded) : parameter(name);
  };
  return apiPath(definition).split('/').map(fill).join('/');
}

/** A path segment in its canonical spelling; it never contains a question mark. */
function normal(part: string): string {
  return percentEncoded(decoded(part) ?? part);
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
