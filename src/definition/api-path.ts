import { percentEncoded } from '../json/percent.js';
import { isObject, type Json, type JsonObject, own } from '../json/value.js';
import type { Definition } from './definition.js';

/** All our own routes are below this path. */
export const apiBase = '/api/v1';

/** What follows the base in the paths of our own routes: no Api takes over what stands below the same first part. */
const ownParts = new Set([
  'channels',
  'functions',
  'intents',
  'jobs',
  'journeys',
  'orchestrators',
  'pipelines',
  'queue',
  'schedules',
]);

/** The first part of a path below the base, where it is one of ours, however it is encoded. */
export function ownPart(path: string): string | undefined {
  const part = path.startsWith(`${apiBase}/`) ? decoded(path.split('/')[3]!) : undefined;
  return part !== undefined && ownParts.has(part) ? part : undefined;
}

/** Why no request could have this path: what it says, and how to write it. Undefined where one can. */
export function unservable(path: string): { why: string; hint?: string } | undefined {
  if (!/^\/(?!\/)[^\s?#\p{Surrogate}]*$/u.test(path))
    return {
      why: `"${path}" is not an absolute path.`,
      ...(path.startsWith('/') ? {} : { hint: 'Begin it with a /.' }),
    };
  if (path.includes('\\'))
    return { why: `"${path}" has a backslash, which clients send as "/".`, hint: 'Write / or %5C, as it is meant.' };
  for (const part of path.split('/')) {
    const text = decoded(part);
    if (text === undefined)
      return {
        why: `"${part}" is no part of a URL: its % begins no character.`,
        hint: 'Write %25 for a percent sign.',
      };
    if (text === '.' || text === '..')
      return {
        why: `"${part}" is never sent: clients resolve it first.`,
        hint: 'Write the path as it is without . and .. parts.',
      };
  }
  return undefined;
}

/** Where an Api answers: its own route or `/apis/{name}`, under the common base. */
export function apiPath({ http, name }: Pick<Definition, 'http' | 'name'>): string {
  return fullPath(http.route?.path ?? `/apis/${name}`);
}

/** A path as documents write it, with the common base or without. */
export function fullPath(path: string): string {
  return path.startsWith(`${apiBase}/`) ? path : `${apiBase}${path}`;
}

/** How an Api is called. */
export function apiMethod({ http }: Pick<Definition, 'http'>): 'POST' | 'GET' {
  return http.route?.method ?? 'POST';
}

/** The name of a parameter, where this part of a path is one; other braces are plain characters. */
function parameterOf(part: string, { http }: Pick<Definition, 'http'>): string | undefined {
  const name = /^\{(.+)\}$/.exec(part)?.[1];
  return name !== undefined && Object.hasOwn(http.start.pathToContext ?? {}, name) ? name : undefined;
}

/** What two Apis cannot both have: the method and the path, whatever its parameters are called. */
export function routeKey(definition: Pick<Definition, 'http' | 'name'>): string {
  const parts = apiPath(definition).split('/');
  const shape = parts.map((part) => (parameterOf(part, definition) === undefined ? normal(part) : '?')).join('/');
  return `${apiMethod(definition)} ${shape}`;
}

/** The parameters of a request's path, if it is one of this Api's. */
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

/** What the path of a call brings, where `input` holds it under the fields of the context that it goes to. */
export function parametersFrom({ http }: Pick<Definition, 'http'>, input: JsonObject): Record<string, string> {
  const found = Object.create(null) as Record<string, string>;
  for (const [name, field] of Object.entries(http.start.pathToContext ?? {})) {
    let value: Json | undefined = input;
    for (const part of field.split('.')) value = isObject(value) ? own(value, part) : undefined;
    if (value !== undefined && value !== null) found[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return found;
}

/** The path of an Api as it stands in a URL, with its parameters in braces. */
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

/** A part of a path in the one spelling that stands for all; a question mark is never in it. */
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
