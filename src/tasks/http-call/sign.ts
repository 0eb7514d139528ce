import type { Expression } from '../../definition/definition.js';
import { describe, given, headerName, oneOf, optionalOneOf, optionalText, text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { part, shape, textOf, wordOf } from '../../document/schema-parts.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import type { GraphReading } from '../../reading/reading.js';

const algorithms = ['hmac-sha256', 'hmac-sha512', 'hmac-sha1'] as const;
const encodings = ['hex', 'base64', 'base64url'] as const;

/** How a request is signed with a secret that the run never sees. */
export interface Signing {
  algorithm: (typeof algorithms)[number];
  secretRef: string;
  header: string;
  prefix: string;
  encoding: (typeof encodings)[number];
}

/** JSON Schema of `sign`. */
export const signSchema = shape(
  'Signs the request with a secret that stays out of the history; an extension, refused by --strict.',
  {
    algorithm: wordOf('The kind of signature.', ...algorithms),
    secretRef: textOf('A reference to the secret.'),
    over: part('mapperHolder', 'Computes the text that is signed, with request bound; the body when left out.'),
    header: textOf('The header that takes the signature.'),
    prefix: textOf('What stands before it, like sha256=.'),
    encoding: { ...wordOf('How the signature is written; hex by default.', ...encodings), default: 'hex' },
  },
  ['algorithm', 'secretRef', 'header'],
);

/** Reads `sign`. */
export function readSign(place: Place, within: GraphReading): (Signing & { over?: Expression }) | undefined {
  if (place.value === undefined) return undefined;
  if (!place.report.compat) place.error('HTTP_EXTENSION', 'The language has no sign.', undefined, 'key');
  if (!place.object) {
    place.error('HTTP_SIGN', `sign must be an object, not ${describe(place.value)}.`);
    return undefined;
  }
  place.only(['algorithm', 'secretRef', 'over', 'header', 'prefix', 'encoding']);
  const algorithm = oneOf(place.at('algorithm'), algorithms, 'HTTP_SIGN', 'sign.algorithm');
  const secretRef = text(place.at('secretRef'), 'HTTP_SIGN', 'sign.secretRef');
  const header = text(place.at('header'), 'HTTP_SIGN', 'sign.header');
  if (header !== undefined && !headerName(header))
    place.at('header').error('HTTP_SIGN', `"${header}" is not a header name.`);
  const prefix = optionalText(place.at('prefix'), 'HTTP_SIGN', 'sign.prefix') ?? '';
  if (/[^\x20-\x7e]/.test(prefix)) place.at('prefix').error('HTTP_SIGN', 'prefix must be plain ASCII.');
  const encoding = optionalOneOf(place.at('encoding'), encodings, 'HTTP_SIGN', 'sign.encoding') ?? 'hex';
  const over = place.has('over') ? readOver(place.at('over'), within) : undefined;
  if (!algorithm || secretRef === undefined || header === undefined) return undefined;
  return { algorithm, secretRef, header: header.toLowerCase(), prefix, encoding, ...given('over', over) };
}

function readOver(place: Place, within: GraphReading): Expression | undefined {
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    return mapperIn(place, siteIn(within, 'mapper', ['request']));
  }
  place.error('HTTP_SIGN', `over must hold a mapper, not ${describe(place.value)}.`);
  return undefined;
}
