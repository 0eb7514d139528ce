import { describe, headerName, isBlock, optionalInteger, text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { type Policies, retryPolicy } from '../../reading/policies.js';
import type { Reading } from '../../reading/reading.js';
import { type Mentions, template } from '../../reading/template.js';

/** `spec.apis`: names to OpenAPI documents. */
export function readApis(spec: Place): Map<string, string> {
  const apis = new Map<string, string>();
  const all = spec.at('apis');
  isBlock(all, 'API_REF_UNREADABLE', 'apis');
  for (const [name, place] of all.entries()) {
    if (name.includes('.')) place.error('OPREF_API', `An API's name cannot hold a dot: "${name}".`, undefined, 'key');
    if (!isBlock(place, 'API_REF_UNREADABLE', 'An API')) continue;
    place.only(['openApiRef'], 'warning');
    const ref = text(place.at('openApiRef'), 'API_REF_UNREADABLE', 'openApiRef');
    if (ref !== undefined) apis.set(name, ref);
  }
  return apis;
}

/** `spec.defaults`. */
export function readDefaults(spec: Place, policies: Policies, mentions: Mentions): Reading['defaults'] {
  const place = spec.at('defaults');
  if (isBlock(place, 'FIELD_TYPE', 'defaults')) place.only(['http', 'tasks'], 'warning');
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
    else value.error('DEFAULTS_HEADERS', `"${name}" must be a text, not ${describe(value.value)}.`);
  }
  if (tasks.has('resiliencePolicyRef')) {
    out.resiliencePolicyRef = tasks.at('resiliencePolicyRef');
    retryPolicy(out.resiliencePolicyRef, policies, 'warning');
  }
  return out;
}
