import type { Request, Response } from 'express';
import type { ReadGuards } from '../../service/access.js';
import { type ReadTrail, withoutPayloads } from '../../service/run-trail.js';
import type { Admit, Runs } from '../../service/runs-interface.js';
import { factsOf, inboundOf, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { readQuery, refuseParameter } from './list-query-parameters.js';

const base = '/api/v1/journeys/:id/trail';
const largestPage = 1_000;
const usualPage = '200';
/** Longer requests are cut off by common proxies. */
const longestWaitSec = 25;

interface Parts {
  readonly runs: Runs;
  readonly guards: ReadGuards;
  /** Ends requests that wait for changes. */
  readonly stopping?: AbortSignal;
}

/** Routes of the trail of a run: what happened to it, and the contexts around its states. */
export function trailRoutes({ runs: all, guards, stopping }: Parts): Route[] {
  const runsFor = (response: Response): Runs => all.as(factsOf(response).principal.access);
  const admitting =
    (request: Request, response: Response): Admit =>
    (run) =>
      guards.admit(run, inboundOf(request, response));

  async function trail(request: Request, response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = stopping ? AbortSignal.any([gone.signal, stopping]) : gone.signal;
    const asked = { ...trailQuery(queryOf(request)), signal };
    const { entries, ...found } = await runsFor(response).trail(
      request.params.id as string,
      asked,
      admitting(request, response),
    );
    const isOperator = factsOf(response).principal.roles.includes('operator');
    response.json({ ...found, entries: isOperator ? entries : entries.map(withoutPayloads) });
  }

  async function context(request: Request, response: Response): Promise<void> {
    const { id, n = '' } = request.params as { id: string; n?: string };
    const place = /^\d{1,9}$/.test(n) ? Number(n) : -1;
    response.json(await runsFor(response).visitContext(id, place, admitting(request, response)));
  }

  return [
    { method: 'get', path: base, roles: ['client', 'operator'], action: 'read', answer: trail },
    { method: 'get', path: `${base}/:n/context`, roles: ['operator'], action: 'read', answer: context },
  ];
}

function trailQuery(query: URLSearchParams): ReadTrail {
  const given = readQuery(query, ['pageSize', 'pageToken', 'after', 'waitSec']);
  const number = (name: string, otherwise: string, least: number, most: number): number => {
    const text = given.get(name) ?? otherwise;
    const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
    return value >= least && value <= most ? value : refuseParameter(name, `must be a number from ${least} to ${most}`);
  };
  const [pageToken, after] = [given.get('pageToken'), given.get('after')];
  const waitSec = number('waitSec', '0', 0, longestWaitSec);
  if (given.has('waitSec') && after === undefined) refuseParameter('waitSec', 'needs `after`');
  if (pageToken !== undefined && after !== undefined) refuseParameter('after', 'is part of the page token');
  return {
    pageSize: number('pageSize', usualPage, 1, largestPage),
    ...(pageToken !== undefined && { pageToken }),
    ...(after !== undefined && { after }),
    ...(waitSec > 0 && { waitMs: waitSec * 1_000 }),
  };
}
