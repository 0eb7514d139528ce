/**
 * The version of the interpreter's behaviour, recorded with every run at its start. A change in what a journey does is a new
 * number behind a gate on the recorded one, never a silent edit: a run that sleeps for a month must wake up in the world it knew.
 *
 * 2: a scheduled run asks before it does anything unless its Schedule surely follows it, and again after a reset; a run takes turns,
 * measures what it hands over, puts what is due before what was submitted later, and may make a schedule within its workflow task.
 * 3: the branches of a run share its turns, instead of each having one.
 * 4: a run whose position is too large for a fresh execution cuts short what is in progress before it is compensated.
 * 5: a run whose history becomes too large goes on as a fresh execution in time: it answers its callers early, waits for no quiet moment,
 * and begins no more items of a map than it has room for. XML that is not well-formed is never decoded, and no call has an empty parameter
 * in its path. An answer that comes after the run's deadline comes too late, also where it comes before word of the deadline. A signal that
 * is not JSON submits no step. Attempts of a call after the first ten are at least a second apart.
 */
export const interpreterVersion = 5;

/** True for a run that began with an interpreter that bounds a turn: its work, what it hands over, what comes first. */
export function isBounded(version: number): boolean {
  return version >= 2;
}

/** True for a run whose branches share its turns. */
export function turnsByBranch(version: number): boolean {
  return version >= 3;
}

/** True for a run that stops what is in progress when no fresh execution can go on from its position. */
export function cutsShort(version: number): boolean {
  return version >= 4;
}

/** True for a run that keeps within the history that a server allows, whoever waits and whatever is in flight. */
export function keepsWithin(version: number): boolean {
  return version >= 5;
}

/** True for a run that makes no call with an empty parameter in its path. */
export function refusesEmptyPaths(version: number): boolean {
  return version >= 5;
}

/** True for a run in which `xmlDecode` takes nothing but well-formed XML. */
export function readsWellFormed(version: number): boolean {
  return version >= 5;
}

/** True for a run whose calls leave a second between their later attempts. */
export function pacesAttempts(version: number): boolean {
  return version >= 5;
}

/** True for a run that takes nothing but JSON from signals. */
export function takesJsonAlone(version: number): boolean {
  return version >= 5;
}

/** True for a run that goes on with what came after its deadline, until it hears of the deadline itself. */
export function takesLateAnswers(version: number): boolean {
  return version < 5;
}
