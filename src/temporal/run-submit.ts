import { randomUUID } from 'node:crypto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { type KeyedAnswer, names, type StepSubmission, type StepView } from '../../workflows/input.js';
import type { Config } from '../config/config.js';
import { secretReader } from '../config/secret.js';
import type { InboundBinding } from '../definition/definition.js';
import type { Signature } from '../definition/signature.js';
import type { StepRequest } from '../engine/steps.js';
import { type Json, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { stepRequest } from '../service/inbound.js';
import type { KeptRequests } from '../service/requests.js';
import type { SubmitStep, SubmittedRun } from '../service/runs.js';
import { isSigned, type SignedRequest } from '../service/signature.js';
import { asProblem, isCutOff, isNotFound, isUnanswered } from './failures.js';
import { keeping } from './keeping.js';
import { whyUnreadable } from './listed.js';
import { checkSize } from './payloads.js';
import { payloadHash } from './run-ids.js';
import { lacksOutcome, queryMs, type RunReader, updateMs } from './run-reader.js';
import { describedView, type RunMemo } from './views.js';

/** Submits steps to runs. */
export class StepSubmitter {
  constructor(
    private readonly runs: RunReader,
    private readonly config: Config,
    private readonly requests: KeptRequests | undefined,
  ) {}

  async submit(request: SubmitStep): Promise<SubmittedRun> {
    const { id, stepId, headers, certificate, caller, admit } = request;
    const description = await this.runs.describe(id);
    const memo = description.memo?.journey as RunMemo | undefined;
    const signature = own(memo?.signatures as Json | undefined, stepId) as Signature | undefined;
    if (signature) this.checkSignature(signature, { headers, body: request.body ?? new Uint8Array() });
    const inbound = {
      headers,
      query: request.query ?? new URLSearchParams(),
      ...(certificate !== undefined && { certificate }),
    };
    const binding = own(memo?.steps as Json | undefined, stepId) as InboundBinding | undefined;
    const incoming = { run: id, caller, inbound: memo?.requests && inbound, binding };
    const run = await keeping(this.requests, incoming, (kept) =>
      this.submitTo(description, request, {
        ...stepRequest(memo?.steps ?? {}, stepId, inbound),
        ...(kept && { request: kept }),
      }),
    );
    // The step is taken, so a guard that cannot be asked is no failure of the submission: it admits nobody.
    const readable =
      !admit ||
      (await this.runs.guard(id, description, admit).then(
        () => true,
        () => false,
      ));
    return readable ? run : { ...run, unreadable: true };
  }

  private async submitTo(
    description: WorkflowExecutionDescription,
    { id, stepId, payload, caller, idempotencyKey }: SubmitStep,
    more: StepRequest,
  ): Promise<SubmittedRun> {
    const hash = payloadHash([stepId, payload]);
    const key = idempotencyKey === undefined ? undefined : payloadHash([caller, idempotencyKey]);
    const submission: StepSubmission = {
      stepId,
      payload,
      ...more,
      ...(key !== undefined && { key, hash }),
    };
    checkSize(submission);
    const updateId = key === undefined ? randomUUID() : payloadHash([key, hash]);
    try {
      const view = await this.runs.within(updateMs, () =>
        this.runs.handle(id).executeUpdate<StepView, [StepSubmission]>(names.submitStep, {
          args: [submission],
          updateId,
        }),
      );
      const whole = lacksOutcome(view) ? await this.runs.status(id) : undefined;
      const { working, ...seen } = view;
      return { ...describedView(description), ...seen, resting: working !== true, ...whole };
    } catch (error) {
      if (isNotFound(error)) {
        const before = key === undefined ? undefined : await this.answered(id, key);
        if (before?.hash === hash) return { ...describedView(description), ...before.view };
        if (before) refuse('IDEMPOTENCY_KEY_REUSED', 'The key was used with another step or body.');
        refuse('STEP_NOT_ACTIVE', 'The journey has ended.');
      }
      // The step was taken; then somebody ended the run.
      if (isCutOff(error)) return { ...(await this.runs.status(id)), projection: {} };
      if (isUnanswered(error))
        refuse('RUN_UNRESPONSIVE', 'No worker took the submission in time; it may still be taken.');
      if (whyUnreadable(error) && (await this.isTaken(id, updateId)))
        return { ...(await this.runs.seen(id, error)), projection: {} };
      throw asProblem(error);
    }
  }

  /** Whether a run did what an update asked, whatever it answered. */
  private async isTaken(workflowId: string, updateId: string): Promise<boolean> {
    const { namespace } = this.runs.client.options;
    const updateRef = { workflowExecution: { workflowId }, updateId };
    const asked = this.runs.client.workflowService.pollWorkflowExecutionUpdate({ namespace, updateRef });
    // One that was refused leaves no trace.
    const answer = await asked.catch((error) => (isNotFound(error) ? undefined : Promise.reject(asProblem(error))));
    return answer?.outcome?.success != null;
  }

  /** Refuses a request that nobody with one of the step's secrets has signed. */
  private checkSignature(signature: Signature, request: SignedRequest): void {
    const secret = secretReader(this.config.secrets);
    const keys = signature.secretRefs.map((ref) => secret(ref).reveal());
    if (!isSigned(signature, keys, request, new Date())) refuse('SIGNATURE_INVALID');
  }

  /** What an ended run answered to a step's key; also undefined if nobody can tell. */
  private async answered(id: string, key: string): Promise<KeyedAnswer | undefined> {
    const asked = this.runs.within(queryMs, () =>
      this.runs.handle(id).query<KeyedAnswer | null, [string]>(names.answer, key),
    );
    return (await asked.catch(() => undefined)) ?? undefined;
  }
}
