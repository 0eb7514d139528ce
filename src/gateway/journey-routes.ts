import type { Request, Response } from 'express';
import type { Definition } from '../definition/definition.js';
import { refuse } from '../problems/problem.js';
import { apiPath } from '../service/apis.js';
import type { Library, LibraryEntry } from '../service/library.js';
import type { Runs, RunView, SetCookies } from '../service/runs.js';
import type { Starts } from '../service/start.js';
import type { Answers } from './answers.js';
import { jsonBody, objectBody } from './body.js';
import { listQuery } from './list-query.js';
import { factsOf, headersOf, idempotencyKey, queryOf } from './request.js';
import type { Route } from './route.js';
import { didYouMean, quote } from './suggest.js';

const base = '/api/v1/journeys';

interface Parts {
  readonly journeys: Library;
  readonly runs: Runs;
  readonly answers: Answers;
  readonly starts: Starts;
  readonly setCookies?: SetCookies;
}

/** Starting journeys, following and continuing their instances, and listing them. */
export function journeyRoutes({ journeys, runs, answers, starts, setCookies }: Parts): Route[] {
  const roles = ['client', 'operator'] as const;

  /** Answers with an outcome, and with the cookies that return with it. */
  async function answerOutcome(run: RunView, response: Response): Promise<void> {
    const cookies = (run.outcome && (await setCookies?.(run.outcome))) ?? [];
    if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
    response.json(answers.outcome(run));
  }

  async function start(request: Request, response: Response): Promise<void> {
    const entry = findJourney(journeys, parameter(request, 'name'));
    factsOf(response).definition = entry.definition;
    const { principal } = factsOf(response);
    const key = idempotencyKey(request);
    const headers = headersOf(request, principal);
    const query = queryOf(request);
    const mode = entry.definition.lifecycle.startMode;
    const run = await runs.start({
      ...starts.prepare(entry, { body: objectBody(request), headers, query }),
      mode,
      ...(key === undefined ? {} : { idempotencyKey: key }),
      caller: principal.id,
    });
    factsOf(response).run = run.id;
    if (mode === 'sync') await answerOutcome(run, response);
    else response.status(202).location(answers.statusUrl(run.id)).json(answers.started(run));
  }

  async function submit(request: Request, response: Response): Promise<void> {
    const key = idempotencyKey(request);
    const run = await runs.submit({
      id: parameter(request, 'id'),
      stepId: parameter(request, 'stepId'),
      payload: jsonBody(request, null),
      headers: headersOf(request, factsOf(response).principal),
      query: Object.fromEntries(queryOf(request)),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });
    response.json(answers.status(run, run.projection));
  }

  async function list(request: Request, response: Response): Promise<void> {
    const { items, nextPageToken } = await runs.list(listQuery(queryOf(request)));
    response.json({
      items: items.map((run) => answers.status(run)),
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
  }

  /** An answer about a run: what it refuses is told in the envelope of the run's journey. */
  function ofRun(answer: Route['answer']): Route['answer'] {
    return async (request, response) => {
      try {
        await answer(request, response);
      } catch (error) {
        const definition = await envelopeOf(parameter(request, 'id'));
        if (definition) factsOf(response).definition = definition;
        throw error;
      }
    };
  }

  /** The journey of a run, if some journey has an envelope at all. */
  async function envelopeOf(id: string): Promise<Definition | undefined> {
    const all = journeys.names().map((name) => journeys.find(name)?.definition);
    if (!all.some((definition) => definition?.errors?.envelope)) return undefined;
    const { journeyName } = (await runs.status(id).catch(() => undefined)) ?? {};
    return all.find((definition) => definition?.name === journeyName);
  }

  return [
    { method: 'get', path: base, roles: ['operator'], answer: list },
    { method: 'post', path: `${base}/:name/start`, roles, answer: start },
    {
      method: 'get',
      path: `${base}/:id`,
      roles,
      answer: ofRun(async (request, response) => {
        response.json(answers.status(await runs.status(parameter(request, 'id'))));
      }),
    },
    {
      method: 'get',
      path: `${base}/:id/result`,
      roles,
      answer: ofRun(async (request, response) => {
        await answerOutcome(await runs.result(parameter(request, 'id')), response);
      }),
    },
    {
      method: 'post',
      path: `${base}/:id/steps/cancel`,
      roles,
      answer: ofRun(async (request, response) => {
        jsonBody(request, null);
        response.json(answers.status(await runs.cancel(parameter(request, 'id'))));
      }),
    },
    { method: 'post', path: `${base}/:id/steps/:stepId`, roles, answer: ofRun(submit) },
  ];
}

function parameter(request: Request, name: string): string {
  return request.params[name] as string;
}

function findJourney(journeys: Library, name: string): LibraryEntry {
  const found = journeys.find(name);
  if (found !== undefined) return found;
  const api = journeys.apis().find(({ definition }) => definition.name === name);
  return refuse('JOURNEY_UNKNOWN', `There is no journey called ${quote(name)}.`, {
    ...(api ? { hint: `It is an Api: POST ${apiPath(api.definition)}.` } : didYouMean(name, journeys.names())),
  });
}
