import { userInfo } from 'node:os';
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
