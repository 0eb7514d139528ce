import { useSyncExternalStore } from 'react';

const key = 'journeyman.credential';
const listeners = new Set<() => void>();
const changes = new Set<() => void>();
let refused = false;

/** The API key or token of this tab. It is kept in the tab's session storage and sent to this gateway only. */
export const session = {
  credential(): string | undefined {
    return sessionStorage.getItem(key) ?? undefined;
  },
  signIn(credential: string): void {
    sessionStorage.setItem(key, credential);
    change();
  },
  signOut(): void {
    sessionStorage.removeItem(key);
    change();
  },
  /** Calls back when the credential changes. */
  onChange(listener: () => void): void {
    changes.add(listener);
  },
  /** The gateway rejected the credential. */
  refuse(): void {
    if (refused) return;
    refused = true;
    notify();
  },
};

function change(): void {
  refused = false;
  for (const listener of changes) listener();
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

type SessionState = 'signed-out' | 'signed-in' | 'refused';

/** Whether this tab has a credential, and whether the gateway accepts it. */
export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (refused ? 'refused' : session.credential() === undefined ? 'signed-out' : 'signed-in'),
  );
}
