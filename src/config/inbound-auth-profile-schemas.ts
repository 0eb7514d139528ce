import type { Json } from '../base/json/value.js';
import {
  jwks,
  keyHash,
  listValue,
  mapValue,
  pathValue,
  type Schema,
  section,
  stringList,
  stringValue,
} from './config-schema-builders.js';

const credentialSource = (...locations: string[]): Schema =>
  section(
    'Location of the credential in a request, unless the task sets it.',
    {
      location: { type: 'string', description: 'The part of the request.', enum: locations },
      name: stringValue('The header, parameter or cookie.'),
      ...(locations.includes('cookie') && { scheme: stringValue('A prefix to strip, like Bearer.') }),
    },
    { required: ['location', 'name'] },
  );

const profiles = (values: Schema, example: Json): Schema =>
  section('Its profiles.', {
    profiles: mapValue('Name → profile; tasks without a profile use `default`.', values, {
      examples: [{ default: example }],
    }),
  });

/** Schemas of the profiles of auth tasks, by plugin; scenarios may define their own. */
export const authProfileSchemas: Readonly<Record<string, Schema>> = {
  jwtValidate: profiles(
    section('Accepted tokens.', {
      issuer: stringValue('Expected `iss`.'),
      audience: stringList('Expected `aud`: one of these.'),
      jwksUri: stringValue('URL of the issuer’s public keys (JWKS).', { format: 'uri', pattern: '^https?://' }),
      keys: jwks,
      clockSkewSec: {
        type: 'integer',
        description: 'Clock tolerance in seconds; 30 by default.',
        minimum: 0,
      },
      requiredClaims: stringList('Claims that a token must have, in addition to `exp`.'),
      allowNoExpiry: { type: 'boolean', description: 'Accept tokens without `exp`, which never expire.' },
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
    section('Accepted certificates.', {
      trustAnchors: {
        type: 'array',
        description: 'Trust anchors, as inline PEM or files.',
        items: section('A trust anchor.', { pem: stringValue('PEM.'), file: pathValue('A PEM file.') }),
      },
      revocationFiles: { type: 'array', description: 'Revocation lists.', items: pathValue('A revocation list file.') },
      allowAnyFromTrusted: { type: 'boolean', description: 'Accept every certificate that chains to a trust anchor.' },
      allowSubjects: stringList('Subject names in RFC 4514 form, most specific part first.'),
      allowSans: {
        type: 'array',
        description: 'Alternative names, one of which the certificate must have.',
        items: section('A name.', {
          dns: stringValue('A host.'),
          ip: stringValue('An address.'),
          uri: stringValue('A URI.'),
        }),
      },
      allowSerials: stringList('Serial numbers in hex.'),
    }),
    { trustAnchors: [{ file: 'partners-ca.pem' }], allowSubjects: ['CN=partner,O=Example'] },
  ),
  apiKeyValidate: profiles(
    section(
      'Accepted keys.',
      {
        keys: listValue(
          'Keys, stored as hashes.',
          section(
            'One key.',
            { id: stringValue('Id of the key, as journeys see it.'), hash: keyHash },
            { required: ['id', 'hash'] },
          ),
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
