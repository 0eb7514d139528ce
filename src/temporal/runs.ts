import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { type JourneyView, names, type RunLimits, type StepSubmission, type StepView } from '../../workflows/input.js';
import type { journey } from '../../workflows/journey.js';
import { attributesOf, pairs } from '../../workflows/search-attributes.js';
import type { Config } from '../config/config.js';
import { secretReader } from '../config/secret.js';
import type { Definition } from '../definition/definition.js';
import type { Outcome } from '../engine/outcome.js';
import { interpreterVersion } from '../engine/version.js';
import { jsonBytes, payloadBytes } from '../json/size.js';
import type { Json, JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { stepRequest } from '../service/inbound.js';
import type { ListRuns, Runs, RunView, StartRun, SubmitStep } from '../service/runs.js';
import { asProblem, isAway, isNotFound, isUnanswered } from './failures.js';
import { listRuns } from './list-runs.js';
import { outcomeOf } from './outcomes.js';
import { keyedJourneyId, newJourneyId, payloadHash } from './run-ids.js';
import { describedView, type RunMemo, viewOf } from './views.js';

/** A run answers its callers after 25 s at the latest; a worker that does not is given a little longer. */
const updateMs = 28_000;
const queryMs = 3_000;
const cancelMs = 10_000;

/** Where an operator may put the secret that start keys are hashed with; all gateways of a namespace must have the same. */
const idempotencySecret = 'secret://journeyman/idempotency';

/** Journeys on Temporal, for the gateway. */
export class TemporalRuns implements Runs {
  constructor(
    private readonly client: Client,
    private readonly config: Config,
  ) {}

  async start(request: StartRun): Promise<RunView> {
    const { definition, idempotencyKey, caller } = request;
    const id =
      idempotencyKey === undefined
        ? newJourneyId()
        : keyedJourneyId(this.idempotencySecret(), caller, definition.name, idempotencyKey);
    const options = this.startOptions(id, request);
    this.checkSize(options.args[0] as unknown as Json);
    try {
      const view =
        request.mode === 'sync'
          ? await this.startAndSettle(id, definition, options)
          : await this.startOnly(id, definition, options);
      if (idempotencyKey !== undefined) await this.checkSameBody(id, request.body);
      return view;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        await this.checkSameBody(id, request.body);
        return await this.status(id);
      }
      throw asProblem(error);
    }
  }

  private async startAndSettle(id: string, definition: Definition, options: StartOptions): Promise<RunView> {
    const operation = new WithStartWorkflowOperation<typeof journey>(names.workflow, options);
    try {
      const view = await this.within(updateMs, () =>
        this.client.workflow.executeUpdateWithStart<typeof journey, JourneyView, []>(names.settled, {
          startWorkflowOperation: operation,
        }),
      );
      return lacksOutcome(view) ? await this.status(id) : viewOf(id, definition, view);
    } catch (error) {
      if (isUnanswered(error) && !isAway(error)) return await this.status(id);
      throw error;
    }
  }

  /** Answers as soon as the server has the run; nobody asks the run itself. */
  private async startOnly(id: string, definition: Definition, options: StartOptions): Promise<RunView> {
    await this.client.workflow.start<typeof journey>(names.workflow, options);
    const { tags, attributes } = options.args[0];
    const status = {
      currentState: definition.start,
      activeStates: [],
      updatedAt: new Date().toISOString(),
      tags,
      attributes,
    };
    return viewOf(id, definition, { phase: 'RUNNING', status, steps: [] });
  }

  private startOptions(id: string, request: StartRun): StartOptions {
    const { config } = this;
    const { definition, hash, body, headers, idempotencyKey, tags, attributes } = request;
    const metadata = { tags, attributes };
    const memo: RunMemo = {
      links: definition.links,
      cancellable: definition.lifecycle.cancellable,
      tags: metadata.tags,
      start: definition.start,
      definition: hash,
      ...(Object.keys(definition.http.steps).length > 0 && { steps: definition.http.steps }),
      ...(idempotencyKey !== undefined && { inputHash: payloadHash(body) }),
    };
    return {
      workflowId: id,
      taskQueue: config.temporal.taskQueue,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      typedSearchAttributes: new TypedSearchAttributes(pairs(attributesOf(definition, metadata))),
      memo: { journey: memo },
      staticSummary: `${definition.name} ${definition.version}`,
      ...(definition.description !== undefined && { staticDetails: definition.description }),
      args: [
        {
          interpreter: interpreterVersion,
          definition,
          info: {
            id,
            environment: config.platform.environment,
            config: request.config,
            callModes: config.http.mode,
            schedules: {
              minIntervalSec: config.limits.scheduleIntervalSec,
              contextBytes: config.limits.contextBytes,
            },
            ...(headers.traceparent !== undefined && { traceparent: headers.traceparent }),
          },
          context: body,
          ...metadata,
          limits: runLimits(config),
          ...(config.platform.timezone !== 'UTC' && { timezone: config.platform.timezone }),
        },
      ],
    };
  }

  /** The same key with another body is a mistake of the caller, not a repetition. */
  private async checkSameBody(id: string, body: JsonObject): Promise<void> {
    const { memo } = await this.describe(id);
    const known = (memo?.journey as RunMemo | undefined)?.inputHash;
    if (known !== undefined && known !== payloadHash(body)) refuse('IDEMPOTENCY_KEY_REUSED');
  }

  /** A number like 1e20 is written out in full on its way: a body within its limit may still be too large. */
  private checkSize(input: Json): void {
    const bytes = jsonBytes(input);
    if (bytes > payloadBytes)
      refuse('BODY_TOO_LARGE', `It takes ${bytes} bytes to hand this to a run; the limit is ${payloadBytes}.`);
  }

  async status(id: string): Promise<RunView> {
    const description = await this.describe(id);
    if (description.status.name !== 'RUNNING') {
      return describedView(description, await this.outcome(id, description));
    }
    try {
      const view = await this.within(queryMs, () => this.handle(id).query<JourneyView>(names.status));
      return { ...describedView(description), ...view };
    } catch (error) {
      if (!isUnanswered(error) && !isNotFound(error)) throw asProblem(error);
      return describedView(description);
    }
  }

  async result(id: string): Promise<RunView & { outcome: Outcome }> {
    const description = await this.describe(id);
    if (description.status.name === 'RUNNING') refuse('RESULT_NOT_READY', 'The journey is still running.');
    const outcome = await this.outcome(id, description);
    return { ...describedView(description, outcome), outcome };
  }

  async submit({
    id,
    stepId,
    payload,
    headers,
    query = {},
    idempotencyKey,
  }: SubmitStep): Promise<RunView & { projection: JsonObject }> {
    const description = await this.describe(id);
    const hash = payloadHash([stepId, payload]);
    const bindings = (description.memo?.journey as RunMemo | undefined)?.steps ?? {};
    const submission: StepSubmission = {
      stepId,
      payload,
      ...stepRequest(bindings, stepId, { headers, query: new URLSearchParams(query) }),
      ...(idempotencyKey !== undefined && { key: idempotencyKey, hash }),
    };
    this.checkSize(submission as unknown as Json);
    try {
      const view = await this.within(updateMs, () =>
        this.handle(id).executeUpdate<StepView, [StepSubmission]>(names.submitStep, {
          args: [submission],
          ...(idempotencyKey !== undefined && { updateId: payloadHash([idempotencyKey, hash]) }),
        }),
      );
      const whole = lacksOutcome(view) ? await this.status(id) : undefined;
      return { ...describedView(description), ...view, ...whole };
    } catch (error) {
      if (isNotFound(error)) refuse('STEP_NOT_ACTIVE', 'The journey has ended.');
      if (isUnanswered(error))
        refuse('RUN_UNRESPONSIVE', 'No worker took the submission in time; it may still be taken.');
      throw asProblem(error);
    }
  }

  async cancel(id: string): Promise<RunView> {
    const description = await this.describe(id);
    if (description.status.name !== 'RUNNING') return await this.status(id);
    if (!describedView(description).cancellable) refuse('STEP_UNKNOWN', 'This journey cannot be cancelled.');
    const handle = this.handle(id);
    try {
      await handle.cancel();
      await this.within(cancelMs, () => handle.result()).catch(() => undefined);
    } catch (error) {
      if (!isNotFound(error)) throw asProblem(error);
    }
    return await this.status(id);
  }

  async list(query: ListRuns): Promise<{ items: RunView[]; nextPageToken?: string }> {
    return await listRuns(this.client, query).catch((error) => Promise.reject(asProblem(error)));
  }

  private async describe(id: string): Promise<WorkflowExecutionDescription> {
    const description = await this.handle(id)
      .describe()
      .catch((error) => Promise.reject(asProblem(error)));
    return description.type === names.workflow ? description : refuse('RUN_UNKNOWN');
  }

  private outcome(id: string, description: WorkflowExecutionDescription): Promise<Outcome> {
    return outcomeOf(this.handle(id), description).catch((error) => Promise.reject(asProblem(error)));
  }

  private handle(id: string): WorkflowHandle {
    return this.client.workflow.getHandle(id);
  }

  private within<T>(ms: number, call: () => Promise<T>): Promise<T> {
    return this.client.withDeadline(Date.now() + ms, call);
  }

  /** With a secret of the operator's, nobody who knows a caller's key can compute the id that it stands for. */
  private idempotencySecret(): string {
    const { secrets, temporal } = this.config;
    if (!Object.hasOwn(secrets, idempotencySecret)) return `journeyman/${temporal.namespace}`;
    return secretReader(secrets)(idempotencySecret).reveal();
  }
}

/** The run has ended with an outcome too large for its answer. */
function lacksOutcome(view: JourneyView): boolean {
  return view.phase !== 'RUNNING' && view.outcome === undefined;
}

/** The bounds that a run carries from its start. */
export function runLimits({ limits }: Pick<Config, 'limits'>): RunLimits {
  const { expression, steps, calls, callsPerMinute, historyEvents } = limits;
  return { expression, steps, calls: { atOnce: calls, perMinute: callsPerMinute }, historyEvents };
}

type StartOptions = WorkflowStartOptions<typeof journey> & {
  workflowIdConflictPolicy: WorkflowIdConflictPolicy;
  args: Parameters<typeof journey>;
};
