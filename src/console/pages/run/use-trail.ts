import { useEffect, useState } from 'react';
import { apiUrl, RequestFailed, request, withQuery } from '../../api/client.js';
import type { TrailItem, TrailPage } from '../../api/run-types.js';

/** The trail of a run as far as it is known here. */
export interface TrailState {
  readonly entries: readonly TrailItem[];
  readonly latest?: Omit<TrailPage, 'entries'>;
  readonly error?: RequestFailed;
}

/** Seconds for which the gateway holds a request until something changes. */
const waitSec = 25;
const pauseMs = 3_000;
const pageSize = 1000;
/** A longer trail is cut here; the page says so. */
const mostPages = 10;

/** Reads the trail of a run and follows it until the run ends. The gateway watches the history; the run is not queried. */
export function useTrail(journeyId: string): TrailState {
  const [state, setState] = useState<TrailState>({ entries: [] });
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const found = new Map<number, TrailItem>();
    const path = apiUrl`/journeys/${journeyId}/trail`;

    const read = async (query: Record<string, string | number>): Promise<TrailPage> => {
      const { entries, ...latest } = await request<TrailPage>(withQuery(path, { pageSize, ...query }), { signal });
      for (const entry of entries) found.set(entry.n, entry);
      const sorted = [...found.values()].sort((a, b) => a.n - b.n);
      // A long poll without news must not draw the page again.
      setState((before) => (entries.length === 0 && before.latest ? before : { entries: sorted, latest }));
      return { entries, ...latest };
    };

    const follow = async (): Promise<void> => {
      let page = await read({});
      for (let count = 1; page.nextPageToken !== undefined && count < mostPages; count++) {
        page = await read({ pageToken: page.nextPageToken });
      }
      while (page.phase === 'RUNNING' && !signal.aborted) {
        page = await read({ after: page.cursor, waitSec }).catch(async (error: RequestFailed) => {
          if (signal.aborted || (error instanceof RequestFailed && error.problem.status < 500)) throw error;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
          return page;
        });
      }
    };

    follow().catch((error) => {
      if (!signal.aborted && error instanceof RequestFailed) setState((before) => ({ ...before, error }));
    });
    return () => abort.abort();
  }, [journeyId]);
  return state;
}
