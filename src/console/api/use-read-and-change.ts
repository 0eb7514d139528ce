import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { apiUrl, type RequestFailed, type RequestOptions, request } from './client.js';
import type { DefinitionList } from './definition-types.js';

/** How often lists and pages ask again while they are visible. */
export const refreshMs = 5_000;

interface ReadOptions {
  /** False does not ask yet. */
  readonly when?: boolean;
  /** False asks once. */
  readonly refresh?: number | false;
  /** Shows the previous answer until the next one arrives, for lists whose filters change. */
  readonly keep?: boolean;
}

/** Reads a path of the HTTP API, and again while the page is visible. */
export function useRead<T>(path: string, { when = true, refresh = refreshMs, keep = false }: ReadOptions = {}) {
  return useQuery<T, RequestFailed>({
    queryKey: [path],
    queryFn: ({ signal }) => request<T>(path, { signal }),
    enabled: when,
    refetchInterval: refresh,
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

/** Whether the reader is an operator; undefined while unknown. Only operators see files with errors. */
export function useIsOperator(): boolean | undefined {
  const list = useRead<DefinitionList>(apiUrl`/definitions`, { refresh: false });
  return list.data && list.data.brokenFiles !== undefined;
}

interface Change extends Pick<RequestOptions, 'body' | 'requestId'> {
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
}

/** Changes something; afterwards everything visible is read again. */
export function useChange<T = unknown>() {
  const client = useQueryClient();
  return useMutation<T, RequestFailed, Change>({
    mutationFn: ({ path, method = 'POST', ...options }) => request<T>(path, { method, ...options }),
    // Not awaited: what the caller does with the answer must not depend on how the page looks afterwards.
    onSettled: () => void client.invalidateQueries(),
  });
}
