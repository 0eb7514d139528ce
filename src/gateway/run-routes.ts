import type { Request, Response } from 'express';
import { refuse } from '../problems/problem.js';
import type { Runs } from '../service/runs.js';
import { factsOf, queryOf } from './request.js';
import type { Route } from './route.js';

const base = '/api/v1/journeys/:id';
const mostLines = 5_000;

interface Parts {
  readonly runs: Runs;
}

/** What operators do with single runs, beside what their owners can. */
export function runRoutes({ runs: all }: Parts): Route[] {
  const roles = ['operator'] as const;
  const runsFor = (response: Response): Runs => all.as(factsOf(response).principal.access);

  async function history(request: Request, response: Response): Promise<void> {
    response.json(await runsFor(response).history(request.params.id as string, limitOf(queryOf(request))));
  }

  return [{ method: 'get', path: `${base}/history`, roles, action: 'read', answer: history }];
}

function limitOf(query: URLSearchParams): number {
  for (const name of query.keys()) if (name !== 'limit') invalid(name, 'is not known');
  const text = query.get('limit') ?? '500';
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= mostLines ? limit : invalid('limit', `must be a number from 1 to ${mostLines}`);
}

function invalid(name: string, why: string): never {
  return refuse('QUERY_INVALID', `The query parameter ${JSON.stringify(name.slice(0, 80))} ${why}.`, {
    parameter: name.slice(0, 80),
  });
}
