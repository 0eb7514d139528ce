import { type FSWatcher, watch } from 'node:fs';
import { signatureOf } from './files.js';

/** Editors write a file in several steps. */
const settleMs = 40;
const pollMs = 500;

/** Calls `changed` shortly after something below the folders has changed; where the machine cannot tell, it looks every half second. */
export function watchFolders(paths: readonly string[], changed: () => void): { close(): void } {
  let settling: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(settling);
    settling = setTimeout(changed, settleMs);
  };
  const watchers: FSWatcher[] = [];
  const polls: NodeJS.Timeout[] = [];
  const poll = (path: string) => {
    let before: string | undefined;
    polls.push(
      setInterval(async () => {
        const now = await signatureOf([path]);
        if (before !== undefined && before !== now) soon();
        before = now;
      }, pollMs),
    );
  };
  for (const path of new Set(paths)) {
    try {
      const watcher = watch(path, { recursive: true }, soon);
      // For example when the machine has too many watchers already.
      watcher.once('error', () => {
        watcher.close();
        poll(path);
      });
      watchers.push(watcher);
    } catch {
      poll(path);
    }
  }
  return {
    close: () => {
      clearTimeout(settling);
      for (const watcher of watchers) watcher.close();
      for (const timer of polls) clearInterval(timer);
    },
  };
}
