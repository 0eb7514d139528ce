/**
 * Version of the interpreter's behaviour. A run records it in its input at the start and keeps it across continue-as-new. Once a
 * version has been released, a change of behaviour raises the number and is gated on the recorded one (`run.interpreter`), so that a
 * run that sleeps for a month keeps its behaviour. CONTRIBUTING, "Versions", has an example.
 */
export const interpreterVersion = 1;
