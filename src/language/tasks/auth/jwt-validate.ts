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

/** A token check, normalised. */
export type JwtValidateTask = { kind: 'jwtValidate:v1'; profile: string; authVar: string; source?: CredentialSource };

const locations = ['header', 'query', 'cookie'];
const schema = {
  ...shape(
    'Validates the JWT of the current request and writes its claims, or what is wrong with it, to the context. Never ends the run.',
    { kind: fixed('jwtValidate:v1', 'The kind of task.'), ...authFields, source: sourceSchema(...locations) },
    ['kind'],
  ),
  examples: [
    {
      kind: 'jwtValidate:v1',
      profile: 'partners',
      source: { location: 'header', name: 'Authorization', scheme: 'Bearer' },
      authVar: 'auth',
    },
  ],
};

/** Validates a token. */
export const jwtValidate: TaskKind<JwtValidateTask> = {
  ...authBehaviour('jwtValidate', 'jwt', 'JWT_TOKEN_MISSING'),
  kind: 'jwtValidate:v1',
  isExtension: false,
  schema,
  read: (block, within): JwtValidateTask => ({
    kind: 'jwtValidate:v1',
    ...readAuth(block, within, 'jwtValidate:v1'),
    ...ifDefined('source', readSource(block.at('source'), locations)),
  }),
};
