import { given } from '../../document/fields.js';
import { shape } from '../../document/schema-parts.js';
import { authFields, authRunner, type CredentialSource, readAuth, readSource, sourceSchema } from '../auth.js';
import type { TaskKind } from '../kind.js';

/** A key check, normalised. */
export type ApiKeyValidateTask = {
  kind: 'apiKeyValidate:v1';
  profile: string;
  authVar: string;
  source?: CredentialSource;
};

const locations = ['header', 'query'];
const schema = shape(
  'Validates the API key of the current request and writes its id, or what is wrong with it, to the context. Never ends the run.',
  { kind: { const: 'apiKeyValidate:v1' }, ...authFields, source: sourceSchema(...locations) },
  ['kind'],
);

/** Validates an API key. */
export const apiKeyValidate: TaskKind<ApiKeyValidateTask> = {
  kind: 'apiKeyValidate:v1',
  schema,
  read: (block, within): ApiKeyValidateTask => ({
    kind: 'apiKeyValidate:v1',
    ...readAuth(block, within, 'apiKeyValidate:v1'),
    ...given('source', readSource(block.at('source'), locations)),
  }),
  run: authRunner('apiKeyValidate', 'apiKey', 'APIKEY_MISSING'),
  looksAtRequests: true,
};
