import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { isPaused } from '../src/pipelines/scheduling.js';
import type { PipelineState } from '../src/pipelines/state.js';
import { describePipeline } from './pipeline-details.js';
import { memoOf, type Note, pipelineAttributes } from './pipeline-input.js';
import { pairs } from './search-attributes.js';

const keptNotes = 10;
const longestNote = 400;

/** What people see of a pipeline without asking it: its details, its notes, and what lists know of it. */
export class Face {
  private shown: Showable;

  constructor(
    state: PipelineState,
    public notes: readonly Note[] = [],
  ) {
    this.shown = showable(state);
  }

  /** The same again takes no room of others. */
  note(said: string, at: number): void {
    const text = said.slice(0, longestNote);
    this.notes = [...this.notes.filter((it) => it.text !== text), { at, text }].slice(-keptNotes);
  }

  details(state: PipelineState, now: number): void {
    setCurrentDetails(describePipeline(state, this.notes, now));
  }

  /** An upsert is an event, so only what changed is written. Answers whether anything was. */
  show(state: PipelineState, now: number): boolean {
    this.details(state, now);
    const before = this.shown;
    const { status, hash, deployer } = showable(state);
    if (status === before.status && hash === before.hash && deployer === before.deployer) return false;
    this.shown = { status, hash, deployer };
    upsertSearchAttributes(pairs(pipelineAttributes(state.definition, deployer, status)));
    if (hash !== before.hash || deployer !== before.deployer)
      upsertMemo({ pipeline: memoOf(state.definition, hash, deployer) });
    return true;
  }
}

interface Showable {
  readonly status: 'paused' | 'running';
  readonly hash: string;
  readonly deployer: string;
}

function showable(state: PipelineState): Showable {
  return { status: isPaused(state) ? 'paused' : 'running', hash: state.hash, deployer: state.deployer };
}
