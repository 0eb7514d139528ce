import { userInfo } from 'node:os';
import { FileAudit } from '../app/audit.js';
import type { Config } from '../config/config.js';
import type { Audit } from '../service/audit.js';
import { orchestratorsOf } from '../service/orchestrators.js';
import type { Page } from '../service/schedules.js';

const largestPage = 200;

/** The first `limit` items, from as many pages as it takes. */
export async function upTo<T>(
  limit: number,
  read: (page: Page) => Promise<{ items: T[]; nextPageToken?: string }>,
): Promise<{ items: T[]; more: boolean }> {
  const found: T[] = [];
  let pageToken: string | undefined;
  do {
    const pageSize = Math.min(largestPage, limit - found.length);
    const page = await read({ pageSize, ...(pageToken !== undefined && { pageToken }) });
    found.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && found.length < limit);
  return { items: found, more: pageToken !== undefined };
}

/** Who is at the terminal, for whoever asks who did it. */
export function whoami(): string {
  try {
    return `${userInfo().username} (CLI)`;
  } catch {
    // A container may have no name for its user.
    return 'CLI';
  }
}

/** The audit log, where a terminal writes to it; the terminal itself is told only what goes wrong. */
export function terminalAudit(config: Config): Audit {
  const error = (_: unknown, said?: string) => void process.stderr.write(`${said}\n`);
  return new FileAudit(orchestratorsOf(config), { info: () => undefined, error });
}
