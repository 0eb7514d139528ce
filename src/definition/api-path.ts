import type { Definition } from './definition.js';

/** All our own routes are below this path. */
export const apiBase = '/api/v1';

/** Where an Api answers: its own route or `/apis/{name}`, under the common base. */
export function apiPath({ http, name }: Pick<Definition, 'http' | 'name'>): string {
  const path = http.route?.path ?? `/apis/${name}`;
  return path.startsWith(`${apiBase}/`) ? path : `${apiBase}${path}`;
}
