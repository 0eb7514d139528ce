import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ProblemError, problem } from '../problems/problem.js';
import type { Metrics } from './metrics.js';
import type { Route } from './route.js';

const patience = 2000;

interface Operation {
  ready(): Promise<void>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * What probes and tools ask: alive, ready, and which routes there are. These need no credentials and reveal nothing about any run; metrics
 * name journeys and their errors, so they are for operators.
 */
export function operationRoutes({ ready, log, metrics }: Operation): Route[] {
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
        response.json({ status: 'ready' });
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
    {
      method: 'get',
      path: '/openapi.yaml',
      roles: [],
      async answer(_request, response) {
        response.type('application/yaml').send(await openApi());
      },
    },
  ];
}

let document: Promise<string> | undefined;

/** The document is in docs/, two folders above the sources and three above the compiled files. */
async function openApi(): Promise<string> {
  document ??= readFirst(['../../docs/openapi.yaml', '../../../docs/openapi.yaml']);
  return await document;
}

async function readFirst(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  throw new ProblemError(problem('ROUTE_UNKNOWN', 'This installation has no docs/openapi.yaml.'));
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
