import { given, list, optionalBoolean, text, texts } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { shape, textOf } from '../../document/schema-parts.js';
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
const schema = shape(
  'Validates the client certificate of the current request and writes its subject, or what is wrong with it, to the context. Never ends the run.',
  {
    kind: { const: 'mtlsValidate:v1' },
    ...authFields,
    trustAnchors: { type: 'array', items: shape('A root certificate.', { pem: textOf('PEM.') }, ['pem']) },
    allowAnyFromTrusted: { type: 'boolean', description: 'Accept every certificate that chains to an anchor.' },
    allowSubjects: { type: 'array', items: textOf('A subject name.') },
    allowSans: {
      type: 'array',
      items: shape('An alternative name.', {
        dns: textOf('A host.'),
        ip: textOf('An address.'),
        uri: textOf('A URI.'),
      }),
    },
    allowSerials: { type: 'array', items: textOf('A serial number.') },
  },
  ['kind'],
);

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
