import type { Client } from '@temporalio/client';
import type { JourneyInput } from '../../workflows/input.js';
import type { Config } from '../config/config.js';
import type { Outcome } from '../engine/outcome.js';
import { refuse } from '../problems/problem.js';
import { type Access, everything } from '../service/access.js';
import type { LibraryEntry } from '../service/library.js';
import type { KeptRequests } from '../service/requests.js';
import type { GoAgain, GoneAgain, MovedRun } from '../service/run-again.js';
import type { HistoryLine, RunHistory } from '../service/run-history.js';
import type { Admit, ListRuns, Runs, RunView, StartRun, SubmitStep, SubmittedRun } from '../service/runs.js';
import { isCallbackToken } from './callbacks.js';
import { asProblem, isNotFound } from './failures.js';
import { listRuns } from './list-runs.js';
import { goAgain } from './run-again.js';
import { followRun, runHistory } from './run-history.js';
import { moveRun } from './run-move.js';
import { RunReader } from './run-reader.js';
import { RunStarter } from './run-start.js';
import { StepSubmitter } from './run-submit.js';
import { readSource } from './schedules/action.js';
import { describedView } from './views.js';

const cancelMs = 10_000;

/** Journeys on Temporal, for the gateway. */
export class TemporalRuns implements Runs {
  private readonly runs: RunReader;
  private readonly submitter: StepSubmitter;

  constructor(
    private readonly client: Client,
    private readonly config: Config,
    /** Keeps requests for the runs that look at them; without it there are none to look at. */
    private readonly requests?: KeptRequests,
    private readonly access: Access = everything('journeyman'),
    // What a caller starts is its own, also when a key stands for a run from before owners were recorded: a starter reaches all runs.
    private readonly starter = new RunStarter(new RunReader(client, everything('journeyman')), config, requests),
  ) {
    this.runs = new RunReader(client, access);
    this.submitter = new StepSubmitter(this.runs, config, requests);
  }

  as(access: Access): TemporalRuns {
    return new TemporalRuns(this.client, this.config, this.requests, access, this.starter);
  }

  async start(request: StartRun): Promise<RunView> {
    return await this.starter.start(request);
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

  async cancel(id: string, admit?: Admit): Promise<RunView & { changed: boolean }> {
    const description = await this.runs.describe(id);
    // The answer tells the run's status: whoever may not read that cancels nothing.
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

  async isCallback(id: string, stepId: string, token: string): Promise<boolean> {
    return await isCallbackToken(this.client, this.config, { id, stepId, token });
  }

  async list(query: ListRuns): Promise<{ items: RunView[]; nextPageToken?: string }> {
    return await listRuns(this.client, query, this.access).catch((error) => Promise.reject(asProblem(error)));
  }

  async history(id: string, limit: number): Promise<RunHistory> {
    const { runId } = await this.runs.describe(id);
    return await runHistory(this.client, id, runId, limit);
  }

  async again(request: GoAgain): Promise<GoneAgain> {
    const description = await this.runs.describe(request.id);
    if (description.status.name === 'RUNNING')
      refuse('RESULT_NOT_READY', 'Only a run that has ended can be gone on with.', { hint: 'Cancel it first.' });
    const outcome = await this.runs.outcome(request.id, description);
    return await goAgain(this.client, this.config, { description, outcome }, request);
  }

  async move(id: string, to: LibraryEntry): Promise<MovedRun> {
    const description = await this.runs.describe(id);
    const from = describedView(description).journeyVersion;
    if (description.status.name !== 'RUNNING')
      refuse('MOVE_NOT_POSSIBLE', 'The run has ended.', { hint: 'Retry or reset it, by the current definition.' });
    const changed = await moveRun(this.client, this.config, description, to);
    return { run: await this.runs.status(id), from, changed };
  }

  /** The history of a run as it happens, until it has ended. */
  async *follow(id: string): AsyncGenerator<HistoryLine> {
    const { runId } = await this.runs.describe(id);
    yield* followRun(this.client, id, runId);
  }

  /** What a run was started with: its definition above all. */
  async input(id: string): Promise<JourneyInput> {
    const { runId } = await this.runs.describe(id);
    const source = readSource(this.client, { workflowId: id, runId }, this.config.temporal.taskQueue);
    return (await source.catch((error) => Promise.reject(asProblem(error)))).input;
  }
}
