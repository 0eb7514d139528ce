import { ProblemError } from '../problems/problem.js';

/** Prints what stopped a command, with every finding and the hint. */
export function reportFailure(error: unknown): void {
  if (!(error instanceof ProblemError)) {
    console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return;
  }
  const { code, title, detail, hint, errors = [] } = error.problem;
  console.error(`${code}: ${detail ?? title}`);
  for (const finding of errors) {
    const place = finding.line === undefined ? finding.pointer : `${finding.line}:${finding.column ?? 1}`;
    console.error(`  ${place}  ${finding.code}  ${finding.message}${finding.hint ? ` (${finding.hint})` : ''}`);
  }
  if (hint !== undefined) console.error(`  ${hint}`);
}
