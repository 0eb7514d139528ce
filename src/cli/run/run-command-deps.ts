import { randomUUID } from 'node:crypto';
import type { Output } from '../../app/safe-terminal-text.js';
import { FileAudit } from '../../app/telemetry/audit-file.js';
import type { JsonObject } from '../../base/json/value.js';
import { readLibrary } from '../../library/read-library.js';
import { type Audit, type AuditEntry, type AuditEvent, mainOrchestrator } from '../../service/audit/audit-interface.js';
import type { Library } from '../../service/library-interface.js';
import { orchestratorsOf } from '../../service/orchestrators.js';
import { Starts } from '../../service/prepare-start-with-ajv.js';
import type { RunView } from '../../service/runs-interface.js';
import { connect } from '../../temporal/connection.js';
import { type RunReport, runReport } from '../../temporal/runs/run-diagnostics.js';
import { TemporalRuns } from '../../temporal/runs/temporal-runs.js';
import { configOf } from '../options.js';
import { terminalUser } from '../terminal-user-and-audit.js';
import { type Questions, terminalQuestions } from './ask-for-body.js';

/** Services that `journeyman run` uses. */
export interface RunTools {
  readonly runs: Pick<
    TemporalRuns,
    'start' | 'rerun' | 'migrate' | 'status' | 'result' | 'submit' | 'cancel' | 'list' | 'trail' | 'input'
  >;
  readonly starts: Starts;
  readonly audit: Audit;
  report(id: string): Promise<RunReport>;
  library(): Promise<Library>;
  close(): Promise<void>;
}

/** Output, prompts and services of the command; replaced in tests. */
export interface RunCommandDeps {
  readonly out: Output;
  readonly errors: Output;
  readonly questions: Questions;
  open(options: { config?: string; format?: string }): Promise<RunTools>;
}

/** The real dependencies. Connects to Temporal directly; no gateway is needed. */
export const runCommandDeps: RunCommandDeps = {
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

/** Records a change to a run in the audit log. */
export async function auditRun(
  audit: Audit,
  event: AuditEvent,
  { journeyId, journeyName }: Pick<RunView, 'journeyId' | 'journeyName'>,
  more: Pick<AuditEntry, 'before' | 'after'> & { detail?: JsonObject } = {},
): Promise<void> {
  await audit.record({
    event,
    orchestratorId: mainOrchestrator,
    executionId: journeyId,
    by: { caller: terminalUser() },
    requestId: randomUUID(),
    ...more,
    detail: { journeyName, ...more.detail },
  });
}
