import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { signatureOf } from './find-files.js';

/** Editors write a file in several steps; events within this time are one change. */
const settleMs = 40;
const pollMs = 500;

/**
 * Calls `changed` with the changed files below these folders, or beside these files, shortly after a change. Changes during a call are
 * passed to the next one.
 */
export function watchPaths(
  paths: readonly string[],
  changed: (files: readonly string[]) => Promise<void>,
): { close(): void } {
  const files = new Set<string>();
  let [settling, telling]: [NodeJS.Timeout | undefined, boolean] = [undefined, false];
  const tell = async () => {
    if (telling) return;
    telling = true;
    while (files.size > 0) {
      const those = [...files];
      files.clear();
      await changed(those);
    }
    telling = false;
  };
  const watcher = new Watcher((file) => {
    files.add(file);
    clearTimeout(settling);
    settling = setTimeout(() => void tell(), settleMs);
  });
  for (const path of new Set(paths.map((it) => resolve(it)))) watcher.follow(path);
  return {
    close: () => {
      clearTimeout(settling);
      watcher.close();
    },
  };
}

/**
 * Watches folders, one by one, and never a file: saving by renaming replaces the file, and a watch on the old one reports nothing. (Where the
 * system has no recursive watch, Node's watches each file.)
 */
class Watcher {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly polls = new Map<string, NodeJS.Timeout>();

  constructor(private readonly heard: (file: string) => void) {}

  /** Watches a path and returns its files; polls every half second if the system cannot watch it. */
  follow(path: string): string[] {
    try {
      return this.below(statSync(path).isFile() ? dirname(path) : path);
    } catch {
      this.poll(path);
      return [];
    }
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    for (const timer of this.polls.values()) clearInterval(timer);
  }

  private below(folder: string): string[] {
    this.on(folder);
    return entriesOf(folder).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return path;
      return entry.name === 'node_modules' ? [] : this.below(path);
    });
  }

  /** Replaces the watch on a folder: it may be a new one of the same name. */
  private on(folder: string): void {
    this.watchers.get(folder)?.close();
    const watcher = watch(folder, (_, name) => {
      if (name === null) return;
      const path = join(folder, name);
      this.heard(path);
      // Files created in a new folder before the watch count as changed.
      const isFolder = name !== 'node_modules' && statSync(path, { throwIfNoEntry: false })?.isDirectory();
      if (isFolder) this.follow(path).forEach(this.heard);
    });
    watcher.once('error', () => {
      watcher.close();
      this.poll(folder);
    });
    this.watchers.set(folder, watcher);
  }

  private poll(path: string): void {
    let before: Set<string> | undefined;
    const look = async () => {
      const now = new Set((await signatureOf([path])).split('\n'));
      const changes = before ? [...now, ...before].filter((it) => !now.has(it) || !before?.has(it)) : [];
      for (const fact of changes) this.heard(fact.split(' ').slice(0, -2).join(' '));
      before = now;
    };
    clearInterval(this.polls.get(path));
    this.polls.set(
      path,
      setInterval(() => void look(), pollMs),
    );
  }
}

/** The entries of a folder; empty if it no longer exists. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
