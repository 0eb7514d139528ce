import { fixed, part, shape, textOf, textOrMapper, wordOf } from '../../document/schema-parts.js';

/** JSON Schema of `schedule:v1`. */
export const schema = {
  ...shape(
    'Creates or updates a schedule that starts further runs of this journey, each with the context the previous one ended with.',
    {
      kind: fixed('schedule:v1', 'The kind of task.'),
      start: textOf('The state of spec.states at which scheduled runs start. Nothing after it may wait for input.'),
      startAt: textOrMapper(
        'An RFC 3339 instant; when left out, the first run starts at once, or with cron when that says so.',
      ),
      interval: textOrMapper('An ISO-8601 duration, like P1D or P1M.'),
      cron: textOrMapper(
        'Five fields (minute hour day-of-month month day-of-week) in place of interval; an extension, refused by --strict.',
      ),
      timezone: textOrMapper('The IANA zone whose clock counts for cron, like Europe/Rome.'),
      maxRuns: {
        description: 'How many runs at most.',
        oneOf: [{ type: 'integer', minimum: 1 }, part('mapperHolder')],
      },
      subjectId: part('mapperHolder', 'Whom the schedule is for.'),
      context: part('mapperHolder', 'The context of the first run; the current one when left out.'),
      onExisting: {
        ...wordOf(
          'What to do when the subject already has one at this start; fail by default.',
          'fail',
          'upsert',
          'addAnother',
        ),
        default: 'fail',
      },
    },
    ['kind', 'start', 'maxRuns'],
  ),
  examples: [
    {
      kind: 'schedule:v1',
      start: 'charge',
      startAt: '2030-01-31T09:00:00Z',
      interval: 'P1M',
      maxRuns: 12,
      subjectId: { mapper: { lang: 'dataweave', expr: 'context.customerId' } },
      context: { mapper: { lang: 'dataweave', expr: '{ token: context.token }' } },
      onExisting: 'upsert',
    },
    { kind: 'schedule:v1', start: 'charge', cron: '0 2 * * *', timezone: 'Europe/Rome', maxRuns: 365 },
  ],
  oneOf: [
    { required: ['interval'], properties: { cron: false, timezone: false } },
    { required: ['cron', 'timezone'], properties: { interval: false } },
  ],
};
