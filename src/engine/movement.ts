import type { Frame } from './frame.js';
import type { Host, Scope } from './host.js';

/** How often a fresh execution is put off because an effect is in flight. */
const postponements = 100;

/**
 * What moves in a run and what waits: which frames can go on, when the run is at rest, and when it can stop to go on in a
 * fresh execution.
 */
export class Movement {
  /** Frames that can go on by themselves, and frames that wait. A frame whose branches run is in neither. */
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
    /** Called when a frame goes on after a wait or an effect. */
    private readonly newSegment: (frame: Frame) => void,
  ) {}

  /** The run begins with `root`. `handOver` is called once nothing moves any more and the host wants a fresh execution. */
  begin(root: Frame, scope: Scope, handOver: () => void): void {
    this.working.add(root);
    this.scope = scope;
    this.handOver = handOver;
  }

  /** The run has ended; winding down is not a rest. */
  end(): void {
    this.ended = true;
  }

  /** True when nothing can go on before a timer fires or a step arrives. */
  get quiescent(): boolean {
    return this.working.size === 0 && !this.draining && !this.isEnding;
  }

  /** The run has ended, or was interrupted. */
  get isEnding(): boolean {
    return this.ended || this.scope?.interruption !== undefined;
  }

  /** Nothing else of the run is live besides `frame`. */
  isAlone(frame: Frame): boolean {
    return this.working.size === 1 && this.working.has(frame) && this.parked.size === 0;
  }

  /** The run stops where it rests, for a fresh execution to go on from there. False where something still moves. */
  stop(): boolean {
    if (!this.quiescent) return false;
    this.draining = true;
    this.handOver();
    return true;
  }

  /** The frame waits. When no other can go on, the run is at rest. */
  park(frame: Frame): void {
    this.working.delete(frame);
    this.parked.add(frame);
    this.settle();
  }

  /** The frame goes on, after a wait. */
  resume(frame: Frame): void {
    this.parked.delete(frame);
    this.working.add(frame);
    this.newSegment(frame);
  }

  /** The frame is done, or was interrupted, or others go on in its place. When it was the last that could go on, the run is at rest. */
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
   * The safe point between two states. When the host wants a fresh execution, every frame stops here or at its wait, and
   * the run ends with its position; if the host has changed its mind (a step came in), they all go on. No frame is held
   * while an effect is in flight, because that would cost the others time; unless one always is, or the history is nearly full.
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
