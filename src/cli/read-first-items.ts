import type { Page } from '../service/schedules-interface.js';

const largestPage = 200;

/** Reads pages until it has `limit` items. */
export async function firstItems<T>(
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
