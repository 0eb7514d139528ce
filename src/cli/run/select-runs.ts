import { type Command, Option } from 'commander';
import { safe } from '../../app/safe-terminal-text.js';
import { ProblemError, problem } from '../../base/problems/problem.js';
import { failureCode } from '../../engine/outcome.js';
import type { ListRuns, RunView } from '../../service/runs-interface.js';
import type { RunTools } from './run-command-deps.js';

/** Options that select runs. */
export interface Selection {
  journey?: string;
  state?: string;
  error?: string;
  phase?: ListRuns['phase'];
  failed?: true;
  subject?: string;
  tag?: string[];
  limit: number;
}

/** A run with the error code of its failure. */
export interface SelectedRun extends RunView {
  readonly error?: string;
}

/** Maximum number of runs scanned when only their outcomes can be matched. */
const maxScanned = 5_000;
const atOnce = 10;

/** Adds the options that select several runs. */
export function withSelection(command: Command): Command {
  return command
    .option('--journey <name>', 'only runs of this journey')
    .option('--state <id>', 'only runs in this state, or that ended in it')
    .option('--error <code>', 'only those that failed with this code')
    .addOption(new Option('--phase <phase>', 'only those in this phase').choices(['RUNNING', 'SUCCEEDED', 'FAILED']))
    .addOption(new Option('--failed', 'the same as --phase FAILED').conflicts('phase'))
    .option('--subject <id>', 'only of this subject')
    .option('--tag <tag>', 'only with this tag, or attribute as key=value; repeatable', (tag, all: string[] = []) => [
      ...all,
      tag,
    ]);
}

/** Reports whether any option selects runs. */
export function hasSelection({ journey, state, error, subject, tag }: Partial<Selection>): boolean {
  return [journey, state, error, subject, tag].some((it) => it !== undefined);
}

/**
 * Lists the newest matching runs. Temporal knows neither the error code of a failure nor the last state of a run that never parked, so the
 * outcome of each failed run is read.
 */
export async function selectRuns(
  runs: Pick<RunTools['runs'], 'list' | 'result'>,
  selection: Selection,
): Promise<{ items: SelectedRun[]; more: boolean }> {
  const { journey, state, error, subject, tag = [], limit } = selection;
  const phase = error !== undefined || selection.failed ? 'FAILED' : selection.phase;
  const looks = phase === 'FAILED';
  const items: SelectedRun[] = [];
  let pageToken: string | undefined;
  let looked = 0;
  do {
    const page = await runs.list({
      ...(journey !== undefined && { journeyName: journey }),
      ...(phase && { phase }),
      ...(state !== undefined && !looks && { currentState: state }),
      ...(subject !== undefined && { subjectId: subject }),
      tags: tag,
      attributes: {},
      pageSize: looks && (error !== undefined || state !== undefined) ? 200 : Math.min(200, limit - items.length),
      ...(pageToken !== undefined && { pageToken }),
    });
    looked += page.items.length;
    const seen = await withErrors(runs, page.items);
    items.push(...seen.filter((run) => !looks || fits(run, selection)));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && items.length < limit && looked < maxScanned);
  return { items: items.slice(0, limit), more: pageToken !== undefined || items.length > limit };
}

/** An internal error matches by the code of its cause, which the list shows, and by its own. */
function fits({ error, status, outcome }: SelectedRun, wanted: Selection): boolean {
  if (wanted.error !== undefined && error !== wanted.error && outcome?.error?.code !== wanted.error) return false;
  return wanted.state === undefined || status.currentState === wanted.state;
}

async function withErrors(runs: Pick<RunTools['runs'], 'result'>, items: readonly RunView[]): Promise<SelectedRun[]> {
  const out: SelectedRun[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    out.push(...(await Promise.all(items.slice(from, from + atOnce).map((run) => withError(runs, run)))));
  return out;
}

/** A run that was deleted or restarted in the meantime stays as listed. */
async function withError(runs: Pick<RunTools['runs'], 'result'>, run: RunView): Promise<SelectedRun> {
  if (run.phase !== 'FAILED') return run;
  const ended = await runs.result(run.journeyId).catch(() => run);
  return { ...ended, ...(ended.outcome?.error && { error: failureCode(ended.outcome.error) }) };
}

/** Failed runs with the same error code, journey and state. */
export interface FailureGroup {
  readonly error: string;
  readonly journeyName: string;
  readonly state: string;
  readonly runs: number;
  readonly latest: string;
  readonly example: string;
}

export function groupFailures(items: readonly SelectedRun[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { journeyId, error = 'UNKNOWN', journeyName, status } of items) {
    const key = JSON.stringify([error, journeyName, status.currentState]);
    const before = groups.get(key);
    groups.set(key, {
      error,
      journeyName,
      state: status.currentState,
      runs: (before?.runs ?? 0) + 1,
      latest: before === undefined || before.latest < status.updatedAt ? status.updatedAt : before.latest,
      example: before?.example ?? journeyId,
    });
  }
  return [...groups.values()].sort((a, b) => b.runs - a.runs);
}

/** Result of a bulk command for one run. */
export interface BulkLine {
  readonly journeyId: string;
  readonly text: string;
  readonly code?: string;
}

/** Applies `work` to each run in turn. A failure does not stop the others. */
export async function forEachRun<T extends { journeyId: string }>(
  items: readonly T[],
  work: (item: T) => Promise<string>,
): Promise<BulkLine[]> {
  const lines: BulkLine[] = [];
  for (const item of items) {
    try {
      lines.push({ journeyId: item.journeyId, text: await work(item) });
    } catch (error) {
      const { code, detail, title } =
        error instanceof ProblemError ? error.problem : problem('INTERNAL', String(error));
      lines.push({ journeyId: item.journeyId, text: detail ?? title, code });
      process.exitCode = 1;
    }
  }
  return lines;
}

export function bulkRunsText(lines: readonly BulkLine[]): string {
  if (lines.length === 0) return 'No runs.';
  return lines
    .map(({ journeyId, text, code }) => safe(`${journeyId}  ${code === undefined ? '' : `${code}: `}${text}`))
    .join('\n');
}
