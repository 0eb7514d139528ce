import type { Request, Response } from 'express';
import { ProblemError } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { fullAccess } from '../../service/access.js';
import { deliveryOf, findHook } from '../../service/keys/incoming-hook-deliveries.js';
import type { Library } from '../../service/library-interface.js';
import type { Starts } from '../../service/prepare-start-with-ajv.js';
import type { Runs, SubmittedRun } from '../../service/runs-interface.js';
import type { Principal } from '../auth/authenticate.js';
import { jsonBody } from '../request-body.js';
import { factsOf, idempotencyKey, inboundOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { bareRun, type RunResponses } from '../run-responses.js';

interface Parts {
  readonly config: Pick<Config, 'gateway'> & { readonly limits: Pick<Config['limits'], 'expression'> };
  readonly journeys: Library;
  readonly runs: Runs;
  readonly answers: RunResponses;
  readonly starts: Starts;
}

/** The fixed URLs of correlated steps. The signature of the request is its only credential. */
export function hookRoutes({ config, journeys, runs, answers, starts }: Parts): Route[] {
  const { owner } = config.gateway.hooks;

  /** Any system that can sign for the step may submit it, to any run of the journey. */
  async function sender({ params }: Request): Promise<Principal> {
    const { name, stepId } = params as { name: string; stepId: string };
    findHook(journeys, name, stepId);
    const id = `hook:${name}/${stepId}`;
    return { id, roles: [], access: { ...fullAccess(id), journeys: [name], actions: ['submit'] } };
  }

  async function deliver(request: Request, response: Response): Promise<void> {
    const { name, stepId } = request.params as { name: string; stepId: string };
    const facts = factsOf(response);
    const hook = findHook(journeys, name, stepId);
    const inbound = inboundOf(request, response);
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    runs.checkSignature(hook.signature, { headers: inbound.headers, body });
    facts.definition = hook.entry.definition;
    const key = idempotencyKey(request);
    const payload = jsonBody(request, null);
    const received = { inbound, body, payload, ...(key !== undefined && { idempotencyKey: key }) };
    const delivery = await deliveryOf(hook, received, {
      starting: { starts, owner },
      limits: config.limits.expression,
    });
    facts.run = delivery.id;
    const run = await runs
      .as(facts.principal.access)
      .deliver(delivery)
      .catch((error) => (isRepeated(error) ? undefined : Promise.reject(error)));
    if (!run) response.json({ journeyId: delivery.id, repeated: true });
    else answer(run, response);
  }

  function answer(run: SubmittedRun, response: Response): void {
    if (run.kept) response.status(202).json({ journeyId: run.journeyId, kept: true });
    else response.json(answers.status(bareRun(run), run.projection));
  }

  return [
    {
      method: 'post',
      path: '/api/v1/hooks/:name/:stepId',
      roles: [],
      action: 'submit',
      admits: sender,
      answer: deliver,
    },
  ];
}

function isRepeated(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'DELIVERY_REPEATED';
}
