import type { StateListener } from '../virtual/listening.js';

/** The states that a run goes through, in branches and subjourneys too. */
export class Way implements StateListener {
  private readonly visits: { frame: string; state: string; at: number }[] = [];
  /** Whether it went through states that do several things at a time. */
  sideBySide = false;

  readonly entered: NonNullable<StateListener['entered']> = ({ id, frame, run, state }) => {
    this.visits.push({ frame: frame.id, state: id, at: run.host.now() });
    this.sideBySide ||= state.type === 'parallel' || state.type === 'map';
  };

  /** When a state was last entered, up to an instant. */
  enteredBy(state: string, instant: number): number | undefined {
    return this.visits.findLast((visit) => visit.state === state && visit.at <= instant)?.at;
  }

  /** Where another way parts from this one. Which of two branches was ahead makes no other way. */
  differences(other: Way): string[] {
    const [mine, its] = [this.byFrame(), other.byFrame()];
    return [...new Set([...mine.keys(), ...its.keys()])].flatMap((frame) => {
      const [was, is] = [mine.get(frame) ?? [], its.get(frame) ?? []].map((states) => states.join(' → ') || 'nothing');
      return was === is ? [] : [`${frame === '' ? '' : `in ${frame} `}the run went ${was}, the scenario goes ${is}`];
    });
  }

  private byFrame(): Map<string, string[]> {
    const frames = new Map<string, string[]>();
    for (const { frame, state } of this.visits) {
      const states = frames.get(frame) ?? [];
      states.push(state);
      frames.set(frame, states);
    }
    return frames;
  }
}
