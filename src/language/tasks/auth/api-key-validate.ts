import { ifDefined } from '../../../base/document/read-fields.js';
import { fixed, shape } from '../../../base/document/schema-builders.js';
import type { TaskKind } from '../task-kind.js';
import {
  authBehaviour,
  authFields,
  type CredentialSource,
  readAuth,
  readSource,
  sourceSchema,
} from './shared-auth-task.js';

/** A key check, normalised. */
export type ApiKeyValidateTask = {
  kind: 'apiKeyValidate:v1';
  profile: string;
  authVar: string;
  source?: CredentialSource;
};

const locations = ['header', 'query'];
const schema = {
  ...shape(
    'Validates the API key of the current request and writes its id, or what is wrong with it, to the context. Never ends the run.',
    { kind: fixed('apiKeyValidate:v1', 'The kind of task.'), ...authFields, source: sourceSchema(...locations) },
    ['kind'],
  ),
  examples: [
    {
      kind: 'apiKeyValidate:v1',
      profile: 'partners',
      source: { location: 'header', name: 'X-Api-Key' },
      authVar: 'auth',
    },
  ],
};

/** Validates an API key. */
export const apiKeyValidate: TaskKind<ApiKeyValidateTask> = {
  ...authBehaviour('apiKeyValidate', 'apiKey', 'APIKEY_MISSING'),
  kind: 'apiKeyValidate:v1',
  isExtension: false,
  schema,
  read: (block, within): ApiKeyValidateTask => ({
    kind: 'apiKeyValidate:v1',
    ...readAuth(block, within, 'apiKeyValidate:v1'),
    ...ifDefined('source', readSource(block.at('source'), locations)),
  }),
};
