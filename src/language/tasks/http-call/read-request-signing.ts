import type { Place } from '../../../base/document/placed-value.js';
import {
  asExpression,
  describeType,
  headerName,
  ifDefined,
  oneOf,
  optionalOneOf,
  optionalText,
  text,
} from '../../../base/document/read-fields.js';
import { part, shape, textOf, wordOf } from '../../../base/document/schema-builders.js';
import type { Expression } from '../../../engine/definition/definition.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../../read/read-expressions-and-mappers.js';

const algorithms = ['hmac-sha256', 'hmac-sha512', 'hmac-sha1'] as const;
const encodings = ['hex', 'base64', 'base64url'] as const;

/** The signature of a request, with a secret that the run never sees. */
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
    prefix: textOf('A prefix of the signature, like sha256=.'),
    encoding: { ...wordOf('How the signature is written; hex by default.', ...encodings), default: 'hex' },
  },
  ['algorithm', 'secretRef', 'header'],
);

/** Reads `sign`. */
export function readSign(place: Place, within: GraphReading): (Signing & { over?: Expression }) | undefined {
  if (place.value === undefined) return undefined;
  if (!place.report.compat) place.error('HTTP_EXTENSION', 'The language has no sign.', undefined, 'key');
  if (!place.object) {
    place.error('HTTP_SIGN', `sign must be an object, not ${describeType(place.value)}.`);
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
  return { algorithm, secretRef, header: header.toLowerCase(), prefix, encoding, ...ifDefined('over', over) };
}

function readOver(place: Place, within: GraphReading): Expression | undefined {
  if (hasMapper(place)) return mapper(place, siteIn(within, 'mapper', ['request']));
  place.error('HTTP_SIGN', `over must be an expression, not ${describeType(place.value)}.`, asExpression);
  return undefined;
}
