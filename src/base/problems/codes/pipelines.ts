/** Errors of pipelines: events, handlers, requests and documents. */
export const pipelineCodes = {
  TOPIC_UNKNOWN: { status: 404, title: 'The pipeline has no such topic' },
  TOPIC_FULL: {
    status: 429,
    title: 'The topic is full',
    hint: 'Let its consumers catch up, then publish again.',
  },
  EVENT_ID_INVALID: { status: 400, title: 'The id of the event is not valid' },
  EVENT_TOO_LARGE: {
    status: 413,
    title: 'The payload of the event is larger than the pipeline allows',
    hint: 'Publish a reference to it, or raise policy.maxPayloadBytes of the pipeline.',
  },
  EVENT_INVALID: { status: 422, title: 'The payload does not match the schema of its topic' },
  HANDLER_UNKNOWN: { status: 404, title: 'The pipeline has no such producer or consumer' },
  HANDLER_INPUT_INVALID: { status: 422, title: 'The journey of the handler does not accept this input' },
  HANDLER_STATE_TOO_LARGE: {
    status: 413,
    title: 'The state of the pipeline’s handlers is too large',
    hint: 'Store a cursor or a reference in it, not the data itself.',
  },
  PREPARE_RESULT_INVALID: { status: 422, title: 'prepare returned something that cannot be reserved' },
  PUBLISH_INVALID: { status: 422, title: 'The handler published something that is not an event' },
  PUBLISH_UNDECLARED: { status: 422, title: 'The handler published to a topic that it does not declare' },
  SOURCE_CHANGED: { status: 409, title: 'The topic is read from another source' },
  SOURCE_PARTITIONS: {
    status: 409,
    title: 'The sources of the pipeline have too many partitions',
    hint: 'Split it into several pipelines.',
  },
  SOURCE_RESET: {
    status: 409,
    title: 'The source no longer has the records that were taken from it',
    hint: 'Find out who deleted them, then resume the pipeline.',
  },
  RUN_NOT_SUSPENDED: {
    status: 409,
    title: 'The run is not waiting for a decision',
    hint: 'List the suspended runs of the pipeline.',
  },
  PIPELINE_TAKEN: { status: 409, title: 'The pipeline was deployed from another folder' },
  PIPELINE_UNRESOLVED: {
    status: 409,
    title: 'A suspended run of the pipeline is waiting for a decision',
    hint: 'Resolve it with retry, did_not_happen or skip.',
  },
  PIPELINE_UNKNOWN: {
    status: 404,
    title: 'No such pipeline',
    hint: 'Deploy its document: journeyman pipeline deploy.',
  },
  PIPELINE_MESSAGE_INVALID: { status: 400, title: 'The pipeline cannot read the message' },
  PIPELINE_UNRESPONSIVE: {
    status: 503,
    title: 'The pipeline did not respond in time',
    hint: 'A worker must be running: journeyman up, or journeyman worker.',
  },
  PIPELINE_DEPLOY_FAILED: {
    status: 503,
    title: 'The pipeline could not be deployed',
    hint: 'The previous version keeps running. Deploy again with journeyman pipeline deploy, and see the worker’s log.',
  },
  PIPELINE_CANNOT_GO_ON: {
    status: 503,
    title: 'The pipeline was ended while its workflow tasks failed, and Temporal cannot resume it',
    hint: 'Nothing it acknowledged is lost while Temporal keeps its history. Reset it by hand, to a workflow task before the one that failed: temporal workflow reset.',
  },
  PIPELINE_TOPIC_IN_USE: {
    status: 409,
    title: 'The new document drops a topic that has pending events',
    hint: 'Let its consumers finish, or keep the topic.',
  },
  PIPELINE_HANDLER_IN_USE: {
    status: 409,
    title: 'The new document drops a handler that has a suspended run',
    hint: 'Resolve the run first.',
  },

  PIPELINE_EXTENSION: {
    status: 400,
    title: 'kind: Pipeline is an extension of Journeyman, rejected by --strict',
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
    title: 'The name of the topic is not valid',
    hint: 'Use up to 63 letters, digits, - and _, beginning with a letter.',
  },
  TOPIC_UNDECLARED: {
    status: 400,
    title: 'The pipeline does not declare the topic',
    hint: 'Add it under spec.topics.',
  },
  TOPIC_UNSUBSCRIBED: {
    status: 400,
    title: 'No consumer subscribes to the topic',
    hint: 'Its events would never be consumed: add the topic to a consumer, or remove it.',
  },
  CORRELATE_KEY_INVALID: {
    status: 422,
    title: 'correlate returned something that cannot be a key',
    hint: 'Return a text, a number or a boolean; null for an event that matches no other.',
  },
  TOPIC_CORRELATE: {
    status: 400,
    title: 'No consumer matches the events of the topic',
    hint: 'Set correlate on every topic of a consumer that reads several, and omit prepare there; or remove correlate.',
  },
  SOURCE_DUPLICATE: {
    status: 400,
    title: 'Two topics have the same source',
    hint: 'Each would get a part of its records: use one topic, or another group.',
  },
  PREPARE_QUADRATIC: {
    status: 400,
    title: 'prepare compares every event with every other',
    hint: 'Declare correlate: { by: … } for the topics instead, which is indexed.',
  },
  PREPARE_TOPIC: {
    status: 400,
    title: 'prepare reads a topic that its consumer does not subscribe to',
    hint: 'Name one of the consumer’s topics, or add the topic to them.',
  },
  HANDLER_NAME: {
    status: 400,
    title: 'The name of the producer or consumer is not valid',
    hint: 'Use up to 63 letters, digits, - and _, beginning with a letter.',
  },
  HANDLER_DUPLICATE: { status: 400, title: 'A producer and a consumer have the same name', hint: 'Rename one.' },
  HANDLER_JOURNEY: { status: 400, title: 'The journey of the handler cannot be used' },
  HANDLER_INPUT: {
    status: 400,
    title: 'The handler does not provide input fields that its journey requires',
    hint: 'Add input: { mapper: … } that returns them.',
  },
  HANDLER_INTERACTIVE: {
    status: 400,
    title: 'The journey of the handler can wait for input',
    hint: 'A handler has no caller: use a journey without wait and webhook.',
  },
  PRODUCER_SCHEDULE: {
    status: 400,
    title: 'The schedule of the producer is not valid',
    hint: 'Set interval (5m or PT5M), or cron and zone.',
  },
  PIPELINE_POLICY: { status: 400, title: 'The policy of the pipeline is not valid' },
} as const;
