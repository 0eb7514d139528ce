/** What can be wrong with a job, its target, or the orchestrator it belongs to. */
export const jobCodes = {
  JOB_INVALID: { status: 400, title: 'The job cannot be made or changed like this' },
  JOB_UNKNOWN: { status: 404, title: 'No such job in this orchestrator' },
  JOB_STATE: { status: 409, title: 'The state of the job does not allow this' },
  EXECUTION_UNKNOWN: { status: 404, title: 'No such run in this orchestrator' },
  FUNCTION_UNKNOWN: { status: 404, title: 'No such function' },
  FUNCTION_ARGUMENTS: { status: 400, title: 'The arguments do not match the function’s schema' },
  ORCHESTRATOR_UNKNOWN: { status: 404, title: 'No such orchestrator' },
  ORCHESTRATOR_REQUIRED: {
    status: 400,
    title: 'It is not said in which orchestrator',
    hint: 'Name orchestratorId (CLI: --orchestrator), or the channelProfileId (--profile) that it follows from.',
  },
  CHANNEL_PROFILE_UNKNOWN: { status: 404, title: 'No such channel profile' },
  ACCESS_DENIED: { status: 403, title: 'The orchestrator may not use this' },
  TARGET_INTERACTIVE: {
    status: 400,
    title: 'The journey can come to wait for somebody, and a job has nobody',
    hint: 'Use a journey whose start leads to no wait and no webhook.',
  },
  TARGET_REF_INVALID: { status: 400, title: 'The place for the output is not described as its channel needs it' },
  PATH_REFUSED: {
    status: 400,
    title: 'A value looks like a path in a file system',
    hint: 'Jobs take no paths. A file of a shared folder is named shared://<name>/<file>.',
  },
} as const;
