import { given, list, optionalBoolean, text, texts } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { fixed, listOf, shape, textOf } from '../../document/schema-parts.js';
import type { GraphReading } from '../../reading/reading.js';
import { authFields, authRunner, readAuth } from '../auth.js';
import type { TaskKind } from '../kind.js';

/** A certificate check, normalised; what is left out comes from the profile. */
export type MtlsValidateTask = {
  kind: 'mtlsValidate:v1';
  profile: string;
  authVar: string;
  trustAnchors?: { pem: string }[];
  allowAnyFromTrusted?: boolean;
  allowSubjects?: string[];
  allowSans?: Record<string, string>[];
  allowSerials?: string[];
};

const sanKinds = ['dns', 'ip', 'uri'];
const schema = {
  ...shape(
    'Validates the client certificate of the current request and writes its subject, or what is wrong with it, to the context. Never ends the run.',
    {
      kind: fixed('mtlsValidate:v1', 'The kind of task.'),
      ...authFields,
      trustAnchors: listOf(
        'The roots to trust, in place of the profile’s.',
        shape('A root certificate.', { pem: textOf('The certificate, as PEM.') }, ['pem']),
      ),
      allowAnyFromTrusted: { type: 'boolean', description: 'Accept every certificate that chains to an anchor.' },
      allowSubjects: listOf('Subject names, one of which the certificate must have.', textOf('A subject name.')),
      allowSans: listOf(
        'Alternative names, one of which the certificate must have.',
        shape('An alternative name.', {
          dns: textOf('A host.'),
          ip: textOf('An address.'),
          uri: textOf('A URI.'),
        }),
      ),
      allowSerials: listOf('Serial numbers, one of which the certificate must have.', textOf('A serial number.')),
    },
    ['kind'],
  ),
  examples: [
    {
      kind: 'mtlsValidate:v1',
      profile: 'partners',
      trustAnchors: [{ pem: '-----BEGIN CERTIFICATE-----…' }],
      allowSubjects: ['CN=partner,O=Example'],
      allowSans: [{ dns: 'partner.example.com' }, { ip: '192.0.2.7' }, { uri: 'spiffe://example.com/partner' }],
      allowSerials: ['04A3F1'],
      authVar: 'auth',
    },
    { kind: 'mtlsValidate:v1', allowAnyFromTrusted: true },
  ],
};

/** Validates a client certificate. */
export const mtlsValidate: TaskKind<MtlsValidateTask> = {
  kind: 'mtlsValidate:v1',
  schema,
  read,
  run: authRunner('mtlsValidate', 'mtls', 'MTLS_CERT_MISSING'),
  looksAtRequests: true,
};

function read(block: Place, within: GraphReading): MtlsValidateTask {
  const when = <T>(name: string, value: T) => (block.has(name) ? value : undefined);
  const anchors = list(block.at('trustAnchors'), 'AUTH_FILTER', 'trustAnchors').flatMap((item) => {
    item.only(['pem']);
    const pem = text(item.at('pem'), 'AUTH_FILTER', 'pem');
    return pem === undefined ? [] : [{ pem }];
  });
  return {
    kind: 'mtlsValidate:v1',
    ...readAuth(block, within, 'mtlsValidate:v1'),
    ...given('trustAnchors', when('trustAnchors', anchors)),
    ...given(
      'allowAnyFromTrusted',
      optionalBoolean(block.at('allowAnyFromTrusted'), 'AUTH_FILTER', 'allowAnyFromTrusted'),
    ),
    ...given('allowSubjects', when('allowSubjects', texts(block.at('allowSubjects'), 'AUTH_FILTER', 'allowSubjects'))),
    ...given('allowSans', when('allowSans', readSans(block.at('allowSans')))),
    ...given('allowSerials', when('allowSerials', texts(block.at('allowSerials'), 'AUTH_FILTER', 'allowSerials'))),
  };
}

function readSans(place: Place): Record<string, string>[] {
  return list(place, 'AUTH_FILTER', 'allowSans').map((item) => {
    item.only(sanKinds);
    const out: Record<string, string> = {};
    if (!sanKinds.some((kind) => item.has(kind)))
      item.error('AUTH_FILTER', 'An alternative name needs dns, ip or uri.');
    for (const kind of sanKinds) {
      const value = item.has(kind) ? text(item.at(kind), 'AUTH_FILTER', kind) : undefined;
      if (value !== undefined) out[kind] = value;
    }
    return out;
  });
}
