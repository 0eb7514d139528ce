import type { Expression } from '../../definition/definition.js';
import { asMapper, describe, given, identifier, integer, oneOf } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import type { GraphReading } from '../../reading/reading.js';

/** A cache task, normalised. */
export type CacheTask =
  | { kind: 'cache:v1'; operation: 'get'; key: Expression; resultVar: string }
  | { kind: 'cache:v1'; operation: 'put'; key: Expression; value: Expression; ttlSeconds?: number };

/** Reads the task block. */
export function read(block: Place, within: GraphReading): CacheTask | undefined {
  const operation = oneOf(block.at('operation'), ['get', 'put'], 'CACHE_OP', 'operation');
  const key = readMapper(block.at('key'), within, 'key', 'CACHE_KEY');
  if (operation === 'get') {
    const resultVar = block.has('resultVar') ? identifier(block.at('resultVar'), 'resultVar') : undefined;
    if (!block.has('resultVar')) block.error('CACHE_RESULTVAR', 'get has no resultVar to write to.', undefined, 'key');
    return key && resultVar !== undefined ? { kind: 'cache:v1', operation, key, resultVar } : undefined;
  }
  if (operation !== 'put') return undefined;
  if (block.has('resultVar'))
    block.at('resultVar').error('CACHE_RESULTVAR', 'put has no result.', 'Remove resultVar.', 'key');
  const value = readMapper(block.at('value'), within, 'mapper', 'CACHE_VALUE');
  const ttlSeconds = block.has('ttlSeconds') ? integer(block.at('ttlSeconds'), 'CACHE_TTL', 'ttlSeconds') : undefined;
  return key && value && { kind: 'cache:v1', operation, key, value, ...given('ttlSeconds', ttlSeconds) };
}

function readMapper(
  place: Place,
  within: GraphReading,
  site: 'key' | 'mapper',
  code: 'CACHE_KEY' | 'CACHE_VALUE',
): Expression | undefined {
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    return mapperIn(place, siteIn(within, site));
  }
  place.error(code, `A mapper is expected, not ${describe(place.value)}.`, asMapper);
  return undefined;
}
