import type { JsonObject } from '../../src/base/json/value.js';
import { type Problem, ProblemError } from '../../src/base/problems/problem.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import type { AuditEntry } from '../../src/service/audit/audit-interface.js';
import { type Automation, createAutomation, memberCaller, operatorCaller } from '../../src/service/job-automation.js';
import type { JobView } from '../../src/service/jobs-interface.js';
import { libraryOf } from '../../src/service/library-interface.js';
import { type ConfiguredOrchestrators, orchestratorsOf } from '../../src/service/orchestrators.js';
import { Starts } from '../../src/service/prepare-start-with-ajv.js';
import type { SubmitStep } from '../../src/service/runs-interface.js';
import { journey } from './journey.js';
import { MemoryDispatcher, MemoryJobs } from './memory-jobs.js';

/** The time of the tests of jobs: a Monday. */
export const testNow = Date.parse('2030-01-07T12:00:00Z');

const waiting: Definition['states'] = {
  ask: { type: 'wait', schema: {}, next: 'done' },
  done: { type: 'succeed' },
};

/** `report` accepts `{day: text}`, `ask` waits for a person, `secret` is only for `main`. */
export const journeys = [
  journey('report', {
    input: { schema: { type: 'object', properties: { day: { type: 'string' } }, additionalProperties: false } },
  }),
  journey('post-message'),
  journey('ask', { start: 'ask', states: waiting }),
  journey('secret'),
];

/** Two orchestrators in addition to `main`, each with a Slack account. */
export const twoScopes: ConfiguredOrchestrators = {
  orchestrators: {
    main: { root: '/roots/main', journeys: ['*'], functions: ['*'], shared: [] },
    eng: { root: '/roots/eng', journeys: ['report', 'post-message', 'ask'], functions: ['*'], shared: ['reports'] },
    ops: { root: '/roots/ops', journeys: [], functions: ['schedule.list', 'schedule.create'], shared: [] },
  },
  channelProfiles: {
    slack_main: { channel: 'slack', orchestratorId: 'eng', channels: { '#team': 'C100' }, callers: ['key:bot'] },
    slack_ops: { channel: 'slack', orchestratorId: 'ops', channels: {}, callers: [] },
  },
};

/** Automation in memory, with a record of its effects. */
export interface Rig extends Automation {
  readonly jobs: MemoryJobs;
  readonly dispatcher: MemoryDispatcher;
  readonly logged: AuditEntry[];
  readonly submitted: SubmitStep[];
  clock: number;
  /** Invokes as an operator, by default in `eng`. */
  invoke<T = JobView>(functionId: string, args: JsonObject, as?: As): Promise<T>;
  /** The problem with which the same request is rejected. */
  refused(functionId: string, args: JsonObject, as?: As): Promise<Problem>;
}

export interface As {
  in?: string;
  requestId?: string;
  /** With the permissions of the orchestrator, like a channel or a job. */
  member?: boolean;
}

export function automation(configured: ConfiguredOrchestrators = twoScopes, definitions = journeys): Rig {
  const state = { clock: testNow };
  const now = () => state.clock;
  const [jobs, dispatcher] = [new MemoryJobs(now), new MemoryDispatcher()];
  const logged: AuditEntry[] = [];
  const submitted: SubmitStep[] = [];
  let requests = 0;
  const made = createAutomation({
    library: libraryOf(definitions.map((definition) => ({ definition, hash: definition.name }))),
    starts: new Starts({ environment: 'test', config: {} }),
    orchestrators: orchestratorsOf(configured),
    jobs,
    dispatcher,
    runs: {
      submit: async (request) => {
        submitted.push(request);
        return { phase: 'RUNNING', status: { currentState: 'done' } } as never;
      },
    },
    audit: { record: async (entry) => void logged.push(entry) },
    now,
  });
  const invoke = async (functionId: string, args: JsonObject, as: As = {}) => {
    requests += 1;
    const caller = (as.member ? memberCaller : operatorCaller)(
      made.orchestrators.get(as.in ?? 'eng'),
      { caller: 'key:ann' },
      'http',
      as.requestId ?? `request-${requests}`,
    );
    return await made.functions.invoke(functionId, args, caller);
  };
  return Object.assign(state, {
    ...made,
    jobs,
    dispatcher,
    logged,
    submitted,
    invoke: invoke as Rig['invoke'],
    refused: async (functionId: string, args: JsonObject, as: As = {}) => {
      const error = await invoke(functionId, args, as).then(
        () => new Error('It was not rejected'),
        (it: unknown) => it,
      );
      if (error instanceof ProblemError) return error.problem;
      throw error;
    },
  });
}

/** The arguments of an ordinary job; tests override the relevant ones. */
export function jobArgs(rest: JsonObject = {}): JsonObject {
  return {
    orchestratorId: 'eng',
    scheduleType: 'cron',
    schedule: { expression: '0 9 * * fri', timezone: 'Europe/Rome' },
    targetAction: { type: 'workflow_start', workflowId: 'report', inputs: { day: 'friday' } },
    ...rest,
  };
}
