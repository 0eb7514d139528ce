import { given } from '../../document/fields.js';
import { fixed, shape } from '../../document/schema-parts.js';
import { authFields, authRunner, type CredentialSource, readAuth, readSource, sourceSchema } from '../auth.js';
import type { TaskKind } from '../kind.js';

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
  kind: 'jwtValidate:v1',
  schema,
  read: (block, within): JwtValidateTask => ({
    kind: 'jwtValidate:v1',
    ...readAuth(block, within, 'jwtValidate:v1'),
    ...given('source', readSource(block.at('source'), locations)),
  }),
  run: authRunner('jwtValidate', 'jwt', 'JWT_TOKEN_MISSING'),
  looksAtRequests: true,
};
