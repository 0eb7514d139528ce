import { relative } from 'node:path';
import type { RunPlace } from '../scenarios/run-place.js';

/** Where a run ended or stands; a schedule's run with why, which no mismatch says. */
export function placeText({ state, hint, code, reason, run }: RunPlace): string {
  const why = run === undefined ? '' : `: ${code}: ${reason}`;
  const which = run === undefined ? 'the run' : `the run of ${run}`;
  return `${which} ${code === undefined ? 'stands' : 'ended'} in ${state}${why}${hint ? ` (${hint})` : ''}`;
}

/** The line of the journey where a run ended. */
export function placeInFile({ file, line, column }: RunPlace): string {
  return `${relative('.', file)}:${line}:${column}`;
}
