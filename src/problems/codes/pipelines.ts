/** What can be wrong with a pipeline: its events, its handlers, and requests about it. */
export const pipelineCodes = {
  TOPIC_UNKNOWN: { status: 404, title: 'The pipeline has no such topic' },
  TOPIC_FULL: {
    status: 429,
    title: 'No more events can wait in this topic',
    hint: 'Let its consumers catch up, then publish again.',
  },
  EVENT_ID_INVALID: { status: 400, title: 'The id of the event cannot be used' },
  EVENT_TOO_LARGE: {
    status: 413,
    title: 'The payload of the event is larger than the pipeline allows',
    hint: 'Publish a reference to it, or raise policy.payloadBytes of the pipeline.',
  },
  EVENT_INVALID: { status: 422, title: 'The payload does not match the schema of its topic' },
  HANDLER_UNKNOWN: { status: 404, title: 'The pipeline has no such producer or consumer' },
  HANDLER_INPUT_INVALID: { status: 422, title: 'The journey of the handler does not take this input' },
  HANDLER_STATE_TOO_LARGE: {
    status: 413,
    title: 'The handlers of the pipeline carry too much state',
    hint: 'Keep a cursor or a reference in it, not the things themselves.',
  },
  PREPARE_RESULT_INVALID: { status: 422, title: 'prepare gave something that cannot be reserved' },
  PUBLISH_INVALID: { status: 422, title: 'The handler published something that is no event' },
  PUBLISH_UNDECLARED: { status: 422, title: 'The handler published to a topic that it does not declare' },
  RUN_NOT_SUSPENDED: {
    status: 409,
    title: 'The run does not wait for a decision',
    hint: 'Look at the suspended runs of the pipeline.',
  },
  PIPELINE_UNRESOLVED: {
    status: 409,
    title: 'A suspended run of the pipeline waits for a decision',
    hint: 'Resolve it with retry, did_not_happen or skip.',
  },
  PIPELINE_TOPIC_IN_USE: {
    status: 409,
    title: 'The new document drops a topic in which events wait',
    hint: 'Let its consumers finish, or keep the topic.',
  },
  PIPELINE_HANDLER_IN_USE: {
    status: 409,
    title: 'The new document drops a handler that has a suspended run',
    hint: 'Resolve the run first.',
  },
} as const;
