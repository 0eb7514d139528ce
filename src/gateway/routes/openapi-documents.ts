import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Response } from 'express';
import type { JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import type { Definition } from '../../engine/definition/definition.js';
import { arazzoOf } from '../../language/exports/generate-arazzo.js';
import { gatewayOpenApi, openApiOf } from '../../language/exports/generate-openapi.js';
import { libraryVisibleTo } from '../../service/access.js';
import type { Library } from '../../service/library-interface.js';
import { factsOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { quote, suggestion } from '../suggest-and-quote-names.js';

/** The page at `/docs`. */
const apiPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Journeyman API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
    <script src="/docs/swagger-ui.js" defer></script>
    <script src="/docs/page.js" defer></script>
  </head>
  <body>
    <form id="key" hidden>
      <label for="value">This gateway asks for an API key or a token. It stays in this page and is sent to this gateway only.</label>
      <input id="value" type="password" autocomplete="off" spellcheck="false" required>
      <button type="submit">Show the API</button>
      <p id="refused" role="alert"></p>
    </form>
    <div id="api"></div>
    <noscript>This page needs JavaScript. The document itself is at <a href="/openapi.yaml">/openapi.yaml</a>.</noscript>
  </body>
</html>
`;

/** Script of the page: shows `/openapi.json`, and asks for a key if required. */
const apiPageScript = `'use strict';
const form = document.getElementById('key');
const refused = document.getElementById('refused');

async function show(key) {
  const response = await fetch('/openapi.json', key ? { headers: { authorization: 'Bearer ' + key } } : {});
  if (!response.ok) {
    form.hidden = false;
    const problem = await response.json().catch(() => ({}));
    refused.textContent = key ? problem.title || 'The gateway answered ' + response.status : '';
    return;
  }
  form.hidden = true;
  const ui = SwaggerUIBundle({
    spec: await response.json(),
    dom_id: '#api',
    deepLinking: true,
    docExpansion: 'none',
    validatorUrl: null,
    persistAuthorization: false,
    onComplete: () => key && ui.preauthorizeApiKey('bearer', key),
  });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void show(document.getElementById('value').value.trim());
});
void show();
`;

/** Styles of the page. */
const apiPageStyle = `body { margin: 0; background: #fff; font-family: system-ui, sans-serif; }
#key { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; display: grid; gap: 0.75rem; }
#key[hidden] { display: none; }
#key input, #key button { font: inherit; padding: 0.5rem; }
#refused { color: #b00020; margin: 0; min-height: 1.2em; }
noscript { display: block; margin: 2rem; }
`;

/** Sources of the documents. */
export interface Descriptions {
  readonly config: Pick<Config, 'gateway'>;
  readonly journeys: Library;
  openApi(): Promise<{ readonly text: string; readonly value: JsonObject }>;
}

/** Roles that may see journeys and their inputs. */
const roles = ['client', 'operator'] as const;

/**
 * Descriptions of the gateway: its own OpenAPI document, which is public; documents that name journeys, for callers with access to them; and a
 * page that shows them. They are outside `/api/v1`, where an Api could have the same path.
 */
export function documentRoutes({ config, journeys: all, openApi }: Descriptions): Route[] {
  const server = config.gateway.publicUrl;
  const known = (response: Response): Library => libraryVisibleTo(factsOf(response).principal.access, all);

  function definitionOf(name: string, journeys: Library): Definition {
    const found = journeys.find(name) ?? journeys.apis().find(({ definition }) => definition.name === name);
    if (found) return found.definition;
    const names = [...journeys.names(), ...journeys.apis().map(({ definition }) => definition.name)];
    return refuse('JOURNEY_UNKNOWN', `There is no journey called ${quote(name)}.`, suggestion(name, names));
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
      if (definition.kind === 'Api') refuse('EXPORT_NOT_POSSIBLE', 'It is an Api: a single call has no workflow.');
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

/** Allows no foreign or inline content except icons of the style sheet, and requests to this gateway only. */
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

/** Files of the page. */
const pageFiles: Readonly<Record<string, { type: string; content(): string | Promise<Buffer> }>> = {
  'page.js': { type: 'text/javascript', content: () => apiPageScript },
  'page.css': { type: 'text/css', content: () => apiPageStyle },
  'swagger-ui.js': { type: 'text/javascript', content: swaggerUi('swagger-ui-bundle.js') },
  'swagger-ui.css': { type: 'text/css', content: swaggerUi('swagger-ui.css') },
};

/** A file of Swagger UI, read once: from the copy in an installed package, or from the development dependency in a clone. */
function swaggerUi(file: string): () => Promise<Buffer> {
  let content: Promise<Buffer> | undefined;
  return () => {
    content ??= readFile(new URL(`../../../swagger-ui/${file}`, import.meta.url)).catch(() =>
      readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`)),
    );
    return content;
  };
}
