/**
 * The version of the interpreter's behaviour, recorded with every run at its start. A change in what a journey does is a new
 * number behind a gate on the recorded one, never a silent edit: a run that sleeps for a month must wake up in the world it knew.
 */
export const interpreterVersion = 1;
