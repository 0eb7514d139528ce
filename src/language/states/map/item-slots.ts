import { jsonBytes } from '../../../base/json/size.js';
import type { Json } from '../../../base/json/value.js';
import type { Frame } from '../../../engine/frame.js';
import type { ItemSlots, Run } from '../../../engine/run.js';
import { stepAddress } from '../../../engine/steps/step-address.js';
import type { MapProgress } from './map-progress.js';

/** The most items in progress, parked ones included: a run carries them over when it continues as new. */
const mostLive = 1_000;
/** No further item begins while the parked ones have this many bytes, as JSON. */
const mostParkedBytes = 1_000_000;

interface QueuedFrame {
  frame: Frame;
  go: () => void;
}

/**
 * The slots of one map. An item has one from its start to its end, except while it is parked: while it waits for submissions only. When it
 * continues it needs a slot again, and goes before the items that have not begun.
 */
export class Slots implements ItemSlots {
  /** Frames of parked items that want to continue. */
  private queue: QueuedFrame[] = [];

  constructor(
    /** The beginning of the ids of all frames in items. */
    private readonly prefix: string,
    private readonly progress: MapProgress,
    /** The number of slots at the moment. */
    private readonly most: () => number,
    private readonly run: Run,
    /** Called when an item was parked, while its last frame still counts as working. */
    private readonly itemParked: () => void,
  ) {}

  /** The number of items that may begin now. */
  get vacancies(): number {
    const { live, parked } = this.progress;
    const bytes = Object.values(parked).reduce((sum, each) => sum + each, 0);
    return bytes >= mostParkedBytes ? 0 : Math.max(0, Math.min(this.free, mostLive - live.length));
  }

  private get free(): number {
    const { live, parked } = this.progress;
    return this.most() - (live.length - Object.keys(parked).length);
  }

  park(frame: Frame): void {
    this.parkItem(frame);
    this.run.parking.park(frame);
  }

  left(frame: Frame): void {
    this.parkItem(frame);
  }

  take(frame: Frame): Promise<void> | undefined {
    const { parked } = this.progress;
    const { index } = frame.item!;
    if (!Object.hasOwn(parked, index)) return undefined;
    if (this.free > 0) {
      delete parked[index];
      return undefined;
    }
    const slot = new Promise<void>((go) => this.queue.push({ frame, go }));
    this.run.parking.park(frame);
    return slot;
  }

  /** Called when an item has ended. */
  ended(index: number): void {
    delete this.progress.parked[index];
  }

  /** Gives free slots to the items that want to continue, in the order of the list. */
  grant(): void {
    const { parking: movement } = this.run;
    // A branch that waited here may have been cut short.
    this.queue = this.queue.filter(({ frame }) => movement.parked.has(frame));
    while (this.queue.length > 0 && this.free > 0) {
      const index = Math.min(...this.queue.map(({ frame }) => frame.item!.index));
      delete this.progress.parked[index];
      const next = this.queue.filter(({ frame }) => frame.item!.index === index);
      this.queue = this.queue.filter((it) => !next.includes(it));
      for (const { frame, go } of next) {
        movement.resume(frame);
        go();
      }
    }
  }

  /** Frees the slot of an item if its other frames wait for submissions only. */
  private parkItem(frame: Frame): void {
    const { parked, live } = this.progress;
    const { index } = frame.item!;
    const item = live.find((it) => it.item!.index === index);
    if (!item || Object.hasOwn(parked, index) || this.isBusyBeside(frame)) return;
    parked[index] = jsonBytes(item as unknown as Json);
    this.itemParked();
  }

  private isBusyBeside(frame: Frame): boolean {
    const isBusy = (other: Frame) =>
      other !== frame &&
      other.item?.index === frame.item!.index &&
      other.id.startsWith(this.prefix) &&
      !this.isAtStep(other);
    return this.run.parking.live.some(isBusy);
  }

  private isAtStep(frame: Frame): boolean {
    return this.run.steps.get(stepAddress(frame.at, frame.item))?.frame === frame;
  }
}
