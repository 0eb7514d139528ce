import type { Place } from '../../../base/document/placed-value.js';
import {
  headerName,
  isBlock,
  oneOf,
  optionalInteger,
  optionalOneOf,
  text,
  texts,
} from '../../../base/document/read-fields.js';
import { shape, textOf, wholeOf, wordOf } from '../../../base/document/schema-builders.js';
import {
  type Signature,
  type SigningScheme,
  signedParts,
} from '../../../engine/definition/inbound-signature-scheme.js';

/** Default tolerance for the timestamp of a signed request, in the past and in the future. */
const usualToleranceSec = 300;

const hex = { algorithm: 'sha256', encoding: 'hex' } as const;

/** Signing schemes of well-known services. */
const presets = {
  github: { ...hex, header: 'x-hub-signature-256', prefix: 'sha256=', content: '{body}' },
  stripe: {
    ...hex,
    header: 'stripe-signature',
    prefix: 'v1=',
    content: '{timestamp}.{body}',
    timestamp: { header: 'stripe-signature', prefix: 't=', toleranceSec: usualToleranceSec },
  },
  slack: {
    ...hex,
    header: 'x-slack-signature',
    prefix: 'v0=',
    content: 'v0:{timestamp}:{body}',
    timestamp: { header: 'x-slack-request-timestamp', prefix: '', toleranceSec: usualToleranceSec },
  },
} satisfies Record<string, SigningScheme>;

const names = Object.keys(presets) as (keyof typeof presets)[];
const algorithms = ['sha256', 'sha512', 'sha1'] as const;
const encodings = ['hex', 'base64'] as const;
const schemeFields = ['algorithm', 'encoding', 'header', 'prefix', 'content', 'timestamp'];
const code = 'SIGNATURE_SHAPE';

/** JSON Schema of the block. */
export const signatureSchema = {
  ...shape('How submissions are signed, checked before anything reaches the run; an extension, refused by --strict.', {
    preset: wordOf('A well-known signing scheme, in place of the fields below.', ...names),
    algorithm: { ...wordOf('The hash of the HMAC; sha256 unless given.', ...algorithms), default: 'sha256' },
    encoding: { ...wordOf('How the signature is written; hex unless given.', ...encodings), default: 'hex' },
    header: textOf('The header that contains the signature.'),
    prefix: { type: 'string', description: 'A prefix of the signature, like `sha256=`.' },
    content: {
      ...textOf('What is signed: {body}, {timestamp}, {header:<name>} and text; {body} unless given.'),
      default: '{body}',
    },
    timestamp: shape(
      'The location of the time of signing.',
      {
        header: textOf('The header that contains it, in Unix seconds or milliseconds.'),
        prefix: { type: 'string', description: 'A prefix of the timestamp.' },
        toleranceSec: {
          ...wholeOf('How far from now it may be; 300 seconds unless given.'),
          default: usualToleranceSec,
        },
      },
      ['header'],
    ),
    secretRef: textOf('The secret.'),
    secretRefs: {
      type: 'array',
      items: textOf('A secret.'),
      minItems: 1,
      description: 'Several secrets, any of which is accepted; for rotation.',
    },
  }),
  examples: [
    { preset: 'github', secretRef: 'secret://shop/webhook' },
    {
      header: 'X-Signature',
      prefix: 'sha256=',
      algorithm: 'sha256',
      encoding: 'hex',
      content: '{timestamp}.{body}',
      timestamp: { header: 'X-Signed-At', prefix: 't=', toleranceSec: 300 },
      secretRefs: ['secret://shop/webhook-new', 'secret://shop/webhook-old'],
    },
  ],
  oneOf: [{ required: ['secretRef'] }, { required: ['secretRefs'] }],
  anyOf: [{ required: ['preset'] }, { required: ['header'] }],
};

/** Reads the `signature` of a step. */
export function readSignature(place: Place): Signature | undefined {
  if (!isBlock(place, code, 'signature')) return undefined;
  if (!place.report.compat) place.error('STEP_EXTENSION', 'The language has no signatures on steps.', undefined, 'key');
  place.only(Object.keys(signatureSchema.properties));
  const scheme = place.has('preset') ? readPreset(place) : readScheme(place);
  const secretRefs = readSecrets(place);
  return scheme && secretRefs && { ...scheme, secretRefs };
}

function readPreset(place: Place): SigningScheme | undefined {
  const beside = schemeFields.find((key) => place.has(key));
  if (beside !== undefined) {
    place.at(beside).error(code, `${beside} cannot be combined with preset.`, 'Remove one of the two.', 'key');
    return undefined;
  }
  const name = oneOf(place.at('preset'), names, code, 'preset');
  return name && presets[name];
}

function readScheme(place: Place): SigningScheme | undefined {
  const header = readHeader(place.at('header'), 'header');
  const prefix = readPrefix(place.at('prefix'));
  const algorithm = optionalOneOf(place.at('algorithm'), algorithms, code, 'algorithm') ?? 'sha256';
  const encoding = optionalOneOf(place.at('encoding'), encodings, code, 'encoding') ?? 'hex';
  const timestamp = readTimestamp(place.at('timestamp'));
  const content = place.has('content') ? text(place.at('content'), code, 'content') : '{body}';
  if (content !== undefined) checkContent(place, content);
  if (header === undefined || content === undefined) return undefined;
  return { algorithm, encoding, header, prefix, content, ...(timestamp && { timestamp }) };
}

function readTimestamp(place: Place): SigningScheme['timestamp'] {
  if (!isBlock(place, code, 'timestamp')) return undefined;
  place.only(['header', 'prefix', 'toleranceSec']);
  const header = readHeader(place.at('header'), 'timestamp.header');
  const toleranceSec = optionalInteger(place.at('toleranceSec'), code, 'toleranceSec') ?? usualToleranceSec;
  return header === undefined ? undefined : { header, prefix: readPrefix(place.at('prefix')), toleranceSec };
}

/** Checks that the signature covers the body, and the timestamp if there is one: unsigned parts can be tampered with. */
function checkContent(place: Place, content: string): void {
  const at = place.has('content') ? place.at('content') : place;
  const parts = signedParts(content);
  const has = (what: string) => parts.some((part) => 'of' in part && part.of === what);
  if (!has('body')) at.error(code, 'content must contain {body}: an unsigned body could be tampered with.');
  if (has('timestamp') !== place.has('timestamp'))
    at.error(code, '{timestamp} in content requires the block timestamp, and the block requires {timestamp}.');
  for (const part of parts) {
    if ('header' in part && !headerName(part.header)) at.error(code, `"${part.header}" is not a header name.`);
    if ('text' in part && /[{}]/.test(part.text))
      at.error(
        code,
        `${JSON.stringify(part.text)} is not a placeholder of content.`,
        'Use {body}, {timestamp}, {header:<name>}.',
      );
  }
}

function readHeader(place: Place, name: string): string | undefined {
  const value = text(place, code, name);
  if (value === undefined || headerName(value)) return value?.toLowerCase();
  place.error(code, `${name} is not the name of a header: ${JSON.stringify(value.slice(0, 60))}.`);
  return undefined;
}

function readPrefix(place: Place): string {
  if (place.value === undefined || typeof place.value === 'string') return place.value ?? '';
  place.error(code, 'prefix must be a text.', 'Put it in quotes.');
  return '';
}

function readSecrets(place: Place): string[] | undefined {
  if (place.has('secretRef') === place.has('secretRefs')) {
    place.error(code, 'The signature needs its secret: secretRef, or secretRefs for several.', undefined, 'key');
    return undefined;
  }
  const one = place.has('secretRef') ? text(place.at('secretRef'), code, 'secretRef') : undefined;
  const refs = one === undefined ? texts(place.at('secretRefs'), code, 'secretRefs') : [one];
  if (refs.length > 0) return refs;
  if (place.has('secretRefs')) place.at('secretRefs').error(code, 'secretRefs is empty.', undefined, 'key');
  return undefined;
}
