import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { covers } from '../service/access.js';
import { auditedPipelines } from '../service/audited-pipelines.js';
import type { Automation } from '../service/automation.js';
import { eventStatuses, type Pipelines, refuseUnknownPipeline, resolutions } from '../service/pipelines.js';
import { bodyWith } from './body.js';
import { factsOf, idempotencyKey, queryOf } from './request.js';
import type { Route } from './route.js';
import { invalid, page, pageQuery, paging, read } from './schedule-query.js';

const base = '/api/v1/pipelines';
const one = `${base}/:name`;

interface Parts {
  readonly pipelines: Pipelines;
  readonly config: Pick<Config, 'pipelines'>;
  readonly automation: Pick<Automation, 'audit'>;
}

/** Looking at pipelines, publishing events to them, stopping and starting them, deciding about their runs. */
export function pipelineRoutes({ pipelines, config, automation: { audit } }: Parts): Route[] {
  const roles = ['operator'] as const;
  /** The pipelines in the hands of whoever sends the request. */
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
    if (!principal.roles.includes('operator')) await admitClient(nameOf(request), principal.access.journeys);
    const body = bodyOf(request, ['id', 'payload']);
    const payload = own(body, 'payload');
    const id = own(body, 'id') ?? idempotencyKey(request) ?? randomUUID();
    if (payload === undefined) wrong('The event has no payload.', '/payload');
    if (typeof id !== 'string') return wrong('The id of an event is a text.', '/id');
    const topic = request.params.topic as string;
    const { result } = await pipelines.publish(nameOf(request), { topic, id, payload: payload! });
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
    if (!run.every((journey) => covers(journeys, journey))) refuseUnknownPipeline(name);
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
      read(queryOf(request), []);
      return { items: await pipelines.list() };
    }),
    get(one, (request) => pipelines.show(nameOf(request))),
    get(`${one}/topics`, async (request) => {
      const { topics } = await pipelines.show(nameOf(request));
      return { items: Object.entries(topics).map(([topic, it]) => ({ topic, ...it })) };
    }),
    get(`${one}/topics/:topic/events`, (request) => {
      const given = read(queryOf(request), ['status', ...paging]);
      const said = given.get('status');
      const status = eventStatuses.find((it) => it === said);
      if (said !== undefined && !status) invalid('status', `must be one of ${eventStatuses.join(', ')}`);
      return pipelines.events(nameOf(request), request.params.topic as string, {
        ...page(given),
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

function wrong(detail: string, pointer: string): never {
  return refuse('PIPELINE_MESSAGE_INVALID', detail, { pointer });
}

function bodyOf(request: Request, known: readonly string[]): JsonObject {
  return bodyWith(request, known, 'PIPELINE_MESSAGE_INVALID');
}
