/** What can end a run, as the code of its error. */
export const engineCodes = {
  'urn:journeyforge:error:internal': { status: 500, title: 'The journey could not go on' },
  JOURNEY_CANCELLED: { status: 409, title: 'Cancelled by user' },
  CHOICE_NO_MATCH: { status: 500, title: 'No choice matched and there is no default' },
  PREDICATE_NOT_BOOLEAN: { status: 500, title: 'A predicate gave something other than true or false' },
  TRANSFORM_NOT_OBJECT: { status: 500, title: 'The mapper must give an object here' },
  STEP_LIMIT_EXCEEDED: { status: 500, title: 'Too many states without waiting for anything' },
  INTERPOLATION_MISSING: { status: 500, title: 'A ${…} placeholder has no value' },
} as const;
