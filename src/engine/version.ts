/**
 * The version of the interpreter's behaviour, recorded with every run at its start. A change in what a journey does is a new
 * number behind a gate on the recorded one, never a silent edit: a run that sleeps for a month must wake up in the world it knew.
 *
 * 2: a scheduled run asks before it does anything unless its Schedule surely follows it, and again after a reset.
 */
export const interpreterVersion = 2;
