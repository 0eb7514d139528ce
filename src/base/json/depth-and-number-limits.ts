import type { Json } from './value.js';

/** Values from outside that nest deeper than this are not accepted as values, so that later code need not handle them. */
export const maxDepth = 200;

/** Whether a value nests deeper than this. */
export function isNestedDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeperThan(inner, levels - 1));
}

/** True if a number beyond the range of a double became Infinity, which JSON would turn into null. */
export function hasHugeNumber(value: Json): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHugeNumber);
}
