import { appendFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Audit, AuditEntry } from '../../service/audit/audit-interface.js';
import type { Orchestrators } from '../../service/orchestrators.js';

const fileName = 'audit.jsonl';
const rotatedName = /^audit-.+\.jsonl$/;

/** The process log, which shows events and errors too. */
export type AuditLog = Pick<Logger, 'info' | 'error'>;

export interface AuditOptions {
  /** The size from which a file is rotated. */
  readonly rotateBytes?: number;
  /** The number of rotated files to keep. */
  readonly keep?: number;
  readonly now?: () => Date;
}

/**
 * The audit log of each orchestrator: JSON lines in `automation/audit.jsonl` below its root. Several processes may write to it: each line is
 * appended whole, and a full file is renamed with the time. On write errors the entry goes to the process log.
 */
export class FileAudit implements Audit {
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly orchestrators: Pick<Orchestrators, 'get'>,
    private readonly log: AuditLog,
    private readonly options: AuditOptions = {},
  ) {}

  async record(entry: AuditEntry): Promise<void> {
    const { now = () => new Date() } = this.options;
    const line = { at: now().toISOString(), ...entry };
    const { before: _before, after: _after, ...brief } = line;
    this.log.info(brief, entry.event);
    // One after another, so that lines are in order.
    const mine = this.#last.then(() => this.#write(line));
    this.#last = mine;
    await mine;
  }

  async #write(line: AuditEntry & { at: string }): Promise<void> {
    try {
      const folder = join(this.orchestrators.get(line.orchestratorId).root, 'automation');
      await mkdir(folder, { recursive: true });
      await this.#rotate(folder, line.at);
      await appendFile(join(folder, fileName), `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch (error) {
      this.log.error({ err: error, audit: line }, 'The audit log cannot be written');
    }
  }

  async #rotate(folder: string, at: string): Promise<void> {
    const { rotateBytes = 5_000_000, keep = 20 } = this.options;
    const path = join(folder, fileName);
    const size = await stat(path).then(
      (it) => it.size,
      () => 0,
    );
    if (size < rotateBytes) return;
    // Another process may have rotated it just now.
    await rename(path, join(folder, `audit-${at.replaceAll(':', '-')}.jsonl`)).catch(() => undefined);
    const rotated = (await readdir(folder)).filter((name) => rotatedName.test(name)).sort();
    for (const name of rotated.slice(0, -keep)) await rm(join(folder, name), { force: true });
  }
}
