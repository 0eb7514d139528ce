/** The fields that name a run to people. */
interface NamedRun {
  readonly journeyId: string;
  readonly journeyName: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The business key of a run, or its subject; undefined if it has neither. */
export function runSubject({ journeyId, journeyName, attributes = {} }: NamedRun): string | undefined {
  const prefix = `${journeyName}/`;
  const key = journeyId.startsWith(prefix) ? journeyId.slice(prefix.length) : attributes.key;
  return key || attributes.subjectId || undefined;
}

/** A journey with the business key or subject of a run: `checkout · order-4711`. */
export function runTitle(run: NamedRun): string {
  const subject = runSubject(run);
  return subject === undefined ? run.journeyName : `${run.journeyName} · ${subject}`;
}
