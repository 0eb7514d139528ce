import { CancellationScope, sleep } from '@temporalio/workflow';

/** What one workflow task may hand to the server: all of it travels in one message, of which a server takes 4 MiB. */
const bytesPerTask = 3_400_000;
/** Answers of local calls stand in the same message; with more than this in it, the next call is an ordinary one. */
const bytesBeforeLocal = 1_000_000;

/** How long a run lets others go on: the shortest timer there is, which ends its workflow task. */
const pauseMs = 1;

/**
 * What a run puts into its current workflow task. A task ends when the run waits for something other than a local call, which the
 * clock shows: within a task it stands still, or moves with local calls only.
 */
export class Room {
  private bytes = 0;
  private beganAt = Date.now();
  private pausing: Promise<void> | undefined;
  /** Resolves when timers may be heard; undefined where nobody ever held them. */
  holding: Promise<void> | undefined;

  /** Something came that only another workflow task can bring. */
  arrived(): void {
    const now = Date.now();
    if (now === this.beganAt) return;
    this.beganAt = now;
    this.bytes = 0;
  }

  get allowsLocal(): boolean {
    return this.bytes < bytesBeforeLocal;
  }

  /** Counts what is handed over in any case. */
  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** Makes room for so many bytes: undefined where there is, else resolves when they may go. */
  take(bytes: number): Promise<void> | undefined {
    if (this.bytes > 0 && this.bytes + bytes > bytesPerTask) return this.later(bytes);
    this.bytes += bytes;
    return undefined;
  }

  private async later(bytes: number): Promise<void> {
    await this.pause();
    await this.take(bytes);
  }

  /** Keeps timers that fire from being heard until they are released. Several may hold at once. */
  hold(): () => void {
    let release!: () => void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.holding = Promise.all([this.holding, held]).then(() => undefined);
    return release;
  }

  /** Ends the workflow task, so that the worker's one thread gets to other runs. All branches of a run pause together. */
  pause(): Promise<void> {
    this.pausing ??= CancellationScope.nonCancellable(() => sleep(pauseMs, { summary: 'lets other runs go on' })).then(
      () => {
        this.pausing = undefined;
        this.arrived();
      },
    );
    return this.pausing;
  }
}
