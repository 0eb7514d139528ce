import type { Frame } from './frame.js';
import type { Host, Scope } from './host.js';

/** The number of times that continue-as-new is postponed because an effect is in flight. */
const postponements = 100;

/**
 * Tracks which frames of a run are working and which are parked, to detect when the run is parked and when it can continue as new.
 */
export class ParkedFrames {
  /** Working and parked frames. A frame whose branches are running is in neither set. */
  readonly working = new Set<Frame>();
  readonly parked = new Set<Frame>();
  private readonly held = new Map<Frame, () => void>();
  private effects = 0;
  private postponed = 0;
  private draining = false;
  private ended = false;
  private scope: Scope | undefined;
  private handOver: () => void = () => undefined;

  constructor(
    private readonly host: Host,
    /** Called when a frame continues after a wait or an effect. */
    private readonly newSegment: (frame: Frame) => void,
  ) {}

  /** Starts with the frame `root`. `handOver` is called once no frame is working and the host wants to continue as new. */
  begin(root: Frame, scope: Scope, handOver: () => void): void {
    this.working.add(root);
    this.scope = scope;
    this.handOver = handOver;
  }

  /** Marks the run as ended; frames that wind down afterwards do not count as parked. */
  end(): void {
    this.ended = true;
  }

  /** All frames in progress: working, parked, and those held until the run continues as new. */
  get live(): Frame[] {
    return [...this.working, ...this.parked, ...this.held.keys()];
  }

  /** True if nothing can continue until a timer fires or a step arrives. */
  get quiescent(): boolean {
    return this.working.size === 0 && !this.draining && !this.isEnding;
  }

  /** True if the run has ended or was interrupted. */
  get isEnding(): boolean {
    return this.ended || this.scope?.interruption !== undefined;
  }

  /** True if `frame` is the only live frame of the run. */
  isAlone(frame: Frame): boolean {
    return this.working.size === 1 && this.working.has(frame) && this.parked.size === 0;
  }

  /** Hands over a parked run to a new execution, which continues from its position. Returns false if a frame is still working. */
  stop(): boolean {
    if (!this.quiescent) return false;
    this.draining = true;
    this.handOver();
    return true;
  }

  /** Marks a frame as parked. If no other frame is working, the run is parked too. */
  park(frame: Frame): void {
    this.working.delete(frame);
    this.parked.add(frame);
    this.settle();
  }

  /** Marks a parked frame as working again. */
  resume(frame: Frame): void {
    this.parked.delete(frame);
    this.working.add(frame);
    this.newSegment(frame);
  }

  /** Removes a frame that has ended, was interrupted, or is replaced by its branches. If it was the last working frame, the run is parked. */
  leave(frame: Frame): void {
    const worked = this.working.delete(frame);
    this.parked.delete(frame);
    this.held.delete(frame);
    if (worked) this.settle();
  }

  /** Counts an effect as in flight until `effectEnded`. */
  effectStarted(): void {
    this.effects += 1;
    if (this.draining && this.postponed < postponements && !this.host.mustContinue?.()) this.release();
  }

  effectEnded(frame: Frame): void {
    this.effects -= 1;
    this.newSegment(frame);
  }

  /**
   * The safe point between two states. When the host wants to continue as new, every frame stops here or at its wait, and
   * the run ends with its position; if the host no longer wants to (a step arrived), all frames resume. Frames are not held
   * while an effect is in flight, because that would delay them, unless effects are always in flight or the history is nearly full.
   */
  checkpoint(frame: Frame): Promise<void> | undefined {
    if (!this.draining) {
      if (!this.host.wantsContinue?.() || (!this.host.mustContinue?.() && this.isBusy())) return undefined;
      this.draining = true;
    }
    return new Promise((resolve) => {
      this.held.set(frame, resolve);
      this.working.delete(frame);
      this.settle();
    });
  }

  private isBusy(): boolean {
    if (this.effects === 0 || this.postponed >= postponements) return false;
    this.postponed += 1;
    return true;
  }

  private settle(): void {
    if (this.working.size > 0 || this.isEnding) return;
    if (!this.draining) this.host.parked?.();
    else if (this.host.wantsContinue?.()) this.handOver();
    else this.release();
  }

  private release(): void {
    this.draining = false;
    for (const [frame, go] of this.held) {
      this.working.add(frame);
      go();
    }
    this.held.clear();
    if (this.working.size === 0) this.host.parked?.();
  }
}
