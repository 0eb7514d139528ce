import { compilePattern } from './linear-pattern.js';

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

/** False if the value violates a format that we assert for its type. Unknown formats only annotate. */
export function matchesFormat(format: string, value: string | number): boolean {
  return typeof value === 'string'
    ? (textFormats.get(format)?.(value) ?? true)
    : (numberFormats.get(format)?.(value) ?? true);
}

/** The text formats that we assert, by name, also for ajv. */
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

/** True if some line of the text is base64; an empty line counts, as in ajv-formats. */
function isBase64(text: string): boolean {
  return text
    .split(/[\n\r\u2028\u2029]/)
    .some((line) => line.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(line) && !/^={1,2}$/.test(line));
}

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A calendar date of RFC 3339, such as 2028-02-29. */
function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && leap ? 29 : (days[month - 1] ?? 0));
}

/** A time of day with an optional or required offset; a leap second only where UTC can have one. */
function isTime(text: string, offsetRequired: boolean): boolean {
  const match = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:z|([+-])(\d\d)(?::?(\d\d))?)?$/i.exec(text);
  if (!match) return false;
  const [, hour, minute, second, sign, zoneHour, zoneMinute] = match;
  const hasZone = sign !== undefined || /z$/i.test(text);
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const [zh, zm] = [Number(zoneHour ?? 0), Number(zoneMinute ?? 0)];
  if (zh > 23 || zm > 59 || (offsetRequired && !hasZone)) return false;
  if (h <= 23 && m <= 59 && s < 60) return true;
  const direction = sign === '-' ? -1 : 1;
  const utcMinute = m - zm * direction;
  const utcHour = h - zh * direction - (utcMinute < 0 ? 1 : 0);
  return (utcHour === 23 || utcHour === -1) && (utcMinute === 59 || utcMinute === -1) && s < 61;
}

/** A date and a time, separated by T or one white space. */
function isDateTime(text: string, offsetRequired: boolean): boolean {
  const parts = text.split(/t|\s/i);
  return parts.length === 2 && isDate(parts[0]!) && isTime(parts[1]!, offsetRequired);
}

/** A duration of RFC 3339: whole units, weeks only on their own. */
function isDuration(text: string): boolean {
  if (/^P\d+W$/.test(text)) return true;
  return (
    text !== 'P' && !text.endsWith('T') && /^P(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/.test(text)
  );
}

/** The characters of one dialect of URI; relative references also accept a double quote, as in ajv-formats. */
interface Alphabet {
  host: RegExp;
  path: RegExp;
  tail: RegExp;
}

const strict: Alphabet = {
  host: /^(?:[\w\-.~!$&'()*+,;=]|%[0-9a-f]{2})*$/i,
  path: /^(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9a-f]{2})*$/i,
  tail: /^(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*$/i,
};
const lenient: Alphabet = {
  host: /^(?:[\w\-.~!$&'"()*+,;=]|%[0-9a-f]{2})*$/i,
  path: /^(?:[\w\-.~!$&'"()*+,;=:@/]|%[0-9a-f]{2})*$/i,
  tail: /^(?:[\w\-.~!$&'"()*+,;=:@/?]|%[0-9a-f]{2})*$/i,
};
const userinfo = /^(?:[\w\-.~!$&'()*+,;=:]|%[0-9a-f]{2})*$/i;
const scheme = /^[a-z][a-z0-9+\-.]*:/i;

/** An absolute URI of RFC 3986. */
function isUri(text: string): boolean {
  const match = scheme.exec(text);
  if (!match) return false;
  const parts = split(text.slice(match[0].length), strict);
  return parts !== undefined && parts !== '' && isHierarchy(parts, strict);
}

/** A URI or a relative reference of RFC 3986. */
function isUriReference(text: string): boolean {
  const match = scheme.exec(text);
  return [text, ...(match ? [text.slice(match[0].length)] : [])].some((rest) => {
    const parts = split(rest, lenient);
    return parts !== undefined && (parts === '' || isHierarchy(parts, lenient));
  });
}

/** The part before query and fragment; undefined if one of those has an invalid character. */
function split(text: string, { tail }: Alphabet): string | undefined {
  const hash = text.indexOf('#');
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  const beforeFragment = hash < 0 ? text : text.slice(0, hash);
  const mark = beforeFragment.indexOf('?');
  const query = mark < 0 ? '' : beforeFragment.slice(mark + 1);
  if (!tail.test(query) || !tail.test(fragment)) return undefined;
  return mark < 0 ? beforeFragment : beforeFragment.slice(0, mark);
}

function isHierarchy(text: string, alphabet: Alphabet): boolean {
  if (text.startsWith('//')) return isAuthority(text.slice(2), alphabet) || isAuthority(text.slice(1), alphabet);
  if (text.startsWith('/') && isAuthority(text.slice(1), alphabet)) return true;
  return alphabet.path.test(text);
}

function isAuthority(text: string, alphabet: Alphabet): boolean {
  const slash = text.indexOf('/');
  const authority = slash < 0 ? text : text.slice(0, slash);
  if (slash >= 0 && !alphabet.path.test(text.slice(slash))) return false;
  const at = authority.indexOf('@');
  if (at >= 0 && !userinfo.test(authority.slice(0, at))) return false;
  const hostAndPort = authority.slice(at + 1);
  const port = /:\d*$/.exec(hostAndPort);
  const host = port ? hostAndPort.slice(0, port.index) : hostAndPort;
  return isHost(host, alphabet) || (port !== null && isHost(hostAndPort, alphabet));
}

function isHost(host: string, alphabet: Alphabet): boolean {
  if (!host.startsWith('[')) return alphabet.host.test(host);
  if (!host.endsWith(']')) return false;
  const literal = host.slice(1, -1);
  return parseIpv6(literal, isUriIpv4) || /^v[0-9a-f]+\.[\w\-.~!$&'()*+,;=:]+$/i.test(literal);
}

/** A URI template of RFC 6570. */
function isUriTemplate(text: string): boolean {
  let rest = text;
  for (;;) {
    const open = rest.indexOf('{');
    const literal = open < 0 ? rest : rest.slice(0, open);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a literal must not contain.
    if (!/^(?:[^\x00-\x20"'<>%\\^`{|}]|%[0-9a-f]{2})*$/i.test(literal)) return false;
    if (open < 0) return true;
    const close = rest.indexOf('}', open);
    if (close < 0 || !isTemplateExpression(rest.slice(open + 1, close))) return false;
    rest = rest.slice(close + 1);
  }
}

function isTemplateExpression(text: string): boolean {
  return text
    .replace(/^[+#./;?&=,!@|]/, '')
    .split(',')
    .every((name) => /^(?:\w|%[0-9a-f]{2})+(?::[1-9]\d{0,3}|\*)?$/i.test(name));
}

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

/** A host name of RFC 1123, with an optional dot at the end. */
function isHostname(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return (
    name.length >= 1 && name.length <= 253 && name.split('.').every((part) => part.length <= 63 && label.test(part))
  );
}

/** A plain e-mail address: dot-separated atoms at a domain of at least two labels. */
function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 0) return false;
  const labels = text.slice(at + 1).split('.');
  return (
    text
      .slice(0, at)
      .split('.')
      .every((atom) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(atom)) &&
    labels.length >= 2 &&
    labels.every((part) => label.test(part))
  );
}

const privateAddress =
  /^(?:(?:10|127)(?:\.\d{1,3}){3}|(?:169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2})/;
const publicAddress =
  /^(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4])(?::\d{2,5})?(?:\/\S*)?$/;

/** A public http, https or ftp address. */
function isUrl(text: string): boolean {
  const match = /^(?:https?|ftp):\/\//i.exec(text);
  if (!match || /\s/.test(text)) return false;
  const rest = text.slice(match[0].length);
  if (isPublicHost(rest)) return true;
  for (let at = rest.indexOf('@', 1); at > 0; at = rest.indexOf('@', at + 1)) {
    if (isPublicHost(rest.slice(at + 1))) return true;
  }
  return false;
}

function isPublicHost(text: string): boolean {
  if (!privateAddress.test(text) && publicAddress.test(text)) return true;
  const match = /^([^/:@]+)(?::\d{2,5})?(?:\/.*)?$/.exec(text);
  const labels = match?.[1]?.split('.') ?? [];
  return (
    labels.length >= 2 &&
    labels.every((part) => /^[a-z0-9\u{a1}-\u{ffff}]+(?:-[a-z0-9\u{a1}-\u{ffff}]+)*$/iu.test(part)) &&
    /^[a-z\u{a1}-\u{ffff}]{2,}$/iu.test(labels.at(-1)!)
  );
}

/** Four decimal octets without leading zeros. */
function isIpv4(text: string): boolean {
  return octets(text, /^(?:0|[1-9]\d{0,2})$/);
}

/** Four decimal octets as in a URI's host: leading zeros are allowed. */
function isUriIpv4(text: string): boolean {
  return octets(text, /^\d{1,3}$/);
}

function octets(text: string, octet: RegExp): boolean {
  const parts = text.split('.', 5);
  return parts.length === 4 && parts.every((part) => octet.test(part) && Number(part) <= 255);
}

/** Eight groups of hexadecimal digits, of which one run may be `::` and the last two may be an IPv4 address. */
function parseIpv6(text: string, ipv4: (text: string) => boolean): boolean {
  if (text.length > 60) return false;
  const sides = text.split('::');
  if (sides.length > 2) return false;
  let count = 0;
  for (const [i, side] of sides.entries()) {
    if (side === '' && sides.length === 2) continue;
    const groups = side.split(':');
    for (const [j, group] of groups.entries()) {
      const last = i === sides.length - 1 && j === groups.length - 1;
      if (/^[0-9a-f]{1,4}$/i.test(group)) count += 1;
      else if (last && ipv4(group)) count += 2;
      else return false;
    }
  }
  return sides.length === 2 ? count <= 7 : count === 8;
}
