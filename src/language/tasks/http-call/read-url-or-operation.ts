import { didYouMean, likelyName } from '../../../base/document/did-you-mean.js';
import type { Place } from '../../../base/document/placed-value.js';
import { describeType, headerName, isBlock, oneOf, text } from '../../../base/document/read-fields.js';
import type { ApiDocument, Lookup, Operation } from '../../read/api-catalogue.js';
import type { GraphReading, Reading } from '../../read/document-reading-state.js';
import { template, templates } from '../../read/read-templates.js';
import type { HttpCallTask } from './http-call.js';

/** The request of a call, by URL or by operation. */
export type Binding = Pick<HttpCallTask, 'method' | 'url' | 'path' | 'query' | 'headers' | 'operation'>;

interface Params {
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
}

/** Reads `operationRef` or `method` and `url`, with parameters and headers merged in their order of precedence. */
export function readBinding(block: Place, within: GraphReading): Binding | undefined {
  const raw = block.has('method') || block.has('url');
  const byRef = block.has('operationRef');
  const params = readParams(block, within, byRef);
  const headers = mergeHeaders(defaultHeaders(block, within), readHeaders(block.at('headers'), within), params.headers);
  if (raw === byRef) {
    const message = raw
      ? 'operationRef cannot be combined with method or url.'
      : 'The call has neither operationRef nor method and url.';
    block.error('HTTP_BINDING_XOR', message, undefined, 'key');
    return undefined;
  }
  return byRef ? readOperation(block, within, params, headers) : readRaw(block, within, params, headers);
}

function readRaw(
  block: Place,
  within: GraphReading,
  params: Params,
  headers: Record<string, string>,
): Binding | undefined {
  const method = oneOf(block.at('method'), ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], 'HTTP_METHOD', 'method');
  if (method === 'PATCH' && !block.report.compat)
    block
      .at('method')
      .error('HTTP_EXTENSION', 'The language has no PATCH by URL.', 'Name an operation with operationRef.');
  const url = text(block.at('url'), 'HTTP_URL', 'url');
  if (url !== undefined) {
    template(block.at('url'), within);
    const braces = /(?<!\$)\{\{?[^{}]*\}\}?/.exec(url)?.[0];
    if (braces !== undefined)
      block
        .at('url')
        .warn(
          'INTERPOLATION_LITERAL',
          `${braces} is sent literally.`,
          'Write ${context.<path>}; or %7B and %7D, if braces are meant.',
        );
    if (!url.startsWith('${') && !/^https?:\/\/[^/?#\s]+/i.test(url))
      block.at('url').error('HTTP_URL', `The URL must be absolute, not ${describeType(url)}.`);
  }
  return method && url !== undefined ? { method, url, path: {}, query: params.query, headers } : undefined;
}

function readOperation(
  block: Place,
  within: GraphReading,
  params: Params,
  headers: Record<string, string>,
): Binding | undefined {
  const ref = block.at('operationRef');
  const operation = resolveOperation(ref, within.reading);
  if (!operation) return undefined;
  const values = { path: params.path, query: params.query, header: headers };
  const misspelt = new Set<string>();
  for (const where of ['path', 'query'] as const) {
    const known = operation.parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
    for (const name of Object.keys(params[where])) {
      if (known.includes(name)) continue;
      const meant = likelyName(name, known);
      const absent = meant !== undefined && !Object.hasOwn(params[where], meant);
      const needed = operation.parameters.some((it) => absent && it.in === where && it.name === meant && it.required);
      if (needed) misspelt.add(`${where} ${meant}`);
      const place = block.at('params').at(where).at(name);
      const message = `${String(ref.value)} has no ${where} parameter "${name}".`;
      // An error if it is probably the misspelt name of a required parameter.
      place[needed ? 'error' : 'warn']('OPREF_PARAM_UNKNOWN', message, didYouMean(name, known), 'key');
    }
  }
  for (const { name, in: where, required } of operation.parameters) {
    const present = where === 'header' ? hasHeader(headers, name) : Object.hasOwn(values[where], name);
    if (required && !present && !misspelt.has(`${where} ${name}`))
      block.error(
        'OPREF_PARAM_MISSING',
        `${String(ref.value)} needs the ${where} parameter "${name}".`,
        `Add params.${where === 'header' ? 'headers' : where}.${name}.`,
        'key',
      );
  }
  const { method, url, bodyTypes } = operation;
  if (!hasHeader(headers, 'content-type')) headers = withBodyType(block, headers, bodyTypes);
  return { method, url, operation: String(ref.value), path: params.path, query: params.query, headers };
}

/** Adds the Content-Type of the operation to a call whose body is a text; placeholders are escaped accordingly. Any other body is sent as JSON. */
function withBodyType(block: Place, headers: Record<string, string>, types: string[]): Record<string, string> {
  const body = block.has('body') ? block.at('body') : block.at('params').at('body');
  const json = types.find(isJson);
  if (typeof body.value === 'string') {
    const only = json ?? (types.length === 1 && !types[0]!.includes('*') ? types[0] : undefined);
    return only === undefined ? headers : mergeHeaders(headers, { 'Content-Type': only });
  }
  if (body.value !== undefined && types.length > 0 && json === undefined && !types.some((type) => type.includes('*')))
    body.warn(
      'HTTP_BODY',
      `${String(block.at('operationRef').value)} accepts ${types.join(' or ')}, but this body is sent as JSON.`,
      'Write the body as a text in that form, or set the header Content-Type if JSON is meant.',
    );
  return headers;
}

function isJson(type: string): boolean {
  return /^application\/([^;*]+\+)?json\b/i.test(type);
}

function readParams(block: Place, within: GraphReading, byRef: boolean): Params {
  const params = block.at('params');
  isBlock(params, 'HTTP_PARAMS', 'params');
  params.only(['path', 'query', 'headers', 'body']);
  if (!byRef && params.has('headers')) params.at('headers').compat('C3', 'params.headers is set on a call by URL.');
  if (!byRef && params.has('query') && !params.report.compat) {
    const hint = 'Write the query in the URL.';
    params.at('query').error('HTTP_EXTENSION', 'The language has no params.query on a call by URL.', hint, 'key');
  }
  if (!byRef && params.has('path'))
    params
      .at('path')
      .error(
        'HTTP_PARAMS',
        'A call by URL has no path parameters.',
        'Put the value into the URL as ${context.…}; it is percent-encoded there.',
        'key',
      );
  const group = (name: 'path' | 'query') => {
    isBlock(params.at(name), 'HTTP_PARAMS', `params.${name}`);
    return templates(params.at(name), within, (item, message) => item.error('HTTP_PARAMS', message));
  };
  return { path: group('path'), query: group('query'), headers: readHeaders(params.at('headers'), within) };
}

function readHeaders(place: Place, within: GraphReading): Record<string, string> {
  isBlock(place, 'HTTP_HEADERS', 'headers');
  for (const [name, item] of place.entries())
    if (!headerName(name)) item.error('HTTP_HEADERS', `"${name}" is not a header name.`, undefined, 'key');
    else if (typeof item.value === 'string' && /[\r\n\0]/.test(item.value))
      item.error('HTTP_HEADERS', `The value of ${name} has a line break.`, 'Write it on one line.');
  return templates(place, within, (item, message) => item.error('HTTP_HEADERS', message));
}

/** Returns the document's headers for all calls, without those that the call's own `accept` overrides. */
function defaultHeaders(block: Place, { reading }: GraphReading): Record<string, string> {
  const { headers } = reading.defaults;
  if (!block.has('accept')) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'accept'));
}

/** Merges headers; later ones replace earlier ones of the same name, regardless of case. */
export function mergeHeaders(...layers: Record<string, string>[]): Record<string, string> {
  const out = Object.create(null) as Record<string, string>;
  for (const layer of layers)
    for (const name of Object.keys(layer)) {
      for (const other of Object.keys(out)) if (other.toLowerCase() === name.toLowerCase()) delete out[other];
      out[name] = layer[name]!;
    }
  return out;
}

function hasHeader(headers: Record<string, string>, name: string): boolean {
  return Object.keys(headers).some((other) => other.toLowerCase() === name.toLowerCase());
}

type Refusal = Exclude<Lookup, { operation: Operation }>;

/** Finds the operation of `<api>.<operationId>` in the API's document, or, in compatibility mode, in the overlay of that name. */
function resolveOperation(place: Place, reading: Reading): Operation | undefined {
  const ref = typeof place.value === 'string' ? /^([^.\s]+)\.([^\s]+)$/.exec(place.value) : null;
  if (!ref) {
    place.error('OPREF_FORMAT', `operationRef must look like api.operationId, not ${describeType(place.value)}.`);
    return undefined;
  }
  const [, api, id] = ref as unknown as [string, string, string];
  const { catalogue } = reading.options;
  const { openApiRef: declared, server } = reading.apis.get(api) ?? {};
  const overlay = place.report.compat ? catalogue?.overlay(api) : undefined;
  const document = declared === undefined ? undefined : catalogue?.document(declared);
  if (document) {
    const found = document.find(id, server);
    if ('operation' in found) return found.operation;
    if (!overlay?.operationIds.includes(id)) {
      return refused(place, found, document, id);
    }
  }
  if (overlay) return fromOverlay(place, overlay, id);
  if (declared === undefined)
    place.error('OPREF_API', `spec.apis has no "${api}".`, didYouMean(api, reading.apis.keys()));
  else if (!catalogue)
    place.error(
      'API_REF_UNREADABLE',
      `${declared} cannot be read: there is no catalogue.`,
      'Name the folder of OpenAPI documents (--catalogue).',
    );
  else place.error('API_REF_UNREADABLE', `${declared} is not in the catalogue, or is not an OpenAPI 3 document.`);
  return undefined;
}

function fromOverlay(place: Place, overlay: ApiDocument, id: string): Operation | undefined {
  const found = overlay.find(id);
  if ('operation' in found) {
    place.compat('C18', `${String(place.value)} comes from the overlay catalogue.`);
    return found.operation;
  }
  return refused(place, found, overlay, id);
}

/** Reports an operation that cannot be used. Suggests another one only if this one does not exist. */
function refused(place: Place, found: Refusal, { operationIds }: ApiDocument, id: string): undefined {
  place.error(found.problem, found.message, operationIds.includes(id) ? undefined : didYouMean(id, operationIds));
  return undefined;
}
