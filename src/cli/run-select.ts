import { type Command, Option } from 'commander';
import { safe } from '../app/terminal.js';
import { ProblemError, problem } from '../problems/problem.js';
import type { ListRuns, RunView } from '../service/runs.js';
import type { RunTools } from './run-tools.js';

/** Which runs are meant. */
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

/** A run, and the code of its error where it has failed. */
export interface SelectedRun extends RunView {
  readonly error?: string;
}

/** How many runs are looked at for those that fit, when only their outcomes tell. */
const mostLooked = 5_000;
const atOnce = 10;

/** `--journey`, `--state` and `--error`, the same wherever several runs can be meant. */
export function withSelection(command: Command): Command {
  return command
    .option('--journey <name>', 'only runs of this journey')
    .option('--state <id>', 'only those that rest in this state, or ended there')
    .option('--error <code>', 'only those that failed with this code')
    .addOption(new Option('--phase <phase>', 'only those in this phase').choices(['RUNNING', 'SUCCEEDED', 'FAILED']))
    .addOption(new Option('--failed', 'the same as --phase FAILED').conflicts('phase'))
    .option('--subject <id>', 'only of this subject')
    .option('--tag <tag>', 'only with this tag, or attribute as key=value; repeatable', (tag, all: string[] = []) => [
      ...all,
      tag,
    ]);
}

/** Whether anything says which runs. */
export function selects({ journey, state, error, subject, tag }: Partial<Selection>): boolean {
  return [journey, state, error, subject, tag].some((it) => it !== undefined);
}

/**
 * The newest runs that fit. Temporal does not know the code of a failure, nor where a run ended that never rested: the outcome of each
 * failed run is read.
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
  } while (pageToken !== undefined && items.length < limit && looked < mostLooked);
  return { items: items.slice(0, limit), more: pageToken !== undefined || items.length > limit };
}

/** An internal error is found by its cause's code, which the list shows, and by its own. */
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

/** A run that was deleted meanwhile, or started again, stays as the list showed it. */
async function withError(runs: Pick<RunTools['runs'], 'result'>, run: RunView): Promise<SelectedRun> {
  if (run.phase !== 'FAILED') return run;
  const ended = await runs.result(run.id).catch(() => run);
  return { ...ended, ...(ended.outcome?.error && { error: codeOf(ended.outcome.error) }) };
}

/** The code by which failures are told apart: an internal error's is its cause. */
export function codeOf({ code, cause }: { code: string; cause?: unknown }): string {
  return typeof cause === 'string' ? cause : code;
}

/** Failed runs by journey, code and state, the most frequent first. */
export interface FailureGroup {
  readonly error: string;
  readonly journeyName: string;
  readonly state: string;
  readonly runs: number;
  readonly latest: string;
  readonly example: string;
}

export function grouped(items: readonly SelectedRun[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { id, error = 'UNKNOWN', journeyName, status } of items) {
    const key = JSON.stringify([error, journeyName, status.currentState]);
    const before = groups.get(key);
    groups.set(key, {
      error,
      journeyName,
      state: status.currentState,
      runs: (before?.runs ?? 0) + 1,
      latest: before === undefined || before.latest < status.updatedAt ? status.updatedAt : before.latest,
      example: before?.example ?? id,
    });
  }
  return [...groups.values()].sort((a, b) => b.runs - a.runs);
}

/** What became of one of many runs. */
export interface BulkLine {
  readonly id: string;
  readonly text: string;
  readonly code?: string;
}

/** Does it to one after another: one that refuses keeps no other from it. */
export async function eachOf<T extends { id: string }>(
  items: readonly T[],
  work: (item: T) => Promise<string>,
): Promise<BulkLine[]> {
  const lines: BulkLine[] = [];
  for (const item of items) {
    try {
      lines.push({ id: item.id, text: await work(item) });
    } catch (error) {
      const { code, detail, title } =
        error instanceof ProblemError ? error.problem : problem('INTERNAL', String(error));
      lines.push({ id: item.id, text: detail ?? title, code });
      process.exitCode = 1;
    }
  }
  return lines;
}

export function bulkText(lines: readonly BulkLine[]): string {
  if (lines.length === 0) return 'No runs.';
  return lines.map(({ id, text, code }) => safe(`${id}  ${code === undefined ? '' : `${code}: `}${text}`)).join('\n');
}
