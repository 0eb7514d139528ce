import { isObject } from '../../../src/base/json/value.js';
import { ProblemError } from '../../../src/base/problems/problem.js';
import type { Frame } from '../../../src/engine/frame.js';
import { type Effect, Interrupted, type Scope } from '../../../src/engine/host.js';
import type { Run } from '../../../src/engine/run.js';
import type { Step } from '../../../src/engine/runner-interfaces.js';
import type { Visit, WorldLog } from './log.js';
import type { WatchedScope } from './watched-scope.js';
import type { Watcher } from './watched-vocabulary.js';
import type { WorldClock } from './world-clock.js';

/** Records the states of a play in its log. */
export class VisitRecorder implements Watcher {
  private readonly visits = new Map<string, Visit>();
  /** Visits in progress, by state. */
  private readonly open = new Map<string, Visit[]>();

  constructor(
    private readonly log: WorldLog,
    private readonly clock: WorldClock,
    private readonly seq: () => number,
    /** Whether a run has not continued as new. */
    private readonly isCurrent: (run: Run) => boolean,
    private readonly began: (visit: Visit) => void,
  ) {}

  entered(frame: Frame, scope: Scope, run: Run): Visit | undefined {
    const id = `${frame.id}#${frame.entered}`;
    const known = this.visits.get(id);
    if (!this.isCurrent(run)) {
      if (!frame.progress) this.log.faults.push(`${frame.at} began in an execution that had continued as new`);
      return undefined;
    }
    if (frame.progress) {
      if (known?.state !== frame.at)
        this.log.faults.push(`${frame.at} was resumed in ${frame.id}, which it never entered`);
      this.log.frames.set(frame.id, { frame, scope: scope as WatchedScope });
      return known;
    }
    if (known) this.log.faults.push(`${frame.at} in '${frame.id}' began twice as its state number ${frame.entered}`);
    const { item } = frame;
    const visit: Visit = {
      frame: frame.id,
      state: frame.at,
      number: frame.entered,
      ...(item && { index: item.index, item: item.value, itemName: item.key ?? String(item.index) }),
      entered: this.seq(),
      enteredAt: this.clock.now(),
      before: frame.context,
      effects: [],
    };
    this.visits.set(id, visit);
    this.log.frames.set(frame.id, { frame, scope: scope as WatchedScope });
    this.log.visits.push(visit);
    const others = this.open.get(frame.at);
    if (others) others.push(visit);
    else this.open.set(frame.at, [visit]);
    this.began(visit);
    return visit;
  }

  left(visit: Visit, step: Step, frame: Frame): void {
    this.close(visit);
    visit.after = frame.context;
    if ('end' in step) visit.end = step.end;
    else visit.next = step.next;
  }

  failed(visit: Visit, error: unknown, frame: Frame): void {
    if (error instanceof Interrupted) return;
    this.close(visit);
    visit.after = frame.context;
    visit.problem = error instanceof ProblemError ? error.problem.code : String(error);
  }

  private close(visit: Visit): void {
    if (visit.left !== undefined) this.log.faults.push(`${visit.state} in '${visit.frame}' ended twice`);
    visit.left = this.seq();
    visit.leftAt = this.clock.now();
    const others = this.open.get(visit.state)!;
    others.splice(others.indexOf(visit), 1);
  }

  /** The visit that requested an effect. Calls in items have their index at the end of the URL. */
  visitOf({ label, input }: Effect): Visit | undefined {
    const candidates = this.open.get(label.split(' · ')[0]!) ?? [];
    const url = isObject(input) && typeof input.url === 'string' ? input.url : '';
    const index = /\/(\d+)$/.exec(url)?.[1];
    // Earlier ones were cut short, or wait for a response.
    return candidates.findLast((it) => index === undefined || it.index === Number(index));
  }
}
