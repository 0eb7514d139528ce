import { hmac } from '@noble/hashes/hmac';
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { emptyObject, type JsonObject } from '../../base/json/value.js';
import type { Item } from '../frame.js';
import { itemName } from './step-address.js';

/**
 * The key of a step in `callbacks` whose URL is not for submissions: the URLs of the step in the items of a map are derived from it, because
 * the items are not known when the run starts.
 */
export function itemsKey(stepId: string): string {
  return `${stepId}/`;
}

/** The callback URLs that expressions see: the steps of the item that they are in have the URLs of that item. */
export function visibleCallbacks(callbacks: JsonObject, item?: Item): JsonObject {
  const visible = emptyObject();
  for (const [step, url] of Object.entries(callbacks)) {
    if (!step.endsWith('/')) visible[step] ??= url;
    else if (item) visible[step.slice(0, -1)] = itemUrl(String(url), itemName(item));
  }
  return visible;
}

function itemUrl(url: string, item: string): string {
  const [path, query = ''] = url.split('?');
  const [parameter, token = ''] = query.split('=');
  return `${path}${encodeURIComponent(item)}?${parameter}=${itemToken(token, item)}`;
}

/** The token of a step in one item. It reveals neither the token that it is derived from nor those of other items. */
export function itemToken(token: string, item: string): string {
  const [expires, signature] = token.split('.');
  // In virtual time tokens have no signature.
  if (signature === undefined) return token;
  return `${expires}.${bytesToHex(hmac(sha256, utf8ToBytes(token), utf8ToBytes(item)))}`;
}
