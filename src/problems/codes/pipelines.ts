/** What can be wrong with a pipeline: its events, its handlers, requests about it, and its document. */
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
    hint: 'Publish a reference to it, or raise policy.maxPayloadBytes of the pipeline.',
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
  PIPELINE_UNKNOWN: {
    status: 404,
    title: 'There is no such pipeline',
    hint: 'Deploy its document: journeyman pipeline deploy.',
  },
  PIPELINE_MESSAGE_INVALID: { status: 400, title: 'The pipeline cannot read what it was sent' },
  PIPELINE_UNRESPONSIVE: {
    status: 503,
    title: 'The pipeline did not answer in time',
    hint: 'A worker must be running: journeyman up, or journeyman worker.',
  },
  PIPELINE_CANNOT_GO_ON: {
    status: 503,
    title: 'The pipeline was ended while its workflow tasks failed, and Temporal does not let it go on',
    hint: 'Nothing it acknowledged is lost while Temporal keeps its history. Reset it by hand, to a workflow task before the one that failed: temporal workflow reset.',
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

  PIPELINE_EXTENSION: {
    status: 400,
    title: 'kind: Pipeline is an extension of Journeyman, which --strict refuses',
  },
  PIPELINE_KIND: { status: 400, title: 'kind must be Pipeline', hint: 'Write kind: Pipeline.' },
  PIPELINE_EMPTY: {
    status: 400,
    title: 'A pipeline needs a producer or a consumer',
    hint: 'Add spec.producers or spec.consumers.',
  },
  PIPELINE_TOO_LARGE: {
    status: 413,
    title: 'The pipeline with its journeys is larger than the limit',
    hint: 'Split it into several pipelines.',
  },
  TOPIC_NAME: {
    status: 400,
    title: 'The name of the topic cannot be used',
    hint: 'Use up to 63 letters, digits, - and _, beginning with a letter.',
  },
  TOPIC_UNDECLARED: {
    status: 400,
    title: 'The pipeline does not declare the topic',
    hint: 'Add it under spec.topics.',
  },
  TOPIC_UNSUBSCRIBED: {
    status: 400,
    title: 'No consumer has subscribed to the topic',
    hint: 'Events there would wait for ever: add the topic to a consumer, or remove it.',
  },
  PREPARE_TOPIC: {
    status: 400,
    title: 'prepare looks at a topic that its consumer does not read',
    hint: 'Name one of the consumer’s topics, or add the topic to them.',
  },
  HANDLER_NAME: {
    status: 400,
    title: 'The name of the producer or consumer cannot be used',
    hint: 'Use up to 63 letters, digits, - and _, beginning with a letter.',
  },
  HANDLER_DUPLICATE: { status: 400, title: 'A producer and a consumer have the same name', hint: 'Rename one.' },
  HANDLER_JOURNEY: { status: 400, title: 'The journey of the handler cannot be used' },
  HANDLER_INTERACTIVE: {
    status: 400,
    title: 'The journey of the handler waits for input',
    hint: 'A handler has no caller: use a journey without wait and webhook.',
  },
  PRODUCER_SCHEDULE: {
    status: 400,
    title: 'The schedule of the producer is not valid',
    hint: 'Give interval (5m or PT5M), or cron and zone.',
  },
  PIPELINE_POLICY: { status: 400, title: 'The policy of the pipeline is not valid' },
} as const;
