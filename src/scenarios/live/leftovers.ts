/** What plays have on the server, so that nothing of it stays there, also when somebody ends the command in the middle. */
export class Leftovers {
  private readonly removals = new Set<() => Promise<void>>();
  private isOver = false;

  /** Plays something, and then removes what is left of it. */
  async around<T>(remove: () => Promise<void>, play: () => Promise<T>): Promise<T> {
    if (this.isOver) return await never();
    this.removals.add(remove);
    try {
      return await play();
    } finally {
      // Whoever removes everything does this too, and nothing more is to happen.
      if (this.isOver) await never();
      this.removals.delete(remove);
      await remove();
    }
  }

  /** Removes everything that is there now. What is being played is not played on. */
  async removeAll(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled([...this.removals].map((remove) => remove()));
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
