import { isIpv4, parseIpv6 } from './formats/ip.js';
import { isDate, isDateTime, isDuration, isTime } from './formats/time.js';
import { isEmail, isHostname, isUri, isUriReference, isUriTemplate, isUrl } from './formats/uri.js';
import { compilePattern } from './pattern.js';

type TextFormat = (text: string) => boolean;
type NumberFormat = (value: number) => boolean;

const textFormats: ReadonlyMap<string, TextFormat> = new Map<string, TextFormat>([
  ['date', isDate],
  ['time', (text) => isTime(text, true)],
  ['date-time', (text) => isDateTime(text, true)],
  ['iso-time', (text) => isTime(text, false)],
  ['iso-date-time', (text) => isDateTime(text, false)],
  ['duration', isDuration],
  ['uri', isUri],
  ['uri-reference', isUriReference],
  ['uri-template', isUriTemplate],
  ['url', isUrl],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', (text) => parseIpv6(text, isIpv4)],
  ['regex', isRegex],
  ['uuid', (text) => /^(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
  ['json-pointer', isJsonPointer],
  ['json-pointer-uri-fragment', isPointerFragment],
  ['relative-json-pointer', isRelativePointer],
  ['byte', isBase64],
]);

const numberFormats: ReadonlyMap<string, NumberFormat> = new Map<string, NumberFormat>([
  ['int32', (value) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31],
  ['int64', Number.isInteger],
]);

/** True unless `format` is one we assert for this type of value and the value breaks it. Unknown formats only annotate. */
export function matchesFormat(format: string, value: string | number): boolean {
  return typeof value === 'string'
    ? (textFormats.get(format)?.(value) ?? true)
    : (numberFormats.get(format)?.(value) ?? true);
}

/** The text formats we assert, by name; ajv can be given the same ones. */
export const assertedTextFormats: Iterable<readonly [string, TextFormat]> = textFormats;

function isRegex(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch {
    return false;
  }
}

function isJsonPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}

function isPointerFragment(text: string): boolean {
  return (
    text.startsWith('#') &&
    (text === '#' || text[1] === '/') &&
    /^(?:[\w\-.!$&'()*+,;:=@/]|%[0-9a-f]{2}|~[01])*$/i.test(text.slice(1))
  );
}

function isRelativePointer(text: string): boolean {
  const match = /^(?:0|[1-9]\d*)(#$)?/.exec(text);
  return match !== null && (match[1] !== undefined || isJsonPointer(text.slice(match[0].length)));
}

/** Whether some line of the text is base64; an empty line counts. (ajv-formats reads it that way.) */
function isBase64(text: string): boolean {
  return text
    .split(/[\n\r\u2028\u2029]/)
    .some((line) => line.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(line) && !/^={1,2}$/.test(line));
}
