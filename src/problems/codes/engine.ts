/** What can end a run, as the code of its error. */
export const engineCodes = {
  'urn:journeyforge:error:internal': { status: 500, title: 'The journey could not go on' },
  JOURNEY_CANCELLED: { status: 409, title: 'Cancelled by user' },
  CHOICE_NO_MATCH: { status: 500, title: 'No choice matched and there is no default' },
  PREDICATE_NOT_BOOLEAN: {
    status: 500,
    title: 'A predicate gives something other than true or false',
    hint: 'Compare explicitly, like context.flag == true.',
  },
  TRANSFORM_NOT_OBJECT: { status: 500, title: 'The mapper must give an object here' },
  STEP_LIMIT_EXCEEDED: { status: 500, title: 'Too many states without waiting for anything' },
  INTERPOLATION_MISSING: { status: 500, title: 'A ${…} placeholder has no value' },
  STATE_UNKNOWN: { status: 500, title: 'A transition names a state that does not exist' },
  ATTRIBUTE_OVERWRITE: { status: 400, title: 'An attribute is written once' },
  METADATA_LIMIT: { status: 400, title: 'Too many or too long tags or attributes' },
  SUBJ_INPUT_NOT_OBJECT: { status: 500, title: 'The input of a subjourney must be an object' },
  HTTP_HEADER: { status: 500, title: 'A header value cannot be sent' },
  STEP_UNKNOWN: { status: 404, title: 'The journey has no such step' },
  STEP_NOT_ACTIVE: { status: 409, title: 'The step is not waiting for a submission' },
  STEP_INVALID: { status: 400, title: 'The body does not match the step’s schema' },
  RUN_TERMINATED: { status: 500, title: 'The run was terminated from outside' },
  RUN_TIMED_OUT: { status: 500, title: 'The run exceeded Temporal’s own time limit' },
} as const;
