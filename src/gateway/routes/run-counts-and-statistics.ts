import type { Request, Response } from 'express';
import type { JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { takenEdges } from '../../graph/count-taken-edges.js';
import type { Diagram } from '../../graph/diagram.js';
import { journeyDiagram } from '../../graph/journey-diagram.js';
import { libraryVisibleTo } from '../../service/access.js';
import type { Library } from '../../service/library-interface.js';
import { wholeTrail } from '../../service/run-trail.js';
import { failuresByCode, type Runs, type RunView } from '../../service/runs-interface.js';
import { factsOf, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { readQuery, refuseParameter } from './list-query-parameters.js';
import { readRunQuery, runFilters } from './run-filter-parameters.js';

const roles = ['client', 'operator'] as const;
/** Maximum number of ended runs that statistics are computed from: one page of Temporal's list. */
const mostEnded = 200;
/** Any time: only ended runs have an end. */
const everEnded = '1970-01-01T00:00:00Z';

/** Trails that are built at a time. */
const atOnce = 4;
/** Runs whose trails are not built by then are left out; a repeated request adds them. */
const countMs = 15_000;
/** Maximum number of runs whose counts are kept: an ended run never changes. */
const mostKept = 5_000;

interface Parts {
  readonly journeys: Library;
  readonly runs: Runs;
}

/** Routes that summarise runs: counts by phase and error code, and outcomes, durations and edges of the latest runs. */
export function runCountRoutes(parts: Parts): Route[] {
  const { journeys, runs: all } = parts;

  async function counts(request: Request, response: Response): Promise<void> {
    const { access } = factsOf(response).principal;
    const { filter } = readRunQuery(queryOf(request), libraryVisibleTo(access, journeys), runFilters, []);
    response.json(await all.as(access).count(filter));
  }

  async function stats(request: Request, response: Response): Promise<void> {
    const { access } = factsOf(response).principal;
    const given = readQuery(queryOf(request), ['version', 'last']);
    const last = lastOf(given.get('last'));
    const version = given.get('version');
    const name = request.params.name as string;
    const { items } = await all.as(access).list({
      journeyName: name,
      ...(version !== undefined && { journeyVersion: version }),
      endedFrom: everEnded,
      tags: [],
      attributes: {},
      pageSize: last,
    });
    response.json({ name, last, ...statistics(items.filter(({ phase }) => phase !== 'RUNNING')) });
  }

  return [
    { method: 'get', path: '/api/v1/journeys/counts', roles, action: 'read', answer: counts },
    { method: 'get', path: '/api/v1/definitions/:name/stats', roles, action: 'read', answer: stats },
    ...edgeCountRoutes(parts),
  ];
}

function lastOf(text = String(mostEnded)): number {
  const last = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return last >= 1 && last <= mostEnded ? last : refuseParameter('last', `must be a number from 1 to ${mostEnded}`);
}

function statistics(runs: readonly RunView[]): JsonObject {
  const items = runs.map(({ journeyId, journeyVersion, phase, code = null, startedAt, endedAt }) => ({
    journeyId,
    version: journeyVersion,
    phase,
    code,
    startedAt: startedAt ?? null,
    endedAt: endedAt ?? null,
    durationMs: Date.parse(endedAt ?? '') - Date.parse(startedAt ?? ''),
  }));
  const durations = items.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const count = (wanted: RunView['phase']) => items.filter(({ phase }) => phase === wanted).length;
  return {
    runs: items.length,
    phases: { SUCCEEDED: count('SUCCEEDED'), FAILED: count('FAILED') },
    failures: failuresByCode(runs).map((it) => ({ ...it })),
    durationMs:
      durations.length === 0
        ? null
        : { median: quantile(durations, 0.5), p90: quantile(durations, 0.9), max: durations.at(-1)! },
    items,
  };
}

/** The smallest value that at least this part of the sorted values does not exceed. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.ceil(sorted.length * part) - 1]!;
}

type Counts = ReadonlyMap<string, number>;

/** The route that counts how often the latest runs of a journey took each edge of its graph. */
function edgeCountRoutes({ journeys, runs: all }: Parts): Route[] {
  const kept = new Map<string, Counts | undefined>();

  /** The counts of an ended run; undefined if its trail is incomplete. */
  async function countsOf(diagram: Diagram, hash: string, run: RunView, runs: Runs): Promise<Counts | undefined> {
    const key = `${hash} ${run.endedAt} ${run.journeyId}`;
    if (!kept.has(key)) {
      const { complete, entries } = await wholeTrail(runs, run.journeyId);
      const visits = entries.filter((it) => it.kind === 'visit');
      if (kept.size >= mostKept) kept.clear();
      kept.set(key, complete ? takenEdges(diagram, visits) : undefined);
    }
    return kept.get(key);
  }

  async function edges(request: Request, response: Response): Promise<void> {
    const runs = all.as(factsOf(response).principal.access);
    const name = request.params.name as string;
    const version = readQuery(queryOf(request), ['version']).get('version');
    const entry = journeys.find(name, version) ?? refuse('JOURNEY_UNKNOWN');
    const { definition, hash } = entry;
    const { items } = await runs.list({
      journeyName: name,
      journeyVersion: definition.version,
      endedFrom: everEnded,
      tags: [],
      attributes: {},
      pageSize: mostEnded,
    });
    const diagram = journeyDiagram(definition);
    const until = Date.now() + countMs;
    const sums = new Map<string, number>();
    const waiting = [...items];
    let counted = 0;
    const work = async () => {
      for (let run = waiting.shift(); run && Date.now() < until; run = waiting.shift()) {
        // A run may have expired since it was listed.
        const counts = await countsOf(diagram, hash, run, runs).catch(() => undefined);
        if (!counts) continue;
        counted += 1;
        for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    response.json({
      name,
      version: definition.version,
      last: mostEnded,
      runs: items.length,
      counted,
      edges: Object.fromEntries(sums),
    });
  }

  return [{ method: 'get', path: '/api/v1/definitions/:name/edges', roles: ['operator'], answer: edges }];
}
