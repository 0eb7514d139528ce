/** What a scenario file can get wrong, beyond what any document can. */
export const scenarioCodes = {
  SCENARIO_FILE: {
    status: 400,
    title: 'The scenario file cannot be read',
  },
  SCENARIO_JOURNEY: {
    status: 400,
    title: 'The scenario’s journey cannot be used',
    hint: 'Name it with journey: <path>, relative to the scenario file.',
  },
  SCENARIO_DURATION: { status: 400, title: 'A duration in a scenario is not valid' },
  SCENARIO_INSTANT: { status: 400, title: 'A timestamp in a scenario is not valid' },
  SCENARIO_CALL: { status: 400, title: 'A scenario does not say which calls it means' },
  SCENARIO_REPLY: { status: 400, title: 'A scripted reply is not valid' },
  SCENARIO_EXPECT: { status: 400, title: 'A scenario expects things that cannot be true together' },
  SCENARIO_TIMING: { status: 400, title: 'A scenario names two moments for one thing' },
  SCENARIO_STEP_UNKNOWN: { status: 400, title: 'The scenario’s journey has no such step' },
  SCENARIO_HANDLER_UNKNOWN: { status: 400, title: 'The scenario’s pipeline has no such producer or consumer' },
  SCENARIO_TOPIC_UNKNOWN: { status: 400, title: 'The scenario’s pipeline has no such topic' },
  SCENARIO_STATE_UNKNOWN: { status: 400, title: 'The scenario’s journey has no such state' },
  SCENARIO_OPERATION_UNKNOWN: { status: 400, title: 'The scenario’s journey calls no such operation' },
  SCENARIO_OUTCOME_UNKNOWN: { status: 400, title: 'The scenario’s journey names no such outcome' },
  SCENARIO_CONFIG_UNKNOWN: { status: 400, title: 'The scenario’s journey declares no such configuration key' },
  SCENARIO_RECORD: { status: 400, title: 'The run cannot be recorded as a scenario' },
} as const;
