import type { Json } from '../../base/json/value.js';
import type { Item } from '../frame.js';

/** How submissions name a step: by its id, by its id and an item of the map around it, or, in a subjourney, either. */
export interface StepUse {
  readonly alone: boolean;
  readonly inItems: boolean;
}

/** A step of a journey, as its submissions see it. */
export interface KnownStep extends StepUse {
  readonly schema: Json;
}

/** The address of a step: its id, and in an item of a map `<step>/<item>`. Submissions, signals, links and URLs use it. */
export function stepAddress(stepId: string, item: Item | undefined): string {
  return item ? `${stepId}/${itemName(item)}` : stepId;
}

/** The item in the addresses of its steps: its key, or its index if the map has no keys. */
export function itemName({ key, index }: Pick<Item, 'key' | 'index'>): string {
  return key ?? String(index);
}

/** Splits an address. An id of a step contains no slash. */
export function partsOfAddress(address: string): { stepId: string; item?: string } {
  const slash = address.indexOf('/');
  return slash < 0 ? { stepId: address } : { stepId: address.slice(0, slash), item: address.slice(slash + 1) };
}

/** The path of a step below `/steps/`. */
export function stepPath(address: string): string {
  const { stepId, item } = partsOfAddress(address);
  return [stepId, ...(item === undefined ? [] : [item])].map(encodeURIComponent).join('/');
}
