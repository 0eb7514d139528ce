import { refuse } from '../../src/base/problems/problem.js';
import { formatInstant } from '../../src/base/time/instant.js';
import { readCadence } from '../../src/schedules/cadence/cadence-json.js';
import { describeCadence } from '../../src/schedules/cadence/describe-cadence.js';
import { enumerate } from '../../src/schedules/cadence/occurrences.js';
import type { Envelope, ExecutionPhase } from '../../src/schedules/jobs/dispatch-envelope.js';
import type { JobRecord } from '../../src/schedules/jobs/job-record.js';
import { emptyAccount } from '../../src/schedules/occurrence-counts.js';
import type {
  Dispatcher,
  JobRun,
  Jobs,
  JobView,
  ListJobs,
  NamedJob,
  NewJob,
} from '../../src/service/jobs-interface.js';
import type { Page } from '../../src/service/schedules-interface.js';

/** An in-memory implementation of the jobs port; jobs never fire. */
export class MemoryJobs implements Jobs {
  readonly records = new Map<string, JobRecord>();
  readonly triggered: { jobId: string; requestId: string }[] = [];
  readonly listed: ListJobs[] = [];
  /** Jobs that were changed with external tools. */
  readonly drifted = new Set<string>();
  readonly notes = new Map<string, string>();
  /** Called between a writer's read and write of the record, so that another writer can interfere. */
  meanwhile: (() => void) | undefined;

  constructor(private readonly now: () => number) {}

  async create(job: NewJob, key: string): Promise<JobView> {
    const there = this.records.get(job.jobId);
    if (!there)
      this.records.set(job.jobId, { ...job, changes: [key], account: { ...emptyAccount(this.now()), coalesced: 0 } });
    return this.view(this.records.get(job.jobId)!);
  }
  async list(query: ListJobs) {
    this.listed.push(query);
    const items = [...this.records.values()]
      .filter(({ orchestratorId }) => orchestratorId === query.orchestratorId)
      .filter(({ state }) => (query.state === undefined ? state !== 'deleted' : state === query.state))
      .map((record) => this.view(record));
    return { items };
  }
  async named(orchestratorId: string, wanted: (job: NamedJob) => boolean): Promise<NamedJob[]> {
    return [...this.records.values()]
      .filter((it) => it.orchestratorId === orchestratorId && it.state !== 'deleted')
      .map(({ schedule, targetAction, ...job }) => ({ ...job, ...(wanted(job) && { schedule, targetAction }) }));
  }
  async show(orchestratorId: string, jobId: string): Promise<JobView> {
    return this.view(this.find(orchestratorId, jobId));
  }
  async change(
    orchestratorId: string,
    jobId: string,
    decide: (record: JobRecord) => JobRecord | undefined,
    by?: string,
  ) {
    let record = this.find(orchestratorId, jobId);
    let next = decide(record);
    if (this.meanwhile) {
      this.meanwhile();
      this.meanwhile = undefined;
      record = this.find(orchestratorId, jobId);
      next = decide(record);
    }
    if (next) this.records.set(jobId, next);
    if (next) this.notes.set(jobId, `${next.state} by ${by}`);
    return { ...this.view(next ?? record), changed: next !== undefined };
  }
  async repair(orchestratorId: string, jobId: string) {
    return { ...this.view(this.find(orchestratorId, jobId)), changed: this.drifted.delete(jobId) };
  }
  async runNow(orchestratorId: string, jobId: string, requestId: string) {
    this.find(orchestratorId, jobId);
    this.triggered.push({ jobId, requestId });
    return { executionId: `${jobId}-now-${requestId}` };
  }
  async runs(orchestratorId: string, jobId: string, _page: Page) {
    const { createdAt } = this.find(orchestratorId, jobId);
    const items: JobRun[] = [
      {
        executionId: `${jobId}-1`,
        jobId,
        orchestratorId,
        origin: 'schedule',
        triggeredAt: createdAt,
        phase: 'done',
        startedAt: createdAt,
        endedAt: createdAt,
        result: {
          outcome: 'failed',
          reason: { code: 'ACCESS_DENIED', message: 'The orchestrator may not use this.' },
          occurrences: [{ first: createdAt, last: createdAt, count: 1, reason: 'run' }],
        },
        journeyId: null,
      },
    ];
    return { items };
  }

  private find(orchestratorId: string, jobId: string): JobRecord {
    const record = this.records.get(jobId);
    return record?.orchestratorId === orchestratorId ? record : refuse('JOB_UNKNOWN');
  }

  private view({ changes: _, account: __, writtenUntil: ___, ...record }: JobRecord): JobView {
    const { cadence } = readCadence(record.schedule, { now: this.now(), allowPast: true });
    const next = record.state === 'enabled' ? enumerate(cadence!, this.now(), { count: 3 }).map(formatInstant) : [];
    return {
      ...record,
      nextRunAt: next[0] ?? null,
      lastRunAt: null,
      lastResult: null,
      cadence: describeCadence(cadence!),
      note: this.notes.get(record.jobId) ?? '',
      nextRuns: next,
      activeRuns: [],
      occurrences: { ran: 0, missed: 0, overlapped: 0, coalesced: 0 },
      drift: this.drifted.has(record.jobId) ? ['Temporal will start it at noon.'] : [],
    };
  }
}

/** An in-memory queue whose entries are never processed. */
export class MemoryDispatcher implements Dispatcher {
  readonly envelopes = new Map<string, Envelope>();

  async dispatch(envelope: Envelope) {
    const { executionId } = envelope;
    if (!this.envelopes.has(executionId)) this.envelopes.set(executionId, envelope);
    return { executionId };
  }
  async queue({ orchestratorId, phase }: Page & { orchestratorId?: string; phase?: ExecutionPhase }) {
    const items = [...this.envelopes.values()].map(runOf);
    return {
      items: items.filter(
        (it) => it.orchestratorId === (orchestratorId ?? it.orchestratorId) && it.phase === (phase ?? it.phase),
      ),
    };
  }
  async show(orchestratorId: string, executionId: string) {
    const envelope = this.envelopes.get(executionId);
    if (envelope?.orchestratorId !== orchestratorId) return refuse('EXECUTION_UNKNOWN');
    return { ...runOf(envelope), output: null };
  }
  async workers() {
    return [{ identity: 'worker-1', lastHeartbeatAt: '2030-01-01T00:00:00.000Z' }];
  }
}

function runOf({ executionId, jobId, orchestratorId, origin, triggeredAt, targetAction }: Envelope): JobRun {
  return {
    executionId,
    jobId,
    orchestratorId,
    origin,
    triggeredAt,
    phase: 'incoming',
    startedAt: triggeredAt,
    endedAt: null,
    result: null,
    journeyId: targetAction.type === 'workflow_start' ? `${executionId}/journey` : null,
  };
}
