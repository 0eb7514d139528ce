import { type Signature, type SigningScheme, signedParts } from '../../definition/signature.js';
import { headerName, isBlock, oneOf, optionalInteger, optionalOneOf, text, texts } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { shape, textOf, wholeOf, wordOf } from '../../document/schema-parts.js';

/** How old a signed request may be, and how far ahead the sender's clock. */
const usualToleranceSec = 300;

const hex = { algorithm: 'sha256', encoding: 'hex' } as const;

/** Ways of signing that many know. */
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
const own = ['algorithm', 'encoding', 'header', 'prefix', 'content', 'timestamp'];
const code = 'SIGNATURE_SHAPE';

/** JSON Schema of the block. */
export const signatureSchema = {
  ...shape('How submissions are signed, checked before anything reaches the run; an extension, refused by --strict.', {
    preset: wordOf('A way of signing by name, in place of the fields below.', ...names),
    algorithm: { ...wordOf('The hash of the HMAC; sha256 unless given.', ...algorithms), default: 'sha256' },
    encoding: { ...wordOf('How the signature is written; hex unless given.', ...encodings), default: 'hex' },
    header: textOf('The header that holds it.'),
    prefix: { type: 'string', description: 'What stands before it, like `sha256=`.' },
    content: {
      ...textOf('What is signed: {body}, {timestamp}, {header:<name>} and text; {body} unless given.'),
      default: '{body}',
    },
    timestamp: shape(
      'Where the moment of signing stands.',
      {
        header: textOf('The header that holds it, in Unix seconds or milliseconds.'),
        prefix: { type: 'string', description: 'What stands before it.' },
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
      description: 'Several secrets, any of which will do: the new one and the old one.',
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
  if (!place.report.compat)
    place.error('STEP_EXTENSION', 'The language knows no signatures on steps.', undefined, 'key');
  place.only(Object.keys(signatureSchema.properties));
  const scheme = place.has('preset') ? readPreset(place) : readScheme(place);
  const secretRefs = readSecrets(place);
  return scheme && secretRefs && { ...scheme, secretRefs };
}

function readPreset(place: Place): SigningScheme | undefined {
  const beside = own.find((key) => place.has(key));
  if (beside !== undefined) {
    place.at(beside).error(code, `${beside} stands beside a preset, which says it.`, 'Give one of the two.', 'key');
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

/** What is not signed can be changed by anybody on the way: the body must be, and a moment that counts too. */
function checkContent(place: Place, content: string): void {
  const at = place.has('content') ? place.at('content') : place;
  const parts = signedParts(content);
  const has = (what: string) => parts.some((part) => 'of' in part && part.of === what);
  if (!has('body')) at.error(code, 'content must hold {body}: what is not signed can be changed.');
  if (has('timestamp') !== place.has('timestamp'))
    at.error(code, '{timestamp} in content and the block timestamp go together: one of them is missing.');
  for (const part of parts) {
    if ('header' in part && !headerName(part.header)) at.error(code, `"${part.header}" is not a header name.`);
    if ('text' in part && /[{}]/.test(part.text))
      at.error(
        code,
        `${JSON.stringify(part.text)} is not known in content.`,
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
  if (place.has('secretRefs')) place.at('secretRefs').error(code, 'secretRefs names no secret.', undefined, 'key');
  return undefined;
}
