import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { JsonObject } from '../../base/json/value.js';
import { own } from '../../base/json/value.js';
import { previewOf } from '../../schedules/preview-from-request.js';
import { libraryVisibleTo } from '../../service/access.js';
import { auditedSchedules } from '../../service/audit/audited-schedules.js';
import { cadenceFromWords } from '../../service/functions/plain-english-function.js';
import type { Automation } from '../../service/job-automation.js';
import { findVersion, type Library } from '../../service/library-interface.js';
import { inBulk } from '../../service/operation/bulk-schedule-changes.js';
import { readReason, type Schedules } from '../../service/schedules-interface.js';
import { bodyWith, objectBody, versionIn } from '../request-body.js';
import { factsOf, idempotencyKey, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import type { RunResponses } from '../run-responses.js';
import { bulkQuery, pageQuery, scheduleQuery } from './list-query-parameters.js';

const base = '/api/v1/schedules';

interface ScheduleRouteDeps {
  readonly schedules: Schedules;
  readonly journeys: Library;
  readonly automation: Pick<Automation, 'audit'>;
  readonly answers: Pick<RunResponses, 'statusUrl'>;
}

/** A request for a preview, with words replaced by the cadence that they mean. */
function previewed({ words, ...request }: JsonObject): JsonObject {
  if (words === undefined) return request;
  return { ...request, cadence: cadenceFromWords(words, request.timezone, Date.now()) };
}

/** Routes of schedules. */
export function scheduleRoutes({ schedules, journeys, answers, automation: { audit } }: ScheduleRouteDeps): Route[] {
  const roles = ['operator'] as const;
  /** The schedules, audited for the caller. */
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
      answer: json(async (_, request) => previewOf(previewed(objectBody(request)), Date.now())),
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
      path: `${base}/:id/migrate`,
      roles,
      answer: json(async (id, request, response) => {
        const version = versionIn(bodyWith(request, ['to'], 'SCHEDULE_INVALID'), 'SCHEDULE_INVALID');
        const known = libraryVisibleTo(factsOf(response).principal.access, journeys);
        const to = findVersion(known, (await schedules.show(id)).journeyName, version);
        return await handled(response).migrate(id, to, caller(response));
      }),
    },
    { method: 'post', path: `${base}/:id/run-now`, roles, answer: runNow },
  ];
}

function caller(response: Response): string {
  return factsOf(response).principal.id;
}

/** The note of the Schedule: the caller and, if given, the reason. */
function reasonOf(request: Request, response: Response, what: string): string {
  const reason = own(bodyWith(request, ['reason'], 'SCHEDULE_INVALID'), 'reason');
  const who = `${what} by ${caller(response)}`;
  return reason === undefined ? who : `${who}: ${readReason(reason)}`;
}
