import { shape, textOrMapper } from '../../document/schema-parts.js';
import { next, stateSchema } from '../state.js';

/** JSON Schema of `timer`. */
export const schema = stateSchema(
  'timer',
  'Sleeps durably. Journeys only.',
  {
    timer: {
      ...shape('How long, or until when.', {
        duration: textOrMapper('An ISO-8601 duration, like PT5M, P1D or P1M.'),
        until: textOrMapper('An RFC 3339 instant.'),
      }),
      oneOf: [{ required: ['duration'] }, { required: ['until'] }],
    },
    next,
  },
  ['timer', 'next'],
  [
    { timer: { duration: 'P3D' }, next: 'remind' },
    { timer: { until: { mapper: { lang: 'dataweave', expr: 'context.deliverAt' } } }, next: 'deliver' },
  ],
);
