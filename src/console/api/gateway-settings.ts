import { useQuery } from '@tanstack/react-query';
import { type RequestFailed, request } from './client.js';

/** Public settings of the gateway that the console needs. */
export interface ConsoleSettings {
  readonly authentication: boolean;
  readonly signIn?: { readonly issuer: string; readonly clientId: string; readonly scope: string };
  readonly temporalUi?: string;
}

/** The key of the settings among the answers that are kept. */
export const settingsKey = 'settings';

/** The settings of this gateway. */
export function useSettings() {
  return useQuery<ConsoleSettings, RequestFailed>({
    queryKey: [settingsKey],
    queryFn: () => request<ConsoleSettings>('/console/settings.json'),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
