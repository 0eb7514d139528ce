import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { previewOf } from '../scheduling/preview-request.js';
import { inBulk } from '../service/schedule-bulk.js';
import type { Schedules } from '../service/schedules.js';
import type { Answers } from './answers.js';
import { objectBody } from './body.js';
import { factsOf, idempotencyKey, queryOf } from './request.js';
import type { Route } from './route.js';
import { bulkQuery, pageQuery, scheduleQuery } from './schedule-query.js';

const base = '/api/v1/schedules';
const longestReason = 500;

interface Parts {
  readonly schedules: Schedules;
  readonly answers: Pick<Answers, 'statusUrl'>;
}

/** Looking at schedules, stopping and starting them, changing when they run. */
export function scheduleRoutes({ schedules, answers }: Parts): Route[] {
  const roles = ['operator'] as const;
  const json =
    (work: (id: string, request: Request, response: Response) => Promise<unknown>): Route['answer'] =>
    async (request, response) => {
      const body = await work(request.params.id as string, request, response);
      response.json(body);
    };

  async function runNow(request: Request, response: Response): Promise<void> {
    objectBody(request);
    const requestId = idempotencyKey(request) ?? randomUUID();
    const { executionId } = await schedules.runNow(request.params.id as string, requestId);
    const statusUrl = answers.statusUrl(executionId);
    response.status(202).location(statusUrl).json({ executionId, requestId, statusUrl });
  }

  return [
    { method: 'get', path: base, roles, answer: json((_, request) => schedules.list(scheduleQuery(queryOf(request)))) },
    {
      method: 'post',
      path: `${base}/preview`,
      roles,
      answer: json(async (_, request) => previewOf(objectBody(request), Date.now())),
    },
    { method: 'get', path: `${base}/:id`, roles, answer: json((id) => schedules.show(id)) },
    {
      method: 'patch',
      path: `${base}/:id`,
      roles,
      answer: json((id, it, response) => schedules.update(id, objectBody(it), caller(response))),
    },
    {
      method: 'delete',
      path: base,
      roles,
      answer: json((_, request) =>
        inBulk(schedules, bulkQuery(queryOf(request)), async (id) => {
          await schedules.delete(id);
          return { changed: true, state: 'deleted' };
        }),
      ),
    },
    ...(['pause', 'resume'] as const).map(
      (action): Route => ({
        method: 'post',
        path: `${base}/${action}`,
        roles,
        answer: json((_, request, response) => {
          const reason = reasonOf(request, response, action === 'pause' ? 'Paused' : 'Resumed');
          return inBulk(schedules, bulkQuery(queryOf(request)), async (id) => {
            const { changed, state } = await schedules[action](id, reason, caller(response));
            return { changed, state };
          });
        }),
      }),
    ),
    {
      method: 'post',
      path: `${base}/:id/repair`,
      roles,
      answer: json((id, request, response) => {
        objectBody(request);
        return schedules.repair(id, caller(response));
      }),
    },
    {
      method: 'delete',
      path: `${base}/:id`,
      roles,
      async answer(request, response) {
        await schedules.delete(request.params.id as string);
        response.status(204).end();
      },
    },
    {
      method: 'get',
      path: `${base}/:id/runs`,
      roles,
      answer: json((id, request) => schedules.runs(id, pageQuery(queryOf(request)))),
    },
    {
      method: 'post',
      path: `${base}/:id/pause`,
      roles,
      answer: json((id, request, response) =>
        schedules.pause(id, reasonOf(request, response, 'Paused'), caller(response)),
      ),
    },
    {
      method: 'post',
      path: `${base}/:id/resume`,
      roles,
      answer: json((id, request, response) =>
        schedules.resume(id, reasonOf(request, response, 'Resumed'), caller(response)),
      ),
    },
    { method: 'post', path: `${base}/:id/run-now`, roles, answer: runNow },
  ];
}

function caller(response: Response): string {
  return factsOf(response).principal.id;
}

/** What the Schedule's note will say: who did it and, if they told, why. */
function reasonOf(request: Request, response: Response, what: string): string {
  const reason = own(objectBody(request), 'reason');
  const who = `${what} by ${caller(response)}`;
  if (reason === undefined) return who;
  if (typeof reason === 'string' && reason.length <= longestReason) return `${who}: ${reason}`;
  return refuse('SCHEDULE_INVALID', `The reason must be a text of at most ${longestReason} characters.`, {
    pointer: '/reason',
  });
}
