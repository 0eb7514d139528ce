import { userInfo } from 'node:os';
import { FileAudit } from '../app/telemetry/audit-file.js';
import type { Config } from '../config/config-types.js';
import type { Audit } from '../service/audit/audit-interface.js';
import { orchestratorsOf } from '../service/orchestrators.js';

/** The user of the terminal, as recorded in audit logs and notes. */
export function terminalUser(): string {
  try {
    return `${userInfo().username} (CLI)`;
  } catch {
    // A container may have no name for its user.
    return 'CLI';
  }
}

/** The audit log for commands; only its errors are printed. */
export function terminalAudit(config: Config): Audit {
  const error = (_: unknown, said?: string) => void process.stderr.write(`${said}\n`);
  return new FileAudit(orchestratorsOf(config), { info: () => undefined, error });
}
