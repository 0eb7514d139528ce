import type { Json } from '../json/value.js';
import { hash, jwks, list, map, path, type Schema, section, text, texts } from './schema-parts.js';

const credentialSource = (...locations: string[]): Schema =>
  section(
    'Where the credential stands in a request, unless the task says.',
    {
      location: { type: 'string', description: 'The part of the request.', enum: locations },
      name: text('The header, parameter or cookie.'),
      ...(locations.includes('cookie') && { scheme: text('A prefix to strip, like Bearer.') }),
    },
    { required: ['location', 'name'] },
  );

const profiles = (values: Schema, example: Json): Schema =>
  section('Its profiles.', {
    profiles: map('Name → profile; a task that names none takes `default`.', values, {
      examples: [{ default: example }],
    }),
  });

/** What auth tasks check credentials by, by plugin; scenarios may bring their own. */
export const pluginSchemas: Readonly<Record<string, Schema>> = {
  jwtValidate: profiles(
    section('Whose tokens are taken.', {
      issuer: text('Expected `iss`.'),
      audience: texts('Expected `aud`: one of these.'),
      jwksUri: text('Where the issuer publishes its keys.', { format: 'uri', pattern: '^https?://' }),
      keys: jwks,
      clockSkewSec: {
        type: 'integer',
        description: 'Seconds by which clocks may differ; 30 unless given.',
        minimum: 0,
      },
      requiredClaims: texts('Claims that a token must have, besides `exp`.'),
      allowNoExpiry: { type: 'boolean', description: 'Take tokens without `exp` too, which are good for ever.' },
      source: credentialSource('header', 'query', 'cookie'),
    }),
    {
      issuer: 'https://id.example.com/',
      audience: ['orders'],
      jwksUri: 'https://id.example.com/jwks',
      source: { location: 'header', name: 'Authorization', scheme: 'Bearer' },
    },
  ),
  mtlsValidate: profiles(
    section('Which certificates are taken.', {
      trustAnchors: {
        type: 'array',
        description: 'Roots, as PEM here or in files.',
        items: section('One root.', { pem: text('PEM.'), file: path('A file with PEM.') }),
      },
      revocationFiles: { type: 'array', description: 'Revocation lists.', items: path('A file with a list.') },
      allowAnyFromTrusted: { type: 'boolean', description: 'Take every certificate that leads to a root.' },
      allowSubjects: texts('Subject names as RFC 4514 writes them, the most specific part first.'),
      allowSans: {
        type: 'array',
        description: 'Alternative names; one of them must be on the certificate.',
        items: section('A name.', { dns: text('A host.'), ip: text('An address.'), uri: text('A URI.') }),
      },
      allowSerials: texts('Serial numbers in hex.'),
    }),
    { trustAnchors: [{ file: 'partners-ca.pem' }], allowSubjects: ['CN=partner,O=Example'] },
  ),
  apiKeyValidate: profiles(
    section(
      'Which keys are taken.',
      {
        keys: list(
          'Keys, known by their hash.',
          section('One key.', { id: text('What journeys know it by.'), hash }, { required: ['id', 'hash'] }),
        ),
        source: credentialSource('header', 'query'),
      },
      { required: ['keys'] },
    ),
    {
      keys: [{ id: 'partner', hash: `sha256:${'0'.repeat(64)}` }],
      source: { location: 'header', name: 'X-Api-Key' },
    },
  ),
};
