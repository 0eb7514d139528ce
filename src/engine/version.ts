/**
 * The version of the interpreter's behaviour, recorded with every run at its start. A change in what a journey does is a new
 * number behind a gate on the recorded one, never a silent edit: a run that sleeps for a month must wake up in the world it knew.
 *
 * 2: a scheduled run asks before it does anything unless its Schedule surely follows it, and again after a reset; a run takes turns,
 * measures what it hands over, puts what is due before what was submitted later, and may make a schedule within its workflow task.
 * 3: the branches of a run share its turns, instead of each having one.
 */
export const interpreterVersion = 3;

/** True for a run that began with an interpreter that bounds a turn: its work, what it hands over, what comes first. */
export function isBounded(version: number): boolean {
  return version >= 2;
}

/** True for a run whose branches share its turns. */
export function turnsByBranch(version: number): boolean {
  return version >= 3;
}
