import { randomUUID } from 'node:crypto';
import { FileAudit } from '../app/audit.js';
import type { Output } from '../app/terminal.js';
import type { JsonObject } from '../json/value.js';
import { readLibrary } from '../library/library.js';
import { type Audit, type AuditEntry, type AuditEvent, mainOrchestrator } from '../service/audit.js';
import type { Library } from '../service/library.js';
import { orchestratorsOf } from '../service/orchestrators.js';
import type { RunView } from '../service/runs.js';
import { Starts } from '../service/start.js';
import { connect } from '../temporal/connection.js';
import { type RunReport, runReport } from '../temporal/run-report.js';
import { TemporalRuns } from '../temporal/runs.js';
import { type Questions, terminalQuestions } from './form.js';
import { whoami } from './operator.js';
import { configOf } from './options.js';

/** What `journeyman run` works with. */
export interface RunTools {
  readonly runs: Pick<
    TemporalRuns,
    'start' | 'again' | 'move' | 'status' | 'result' | 'submit' | 'cancel' | 'list' | 'history' | 'follow' | 'input'
  >;
  readonly starts: Starts;
  readonly audit: Audit;
  report(id: string): Promise<RunReport>;
  library(): Promise<Library>;
  close(): Promise<void>;
}

/** Where the command prints and asks, and what it talks to; for tests. */
export interface RunParts {
  readonly out: Output;
  readonly errors: Output;
  readonly questions: Questions;
  open(options: { config?: string; format?: string }): Promise<RunTools>;
}

/** The Temporal service itself, as `schedule` does: no gateway is needed. */
export const runParts: RunParts = {
  out: process.stdout,
  errors: process.stderr,
  questions: terminalQuestions,
  async open(options) {
    const config = configOf(options);
    const { client, close } = await connect(config, { timeoutMs: 5_000 });
    const runs = new TemporalRuns(client, config);
    const error = (_: unknown, said?: string) => void process.stderr.write(`${said}\n`);
    return {
      runs,
      starts: new Starts(config.platform, config.limits.metadata),
      audit: new FileAudit(orchestratorsOf(config), { info: () => undefined, error }),
      report: (id) => runReport(client, runs, id),
      library: () => readLibrary(config),
      close,
    };
  },
};

/** Writes down what somebody at a terminal did to a run. */
export async function told(
  audit: Audit,
  event: AuditEvent,
  { id, journeyName }: Pick<RunView, 'id' | 'journeyName'>,
  more: Pick<AuditEntry, 'before' | 'after'> & { detail?: JsonObject } = {},
): Promise<void> {
  await audit.record({
    event,
    orchestratorId: mainOrchestrator,
    executionId: id,
    by: { caller: whoami() },
    requestId: randomUUID(),
    ...more,
    detail: { journeyName, ...more.detail },
  });
}
