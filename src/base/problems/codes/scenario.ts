/** Errors of scenario files, in addition to those of any document. */
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
  SCENARIO_CALL: { status: 400, title: 'A scenario does not identify the calls it scripts' },
  SCENARIO_REPLY: { status: 400, title: 'A scripted reply is not valid' },
  SCENARIO_EXPECT: { status: 400, title: 'A scenario has contradictory expectations' },
  SCENARIO_TIMING: { status: 400, title: 'A scenario sets two times for one event' },
  SCENARIO_STEP_UNKNOWN: { status: 400, title: 'The scenario’s journey has no such step' },
  SCENARIO_HANDLER_UNKNOWN: { status: 400, title: 'The scenario’s pipeline has no such producer or consumer' },
  SCENARIO_TOPIC_UNKNOWN: { status: 400, title: 'The scenario’s pipeline has no such topic' },
  SCENARIO_STATE_UNKNOWN: { status: 400, title: 'The scenario’s journey has no such state' },
  SCENARIO_OPERATION_UNKNOWN: { status: 400, title: 'The scenario’s journey calls no such operation' },
  SCENARIO_OUTCOME_UNKNOWN: { status: 400, title: 'The scenario’s journey names no such outcome' },
  SCENARIO_CONFIG_UNKNOWN: { status: 400, title: 'The scenario’s journey declares no such configuration key' },
  SCENARIO_RECORD: { status: 400, title: 'The run cannot be recorded as a scenario' },
} as const;
