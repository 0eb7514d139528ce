import { percentEncoded } from '../../json/percent.js';
import { isObject, type Json } from '../../json/value.js';

const secret =
  /pass(word|wd|phrase)?$|secret|token|api[-_]?key|authorization|credential|cookie|signature|private[-_]?key|^pin$|card[-_]?number|^cvc$|^iban$/i;
/** Shorter texts are not replaced inside other texts: they would be found by chance. */
const shortestPart = 6;

/** A value without what looks like a secret by its name; the same secret gets the same stand-in wherever it is. */
export function redacted<T extends Json>(value: T): { value: T; places: string[] } {
  const standIns = new Map<string, string>();
  const places: string[] = [];
  find(value, '', (text, place) => {
    places.push(place);
    if (!standIns.has(text)) standIns.set(text, `redacted-${standIns.size + 1}`);
  });
  return { value: replaced(value, standIns) as T, places };
}

function find(value: Json, place: string, found: (text: string, place: string) => void): void {
  if (Array.isArray(value)) for (const [i, item] of value.entries()) find(item, `${place}[${i}]`, found);
  else if (isObject(value))
    for (const [key, inner] of Object.entries(value)) {
      const at = place === '' ? key : `${place}.${key}`;
      if (secret.test(key) && typeof inner === 'string' && inner !== '') found(inner, at);
      else find(inner, at, found);
    }
}

function replaced(value: Json, standIns: ReadonlyMap<string, string>): Json {
  return withTexts(value, (whole) => {
    let text = standIns.get(whole) ?? whole;
    for (const [from, to] of standIns)
      if (from.length >= shortestPart) text = text.replaceAll(from, to).replaceAll(percentEncoded(from), to);
    return text;
  });
}

/** A value with every text in it changed. */
export function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTexts(inner, change)]));
}
