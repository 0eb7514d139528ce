import type { Place } from '../../../base/document/placed-value.js';
import { ifDefined, list, optionalBoolean, text, texts } from '../../../base/document/read-fields.js';
import { fixed, listOf, shape, textOf } from '../../../base/document/schema-builders.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import type { TaskKind } from '../task-kind.js';
import { authBehaviour, authFields, readAuth } from './shared-auth-task.js';

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
  ...authBehaviour('mtlsValidate', 'mtls', 'MTLS_CERT_MISSING'),
  kind: 'mtlsValidate:v1',
  isExtension: false,
  schema,
  read,
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
    ...ifDefined('trustAnchors', when('trustAnchors', anchors)),
    ...ifDefined(
      'allowAnyFromTrusted',
      optionalBoolean(block.at('allowAnyFromTrusted'), 'AUTH_FILTER', 'allowAnyFromTrusted'),
    ),
    ...ifDefined(
      'allowSubjects',
      when('allowSubjects', texts(block.at('allowSubjects'), 'AUTH_FILTER', 'allowSubjects')),
    ),
    ...ifDefined('allowSans', when('allowSans', readSans(block.at('allowSans')))),
    ...ifDefined('allowSerials', when('allowSerials', texts(block.at('allowSerials'), 'AUTH_FILTER', 'allowSerials'))),
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
