import { createHash, randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { matchesPattern } from '../../service/access.js';
import { auditedPipelines } from '../../service/audit/audited-pipelines.js';
import type { Automation } from '../../service/job-automation.js';
import {
  eventStatuses,
  type Pipelines,
  refuseUnknownPipeline,
  resolutions,
} from '../../service/pipelines-interface.js';
import { bodyWith } from '../request-body.js';
import { factsOf, idempotencyKey, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { pageParameters, pageQuery, readPage, readQuery, refuseParameter } from './list-query-parameters.js';

const base = '/api/v1/pipelines';
const one = `${base}/:name`;
/** The longest id that pipelines accept. */
const longestId = 128;

interface PipelineRouteDeps {
  readonly pipelines: Pipelines;
  readonly config: Pick<Config, 'pipelines'>;
  readonly automation: Pick<Automation, 'audit'>;
}

/** Routes of pipelines. */
export function pipelineRoutes({ pipelines, config, automation: { audit } }: PipelineRouteDeps): Route[] {
  const roles = ['operator'] as const;
  /** The pipelines, audited for the caller. */
  const handled = (response: Response): Pipelines => {
    const { principal, id } = factsOf(response);
    return auditedPipelines(pipelines, audit, principal.id, id);
  };
  const nameOf = (request: Request) => request.params.name as string;
  const get = (path: string, work: (request: Request) => Promise<unknown>): Route => ({
    method: 'get',
    path,
    roles,
    answer: async (request, response) => {
      response.json(await work(request));
    },
  });
  const post = (path: string, work: (request: Request, response: Response) => Promise<unknown>): Route => ({
    method: 'post',
    path,
    roles,
    answer: async (request, response) => {
      response.json(await work(request, response));
    },
  });

  async function publish(request: Request, response: Response): Promise<void> {
    const { principal } = factsOf(response);
    const isOperator = principal.roles.includes('operator');
    if (!isOperator) await admitClient(nameOf(request), principal.access.journeys);
    const body = bodyOf(request, ['id', 'payload']);
    const payload = own(body, 'payload');
    const id = own(body, 'id') ?? idempotencyKey(request) ?? randomUUID();
    if (payload === undefined) wrong('The event has no payload.', '/payload');
    if (typeof id !== 'string') return wrong('The id of an event is a text.', '/id');
    const topic = request.params.topic as string;
    const owned = isOperator ? id : clientEventId(principal.id, id);
    const { result } = await pipelines.publish(nameOf(request), { topic, id: owned, payload: payload! });
    response.status(result === 'accepted' ? 202 : 200).json({ topic, id, result });
  }

  /** A client may publish where that is configured, to pipelines that run nothing but journeys it may start. */
  async function admitClient(name: string, journeys: readonly string[]): Promise<void> {
    if (!config.pipelines.clientsPublish)
      refuse('FORBIDDEN', 'Only operators may publish events here.', {
        hint: 'Set pipelines.clientsPublish in the configuration to let clients publish too.',
      });
    if (journeys.includes('*')) return;
    const { producers, consumers } = await pipelines.show(name);
    const run = [...Object.values(producers), ...Object.values(consumers)].map(({ journey }) => journey);
    if (!run.every((journey) => matchesPattern(journeys, journey))) refuseUnknownPipeline(name);
  }

  async function trigger(request: Request, response: Response): Promise<void> {
    bodyOf(request, []);
    const requestId = idempotencyKey(request) ?? randomUUID();
    const answered = await handled(response).trigger(nameOf(request), request.params.handler as string, requestId);
    const isNew = answered.result === 'started' || answered.result === 'queued';
    response.status(isNew ? 202 : 200).json({ ...answered, requestId });
  }

  return [
    get(base, async (request) => {
      readQuery(queryOf(request), []);
      return { items: await pipelines.list() };
    }),
    get(one, (request) => pipelines.show(nameOf(request))),
    get(`${one}/topics`, async (request) => {
      const { topics } = await pipelines.show(nameOf(request));
      return { items: Object.entries(topics).map(([topic, it]) => ({ topic, ...it })) };
    }),
    get(`${one}/topics/:topic/events`, (request) => {
      const given = readQuery(queryOf(request), ['status', ...pageParameters]);
      const said = given.get('status');
      const status = eventStatuses.find((it) => it === said);
      if (said !== undefined && !status) refuseParameter('status', `must be one of ${eventStatuses.join(', ')}`);
      return pipelines.events(nameOf(request), request.params.topic as string, {
        ...readPage(given),
        ...(status && { status }),
      });
    }),
    {
      method: 'post',
      path: `${one}/topics/:topic/events`,
      roles: ['client', 'operator'],
      action: 'start',
      answer: publish,
    },
    { method: 'post', path: `${one}/handlers/:handler/trigger`, roles, answer: trigger },
    post(`${one}/pause`, (request, response) => {
      const reason = own(bodyOf(request, ['reason']), 'reason') ?? '';
      if (typeof reason !== 'string') return wrong('The reason is a text.', '/reason');
      const who = `Paused by ${factsOf(response).principal.id}`;
      return handled(response).pause(nameOf(request), reason === '' ? who : `${who}: ${reason}`);
    }),
    post(`${one}/resume`, (request, response) => {
      bodyOf(request, []);
      return handled(response).resume(nameOf(request));
    }),
    get(`${one}/runs`, (request) => pipelines.runs(nameOf(request), pageQuery(queryOf(request)))),
    post(`${one}/runs/:run/resolve`, (request, response) => {
      const said = own(bodyOf(request, ['how']), 'how');
      const how = resolutions.find((it) => it === said);
      if (!how) return wrong(`how must be one of ${resolutions.join(', ')}.`, '/how');
      return handled(response).resolve(nameOf(request), request.params.run as string, how);
    }),
  ];
}

/** The id of a client's event: two clients may use the same one for different events. An id that is too long stays for the pipeline to reject. */
function clientEventId(caller: string, id: string): string {
  const owned = `${caller}/${id}`;
  if (owned.length <= longestId || id.length > longestId) return owned;
  return createHash('sha256').update(owned).digest('base64url');
}

function wrong(detail: string, pointer: string): never {
  return refuse('PIPELINE_MESSAGE_INVALID', detail, { pointer });
}

function bodyOf(request: Request, known: readonly string[]): JsonObject {
  return bodyWith(request, known, 'PIPELINE_MESSAGE_INVALID');
}
