/** Fields that every status carries, so that a step's projection cannot use them. */
export const statusFields: readonly string[] = [
  'journeyId',
  'journeyName',
  'phase',
  'currentState',
  'updatedAt',
  'tags',
  'attributes',
  '_links',
];

/** Fields that every outcome carries, so that the journey's projection cannot use them. */
export const outcomeFields: readonly string[] = [
  'journeyId',
  'journeyName',
  'phase',
  'status',
  'output',
  'error',
  'tags',
  'attributes',
  '_links',
];
