import type { Logger } from 'pino';
import { ProblemError, problem } from '../../base/problems/problem.js';
import { hasAuthentication } from '../../config/config-rules.js';
import type { Config } from '../../config/config-types.js';
import type { Library } from '../../service/library-interface.js';
import type { Metrics } from '../metrics-interface.js';
import type { Route } from '../route.js';

const patience = 2000;

interface ProbeDeps {
  ready(): Promise<void>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly journeys: Library;
  readonly config: { readonly gateway: Pick<Config['gateway'], 'auth'> };
}

/**
 * Health, readiness and metrics. Health and readiness need no credentials and reveal nothing about runs; metrics
 * name journeys and their errors, so they are for operators.
 */
export function probeRoutes({ ready, log, metrics, journeys, config }: ProbeDeps): Route[] {
  /** Documents with errors: their names if the gateway has no authentication, otherwise their number. */
  const broken = () => {
    const files = journeys.brokenFiles?.() ?? [];
    return { errors: files.length, ...(!hasAuthentication(config.gateway.auth) && { files }) };
  };
  return [
    {
      method: 'get',
      path: '/healthz',
      roles: [],
      answer: (_request, response) => {
        response.json({ status: 'ok' });
      },
    },
    {
      method: 'get',
      path: '/readyz',
      roles: [],
      async answer(_request, response) {
        try {
          await within(ready(), patience);
        } catch (error) {
          log.warn({ reason: (error as Error).message }, 'Not ready');
          const reason = error instanceof ProblemError ? error.problem.title : undefined;
          throw new ProblemError(problem('NOT_READY', reason));
        }
        const { errors, files } = broken();
        response.json({ status: 'ready', ...(errors > 0 && { broken: files ?? errors }) });
      },
    },
    {
      method: 'get',
      path: '/metrics',
      roles: ['operator'],
      async answer(_request, response) {
        response.set('Content-Type', metrics.contentType).send(await metrics.text());
      },
    },
  ];
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
