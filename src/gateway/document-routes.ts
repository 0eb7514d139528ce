import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Response } from 'express';
import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import { arazzoOf } from '../exports/arazzo.js';
import { gatewayOpenApi, openApiOf } from '../exports/openapi.js';
import type { JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { knownTo } from '../service/access.js';
import type { Library } from '../service/library.js';
import { apiPage, apiPageScript, apiPageStyle } from './api-page.js';
import { factsOf } from './request.js';
import type { Route } from './route.js';
import { didYouMean, quote } from './suggest.js';

/** What the documents are made of. */
export interface Descriptions {
  readonly config: Pick<Config, 'gateway'>;
  readonly journeys: Library;
  openApi(): Promise<{ readonly text: string; readonly value: JsonObject }>;
}

/** Who may know which journeys there are, and what they take. */
const roles = ['client', 'operator'] as const;

/**
 * What describes the gateway: its own document, which is the same everywhere and open; documents that name journeys, for callers who may
 * use them; and a page that shows them. They stand outside `/api/v1`, where an Api could take their paths.
 */
export function documentRoutes({ config, journeys: all, openApi }: Descriptions): Route[] {
  const server = config.gateway.publicUrl;
  const known = (response: Response): Library => knownTo(factsOf(response).principal.access, all);

  function definitionOf(name: string, journeys: Library): Definition {
    const found = journeys.find(name) ?? journeys.apis().find(({ definition }) => definition.name === name);
    if (found) return found.definition;
    const names = [...journeys.names(), ...journeys.apis().map(({ definition }) => definition.name)];
    return refuse('JOURNEY_UNKNOWN', `There is no journey called ${quote(name)}.`, didYouMean(name, names));
  }

  function get(path: string, who: Route['roles'], answer: Route['answer']): Route {
    return { method: 'get', path, roles: who, answer };
  }

  return [
    get('/openapi.yaml', [], async (_request, response) => {
      response.type('application/yaml').send((await openApi()).text);
    }),
    get('/openapi.json', roles, async (_request, response) => {
      const journeys = known(response);
      const entries = [...journeys.names().map((name) => journeys.find(name)!), ...journeys.apis()];
      const definitions = entries.map(({ definition }) => definition);
      response.json(gatewayOpenApi((await openApi()).value, definitions, server));
    }),
    get('/openapi/:name.json', roles, async (request, response) => {
      const definition = definitionOf(request.params.name as string, known(response));
      response.json(openApiOf(definition, (await openApi()).value, server));
    }),
    get('/arazzo/:name.json', roles, (request, response) => {
      const definition = definitionOf(request.params.name as string, known(response));
      if (definition.kind === 'Api') refuse('EXPORT_NOT_POSSIBLE', 'It is an Api: one call needs no workflow.');
      response.json(arazzoOf(definition, `../openapi/${definition.name}.json`));
    }),
    get('/docs', [], (_request, response) => sendPage(response, 'text/html', apiPage)),
    get('/docs/:file', [], async (request, response) => {
      const name = request.params.file as string;
      const file = Object.hasOwn(pageFiles, name) ? pageFiles[name]! : refuse('ROUTE_UNKNOWN');
      sendPage(response, file.type, await file.content());
    }),
  ];
}

/** Nothing from elsewhere, nothing inline but the icons in the style sheet, and requests to this gateway alone. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function sendPage(response: Response, type: string, body: string | Buffer): void {
  response.set('Content-Security-Policy', pagePolicy).type(type).send(body);
}

/** What the page loads. */
const pageFiles: Readonly<Record<string, { type: string; content(): string | Promise<Buffer> }>> = {
  'page.js': { type: 'text/javascript', content: () => apiPageScript },
  'page.css': { type: 'text/css', content: () => apiPageStyle },
  'swagger-ui.js': { type: 'text/javascript', content: packaged('swagger-ui-bundle.js') },
  'swagger-ui.css': { type: 'text/css', content: packaged('swagger-ui.css') },
};

/** A file of the package, read once. */
function packaged(file: string): () => Promise<Buffer> {
  let content: Promise<Buffer> | undefined;
  return () => {
    const folder = join(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'), '..');
    content ??= readFile(join(folder, file));
    return content;
  };
}
