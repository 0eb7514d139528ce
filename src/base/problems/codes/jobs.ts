/** Errors of jobs, their targets, orchestrators and channels. */
export const jobCodes = {
  JOB_INVALID: { status: 400, title: 'The job cannot be created or updated with these values' },
  JOB_UNKNOWN: { status: 404, title: 'No such job in this orchestrator' },
  JOB_STATE: { status: 409, title: 'The state of the job does not allow this' },
  EXECUTION_UNKNOWN: { status: 404, title: 'No such run in this orchestrator' },
  FUNCTION_UNKNOWN: { status: 404, title: 'No such function' },
  FUNCTION_ARGUMENTS: { status: 400, title: 'The arguments do not match the function’s schema' },
  ORCHESTRATOR_UNKNOWN: { status: 404, title: 'No such orchestrator' },
  ORCHESTRATOR_REQUIRED: {
    status: 400,
    title: 'The orchestrator is not specified',
    hint: 'Set orchestratorId (CLI: --orchestrator), or a channelProfileId (--profile) that determines it.',
  },
  CHANNEL_PROFILE_UNKNOWN: { status: 404, title: 'No such channel profile' },
  ACCESS_DENIED: { status: 403, title: 'The orchestrator may not use this' },
  TARGET_INTERACTIVE: {
    status: 400,
    title: 'The journey can wait for input, which a job cannot provide',
    hint: 'Use a journey that reaches neither a wait nor a webhook.',
  },
  TARGET_REF_INVALID: { status: 400, title: 'targetRef does not match its channel' },
  PATH_REFUSED: {
    status: 400,
    title: 'A value looks like a file system path',
    hint: 'Jobs do not accept paths. Refer to a file in a shared folder as shared://<name>/<file>.',
  },
  CHANNEL_REFUSED: {
    status: 422,
    title: 'The channel rejected the message',
    hint: '`reason` is the channel’s own error code.',
  },
  CHANNEL_UNREACHABLE: { status: 503, title: 'The channel is unavailable' },
  CHANNEL_MESSAGE_INVALID: { status: 400, title: 'The channel message cannot be parsed' },
} as const;
