import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import {
  type JourneyInput,
  type KeyedAnswer,
  names,
  type RunMigration,
  type StepSubmission,
  type StepView,
} from '../../../workflows/journey/workflow-contract.js';
import { type Json, own } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { secretReader } from '../../config/read-secret.js';
import type { InboundBinding } from '../../engine/definition/definition.js';
import type { Signature } from '../../engine/definition/inbound-signature-scheme.js';
import { uniqueRunId } from '../../engine/definition/keyed-run-id.js';
import type { Outcome } from '../../engine/outcome.js';
import type { StepRequest } from '../../engine/step-submissions.js';
import { partsOfAddress } from '../../engine/steps/step-address.js';
import { type Access, fullAccess } from '../../service/access.js';
import { declaredConfig } from '../../service/check-platform-config.js';
import { stepRequest } from '../../service/inbound-request.js';
import type { KeptRequests } from '../../service/kept-request-store.js';
import type { LibraryEntry } from '../../service/library-interface.js';
import { mapConcurrently } from '../../service/operation/map-concurrently.js';
import { isSigned, type SignedRequest } from '../../service/request-signature.js';
import type { ReadTrail, RunTrail, VisitContext } from '../../service/run-trail.js';
import type {
  Admit,
  BlockedRun,
  Delivery,
  ListRuns,
  MigratedRun,
  RerunRequest,
  RerunResult,
  RunCounts,
  RunFilter,
  Runs,
  RunView,
  StartRun,
  SubmitStep,
  SubmittedRun,
  WaitingRun,
  WaitingRuns,
} from '../../service/runs-interface.js';
import { configProblem } from '../../service/start/prepare-start.js';
import { checkSize } from '../check-payload-size.js';
import {
  asProblem,
  endedDuringUpdate,
  isNotFound,
  isRunUnknown,
  isUnanswered,
  isUnprocessedUpdate,
} from '../classify-temporal-errors.js';
import { readBindingSource } from '../schedules/bindings/binding-action.js';
import { callbackUrls, isCallbackToken } from './callback-urls.js';
import { withRequest } from './keep-request-for-run.js';
import { countRuns, listRuns, listWaiting } from './list-runs.js';
import { failingRuns } from './run-diagnostics.js';
import { payloadHash } from './run-ids.js';
import { lacksOutcome, queryMs, RunReader, updateMs } from './run-reader.js';
import { migratedMemo } from './run-start-options.js';
import { describedView, type RunMemo } from './run-views.js';
import { rerunOf, startRerun } from './start-rerun.js';
import { RunStarter } from './start-run.js';
import { submissionOf, submittedRequest } from './submit-and-signal.js';
import type { DescribedExecution } from './trail/follow-run-history.js';
import { RunTrails } from './trail/shared-run-trails.js';
import { missingKeyReason } from './visibility-entry.js';

const cancelMs = 10_000;
/** How often a delivery is tried because the run of its key has ended or started meanwhile, or an update because no worker has processed it; and the first pause. */
const mostTries = 5;
const retryMs = 200;
/** Number of runs that are queried at once. */
const queriesAtOnce = 8;

/** Runs of journeys on Temporal. */
export class TemporalRuns implements Runs {
  private readonly runs: RunReader;
  private readonly submitter: StepSubmitter;

  constructor(
    private readonly client: Client,
    private readonly config: Config,
    /** Keeps requests for runs that use them; optional. */
    private readonly requests?: KeptRequests,
    private readonly access: Access = fullAccess('journeyman'),
    // A caller owns the runs it starts, so starting needs no access check.
    private readonly starter = new RunStarter(new RunReader(client, fullAccess('journeyman')), config, requests),
    private readonly trails = new RunTrails(client),
  ) {
    this.runs = new RunReader(client, access);
    this.submitter = new StepSubmitter(this.runs, config, requests);
  }

  as(access: Access): TemporalRuns {
    return new TemporalRuns(this.client, this.config, this.requests, access, this.starter, this.trails);
  }

  async start(request: StartRun): Promise<RunView> {
    return await this.starter.start(request, this.access);
  }

  async status(id: string, admit?: Admit): Promise<RunView> {
    return await this.runs.status(id, admit);
  }

  async result(id: string, admit?: Admit): Promise<RunView & { outcome: Outcome }> {
    return await this.runs.result(id, admit);
  }

  async submit(request: SubmitStep): Promise<SubmittedRun> {
    return await this.submitter.submit(request);
  }

  checkSignature(signature: Signature, request: SignedRequest): void {
    this.submitter.checkSignature(signature, request);
  }

  async deliver({ start, ...submission }: Delivery): Promise<SubmittedRun> {
    for (let tries = 0; ; tries++) {
      const unknown = await this.submit(submission).catch((error) =>
        isRunUnknown(error) ? (error as ProblemError) : Promise.reject(error),
      );
      if (!(unknown instanceof ProblemError)) return unknown;
      if (!start || tries === mostTries) throw unknown;
      const started = await this.starter.startWithStep(await start(), submission);
      if (started) return started;
      await delay(tries * retryMs);
    }
  }

  async cancel(id: string, admit?: Admit): Promise<RunView & { changed: boolean }> {
    const description = await this.runs.describe(id);
    // The response contains the run's status, so the read guard is evaluated first.
    if (admit) await this.runs.guard(id, description, admit);
    const unchanged = async () => ({ ...(await this.runs.status(id)), changed: false });
    if (description.status.name !== 'RUNNING') return await unchanged();
    if (!describedView(description).cancellable) refuse('STEP_UNKNOWN', 'This journey cannot be cancelled.');
    const handle = this.runs.handle(id);
    try {
      await handle.cancel();
      await this.runs.within(cancelMs, () => handle.result()).catch(() => undefined);
    } catch (error) {
      if (isNotFound(error)) return await unchanged();
      throw asProblem(error);
    }
    return { ...(await this.runs.status(id)), changed: true };
  }

  async isCallback(id: string, address: string, token: string): Promise<boolean> {
    return await isCallbackToken(this.client, this.config, { run: await this.uniqueId(id), address, token });
  }

  /** The unique id of a run. Only the runs of a key have another one than their id. */
  private async uniqueId(id: string): Promise<string> {
    if (!id.includes('/')) return id;
    const description = await this.runs
      .describe(id)
      .catch((error) => (isRunUnknown(error) ? undefined : Promise.reject(error)));
    return uniqueRunId({ id, ...nonceOf(description?.memo?.journey as RunMemo | undefined) });
  }

  async list(query: ListRuns): Promise<{ items: RunView[]; nextPageToken?: string }> {
    return await listRuns(this.client, query, this.access).catch((error) => Promise.reject(asProblem(error)));
  }

  async count(query: RunFilter): Promise<RunCounts> {
    return await countRuns(this.client, query, this.access).catch((error) => Promise.reject(asProblem(error)));
  }

  async waiting(query: ListRuns): Promise<WaitingRuns> {
    const listed = listWaiting(this.client, query, this.access);
    const { infos, ...more } = await listed.catch((error) => Promise.reject(asProblem(error)));
    const answers = await mapConcurrently(infos, queriesAtOnce, async (info): Promise<WaitingRun | undefined> => {
      // One that cannot be decrypted here does not prevent listing the others.
      const run = await this.runs.ownView(info).catch(() => undefined);
      return run && { run, hash: (info.memo?.journey as RunMemo | undefined)?.definition ?? '' };
    });
    const answered = answers.filter((it) => it !== undefined);
    const items = answered.filter(({ run }) => run.steps.length > 0);
    return { items, unanswered: answers.length - answered.length, ...more };
  }

  async blocked(): Promise<readonly BlockedRun[]> {
    const found = await failingRuns(this.client).catch((error) => Promise.reject(asProblem(error)));
    return found.map(({ id, journey, attempt }) => ({ journeyId: id, journeyName: journey, attempt }));
  }

  async definition(id: string): Promise<LibraryEntry> {
    const { definition: hash } = ((await this.runs.describe(id)).memo?.journey ?? {}) as RunMemo;
    return { definition: (await this.input(id)).definition, hash };
  }

  async trail(id: string, request: ReadTrail, admit?: Admit): Promise<RunTrail> {
    return await this.trails.read(await this.admitted(id, admit), request);
  }

  async visitContext(id: string, n: number, admit?: Admit): Promise<VisitContext> {
    return await this.trails.context(await this.admitted(id, admit), n);
  }

  private async admitted(id: string, admit: Admit | undefined): Promise<DescribedExecution> {
    const description = await this.runs.describe(id);
    if (admit) await this.runs.guard(id, description, admit);
    return description;
  }

  async rerun(request: RerunRequest): Promise<RerunResult> {
    const description = await this.runs.describe(request.id);
    if (description.status.name === 'RUNNING')
      refuse('RESULT_NOT_READY', 'Only a run that has ended can be rerun.', { hint: 'Cancel it first.' });
    const outcome = await this.runs.outcome(request.id, description);
    const earlier = request.unlessRerun && (await this.newestRerun(description));
    return earlier || (await startRerun(this.client, this.config, { description, outcome }, request));
  }

  /** The newest rerun of a run that has ended. An earlier run of the same key may have others. */
  private async newestRerun({ workflowId, closeTime }: WorkflowExecutionDescription): Promise<RerunResult | undefined> {
    const { items } = await this.list({
      tags: [],
      attributes: { [rerunOf]: workflowId },
      ...(closeTime && { startedFrom: closeTime.toISOString() }),
      pageSize: 10,
    });
    const id = items[0]?.journeyId;
    if (id === undefined) return undefined;
    const description = await this.runs.describe(id);
    const { start = '' } = (description.memo?.journey ?? {}) as Partial<RunMemo>;
    return { run: describedView(description), state: start, repeated: true };
  }

  async migrate(id: string, to: LibraryEntry): Promise<MigratedRun> {
    const description = await this.runs.describe(id);
    const from = describedView(description).journeyVersion;
    if (description.status.name !== 'RUNNING')
      refuse('MIGRATION_NOT_POSSIBLE', 'The run has ended.', {
        hint: 'Retry or reset it with the current definition.',
      });
    const changed = await migrateRun(this.client, this.config, description, to);
    return { run: await this.runs.status(id), from, changed };
  }

  /** The input of a run, with its definition. */
  async input(id: string): Promise<JourneyInput> {
    const { runId } = await this.runs.describe(id);
    const source = readBindingSource(this.client, { workflowId: id, runId }, this.config.temporal.taskQueue);
    return (await source.catch((error) => Promise.reject(asProblem(error)))).input;
  }
}

/** Submits steps to runs. */
class StepSubmitter {
  constructor(
    private readonly runs: RunReader,
    private readonly config: Config,
    private readonly requests: KeptRequests | undefined,
  ) {}

  async submit(request: SubmitStep): Promise<SubmittedRun> {
    const { id, headers, caller, admit } = request;
    // Signatures and bindings belong to the step, whichever item it is in.
    const { stepId } = partsOfAddress(request.stepId);
    const description = await this.runs.describe(id);
    const memo = description.memo?.journey as RunMemo | undefined;
    const signature = own(memo?.signatures as Json | undefined, stepId) as Signature | undefined;
    if (signature) this.checkSignature(signature, { headers, body: request.body ?? new Uint8Array() });
    const inbound = submittedRequest(request);
    const binding = own(memo?.steps as Json | undefined, stepId) as InboundBinding | undefined;
    const incoming = { run: id, caller, inbound: memo?.requests && inbound, binding };
    const run = await withRequest(this.requests, incoming, (kept) =>
      this.submitTo(description, request, {
        ...stepRequest(memo?.steps ?? {}, stepId, inbound),
        ...(kept && { request: kept }),
      }),
    );
    // The submission was accepted, so a guard that cannot be evaluated does not fail it, but denies access to the run.
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
    request: SubmitStep,
    more: StepRequest,
  ): Promise<SubmittedRun> {
    const { id, early } = request;
    const submission = submissionOf(request, more);
    const { key, hash, dropRepeats } = submission;
    checkSize(submission);
    // The server itself answers an update whose id it knows; a repeated delivery is to be recognised by the run.
    const updateId = key === undefined || dropRepeats ? randomUUID() : payloadHash([key, hash ?? null]);
    try {
      const view = await this.runs.within(updateMs, () =>
        untilProcessed(() =>
          this.runs.handle(id).executeUpdate<StepView, [StepSubmission]>(names.submitStep, {
            args: [submission],
            updateId,
          }),
        ),
      );
      const whole = lacksOutcome(view) ? await this.runs.status(id) : undefined;
      const { working, ...seen } = view;
      return { ...describedView(description), ...seen, resting: working !== true, ...whole };
    } catch (error) {
      if (isNotFound(error)) {
        const before = key === undefined ? undefined : await this.answered(id, key, early);
        if (before) {
          if (dropRepeats) refuse('DELIVERY_REPEATED');
          if (before.hash === hash) return { ...describedView(description), ...before.view };
          refuse('IDEMPOTENCY_KEY_REUSED', 'The key was used with another step or body.');
        }
        if (early) refuse('RUN_UNKNOWN', 'The run has ended.');
        refuse('STEP_NOT_ACTIVE', 'The journey has ended.');
      }
      // The submission was accepted before the run was ended.
      if (endedDuringUpdate(error)) return { ...(await this.runs.status(id)), projection: {} };
      if (isUnanswered(error))
        refuse('RUN_UNRESPONSIVE', 'No worker accepted the submission in time; it may still be accepted.');
      if (isUnprocessedUpdate(error)) refuse('RUN_UNRESPONSIVE', 'No worker processed the submission.');
      if (missingKeyReason(error) && (await this.isTaken(id, updateId)))
        return { ...(await this.runs.seen(id, error)), projection: {} };
      throw asProblem(error);
    }
  }

  /** Reports whether a run accepted an update. */
  private async isTaken(workflowId: string, updateId: string): Promise<boolean> {
    const { namespace } = this.runs.client.options;
    const updateRef = { workflowExecution: { workflowId }, updateId };
    const asked = this.runs.client.workflowService.pollWorkflowExecutionUpdate({ namespace, updateRef });
    // A rejected update leaves no event.
    const answer = await asked.catch((error) => (isNotFound(error) ? undefined : Promise.reject(asProblem(error))));
    return answer?.outcome?.success != null;
  }

  /** Rejects a request that is not signed with one of the step's secrets. */
  checkSignature(signature: Signature, request: SignedRequest): void {
    const secret = secretReader(this.config.secrets);
    const keys = signature.secretRefs.map((ref) => secret(ref).reveal());
    if (!isSigned(signature, keys, request, new Date())) refuse('SIGNATURE_INVALID');
  }

  /** The answer of an ended run to a step's key; undefined if there is none, or, unless it must be certain, if the run does not respond. */
  private async answered(id: string, key: string, certainly = false): Promise<KeyedAnswer | undefined> {
    const asked = this.runs.within(queryMs, () =>
      this.runs.handle(id).query<KeyedAnswer | null, [string]>(names.answer, key),
    );
    const answer = await asked.catch((error) => {
      // What was delivered already must not start another run.
      if (certainly && !isNotFound(error)) refuse('RUN_UNRESPONSIVE', 'No worker responded in time.');
    });
    return answer ?? undefined;
  }
}

function nonceOf(memo: Pick<RunMemo, 'nonce'> | undefined): Pick<RunMemo, 'nonce'> {
  return memo?.nonce === undefined ? {} : { nonce: memo.nonce };
}

/** Timeout for a worker to replay the run. */
const answerMs = 20_000;

/** Migrates a run to another version of its journey. Returns false if it already has that version. */
async function migrateRun(
  client: Client,
  config: Config,
  description: WorkflowExecutionDescription,
  to: LibraryEntry,
): Promise<boolean> {
  const { workflowId } = description;
  const { definition } = to;
  const { journeyName, journeyVersion } = describedView(description);
  const memo = description.memo?.journey as RunMemo | undefined;
  if (journeyVersion === definition.version && memo?.definition === to.hash) return false;
  if (journeyName !== definition.name)
    refuse('MIGRATION_NOT_POSSIBLE', `The run belongs to the journey ${journeyName}.`);
  const problem = configProblem(definition, config.platform);
  if (problem) throw new ProblemError(problem);
  const callbacks = await callbackUrls(client, config, { id: workflowId, ...nonceOf(memo) }, definition);
  const move: RunMigration = {
    definition,
    config: declaredConfig(definition, config.platform),
    ...(callbacks && { callbacks }),
    memo: migratedMemo(memo ?? {}, to) as unknown as RunMigration['memo'],
  };
  checkSize(move);
  try {
    const handle = client.workflow.getHandle(workflowId);
    await client.withDeadline(Date.now() + answerMs, () =>
      handle.executeUpdate<void, [RunMigration]>(names.migrate, { args: [move] }),
    );
    return true;
  } catch (error) {
    if (isNotFound(error)) refuse('MIGRATION_NOT_POSSIBLE', 'The run has ended.', { hint: 'Retry or reset it.' });
    if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker responded in time; the run may still be migrated.');
    throw asProblem(error);
  }
}

/** Sends an update again if no worker has processed it. */
export async function untilProcessed<T>(send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (!isUnprocessedUpdate(error) || tries >= mostTries) throw error;
      await delay(retryMs);
    }
  }
}
