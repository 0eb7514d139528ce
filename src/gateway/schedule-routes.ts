import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { own } from '../json/value.js';
import { previewOf } from '../scheduling/preview-request.js';
import { knownTo } from '../service/access.js';
import { auditedSchedules } from '../service/audited-schedules.js';
import type { Automation } from '../service/automation.js';
import { findVersion, type Library } from '../service/library.js';
import { inBulk } from '../service/schedule-bulk.js';
import { readReason, type Schedules } from '../service/schedules.js';
import type { Answers } from './answers.js';
import { bodyWith, objectBody, versionIn } from './body.js';
import { factsOf, idempotencyKey, queryOf } from './request.js';
import type { Route } from './route.js';
import { bulkQuery, pageQuery, scheduleQuery } from './schedule-query.js';

const base = '/api/v1/schedules';

interface Parts {
  readonly schedules: Schedules;
  readonly journeys: Library;
  readonly automation: Pick<Automation, 'audit'>;
  readonly answers: Pick<Answers, 'statusUrl'>;
}

/** Looking at schedules, stopping and starting them, changing when they run. */
export function scheduleRoutes({ schedules, journeys, answers, automation: { audit } }: Parts): Route[] {
  const roles = ['operator'] as const;
  /** The schedules in the hands of whoever sends the request. */
  const handled = (response: Response) => auditedSchedules(schedules, audit, caller(response), factsOf(response).id);
  const json =
    (work: (id: string, request: Request, response: Response) => Promise<unknown>): Route['answer'] =>
    async (request, response) => {
      const body = await work(request.params.id as string, request, response);
      response.json(body);
    };

  async function runNow(request: Request, response: Response): Promise<void> {
    bodyWith(request, [], 'SCHEDULE_INVALID');
    const requestId = idempotencyKey(request) ?? randomUUID();
    const { executionId } = await handled(response).runNow(request.params.id as string, requestId);
    factsOf(response).run = executionId;
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
      answer: json((id, it, response) => handled(response).update(id, objectBody(it), caller(response))),
    },
    {
      method: 'delete',
      path: base,
      roles,
      answer: json((_, request, response) =>
        inBulk(schedules, bulkQuery(queryOf(request)), async (id) => {
          await handled(response).delete(id);
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
            const { changed, state } = await handled(response)[action](id, reason, caller(response));
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
        return handled(response).repair(id, caller(response));
      }),
    },
    {
      method: 'delete',
      path: `${base}/:id`,
      roles,
      async answer(request, response) {
        await handled(response).delete(request.params.id as string);
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
        handled(response).pause(id, reasonOf(request, response, 'Paused'), caller(response)),
      ),
    },
    {
      method: 'post',
      path: `${base}/:id/resume`,
      roles,
      answer: json((id, request, response) =>
        handled(response).resume(id, reasonOf(request, response, 'Resumed'), caller(response)),
      ),
    },
    {
      method: 'post',
      path: `${base}/:id/move`,
      roles,
      answer: json(async (id, request, response) => {
        const version = versionIn(bodyWith(request, ['to'], 'SCHEDULE_INVALID'), 'SCHEDULE_INVALID');
        const known = knownTo(factsOf(response).principal.access, journeys);
        const to = findVersion(known, (await schedules.show(id)).journeyName, version);
        return await handled(response).move(id, to, caller(response));
      }),
    },
    { method: 'post', path: `${base}/:id/run-now`, roles, answer: runNow },
  ];
}

function caller(response: Response): string {
  return factsOf(response).principal.id;
}

/** What the Schedule's note will say: who did it and, if they said so, why. */
function reasonOf(request: Request, response: Response, what: string): string {
  const reason = own(bodyWith(request, ['reason'], 'SCHEDULE_INVALID'), 'reason');
  const who = `${what} by ${caller(response)}`;
  return reason === undefined ? who : `${who}: ${readReason(reason)}`;
}
