import { relative } from 'node:path';
import type { RunPlace } from '../../scenarios/locate-run-end-in-source.js';

/** The place where a run ended or waits; for a schedule's run, with the error. */
export function placeText({ state, hint, code, reason, run }: RunPlace): string {
  const why = run === undefined ? '' : `: ${code}: ${reason}`;
  const which = run === undefined ? 'the run' : `the run of ${run}`;
  return `${which} ${code === undefined ? 'waits' : 'ended'} in ${state}${why}${hint ? ` (${hint})` : ''}`;
}

/** The line of the journey file where a run ended. */
export function placeInFile({ file, line, column }: RunPlace): string {
  return `${relative('.', file)}:${line}:${column}`;
}
