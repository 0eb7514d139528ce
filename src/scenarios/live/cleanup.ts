/** Removes everything that plays created on the server, even if the command is interrupted. */
export class Cleanup {
  private readonly removals = new Set<() => Promise<void>>();
  private isOver = false;

  /** Runs a play, then removes what it left behind. */
  async around<T>(remove: () => Promise<void>, play: () => Promise<T>): Promise<T> {
    if (this.isOver) return await never();
    this.removals.add(remove);
    try {
      return await play();
    } finally {
      // `removeAll` removes this too; the play must not continue.
      if (this.isOver) await never();
      this.removals.delete(remove);
      await remove();
    }
  }

  /** Removes everything that exists now. Plays in progress do not continue. */
  async removeAll(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled([...this.removals].map((remove) => remove()));
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
