/** Work that is asked for again while it is under way is done once, and answers everybody. */
export class Shared<T> {
  private readonly running = new Map<string, Promise<T>>();

  share(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.running.get(key);
    if (running) return running;
    const begun = work().finally(() => this.running.delete(key));
    this.running.set(key, begun);
    return begun;
  }
}
