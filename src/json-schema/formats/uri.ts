import { isUriIpv4, parseIpv6 } from './ip.js';

/** The characters of one dialect of URI; relative references also let a double quote pass, as ajv-formats does. */
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
export function isUri(text: string): boolean {
  const match = scheme.exec(text);
  if (!match) return false;
  const parts = split(text.slice(match[0].length), strict);
  return parts !== undefined && parts !== '' && isHierarchy(parts, strict);
}

/** A URI or a relative reference of RFC 3986. */
export function isUriReference(text: string): boolean {
  const match = scheme.exec(text);
  return [text, ...(match ? [text.slice(match[0].length)] : [])].some((rest) => {
    const parts = split(rest, lenient);
    return parts !== undefined && (parts === '' || isHierarchy(parts, lenient));
  });
}

/** What stands before query and fragment; undefined when one of those has a wrong character. */
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
export function isUriTemplate(text: string): boolean {
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
export function isHostname(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return (
    name.length >= 1 && name.length <= 253 && name.split('.').every((part) => part.length <= 63 && label.test(part))
  );
}

/** A plain e-mail address: dot-separated atoms at a domain of at least two labels. */
export function isEmail(text: string): boolean {
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
export function isUrl(text: string): boolean {
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
