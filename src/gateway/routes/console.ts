import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type Request, type Response, Router } from 'express';
import { refuse } from '../../base/problems/problem.js';
import { hasAuthentication } from '../../config/config-rules.js';
import type { GatewayConfig } from '../../config/config-types.js';
import type { Guard } from '../route.js';

/** Public settings that the console reads before sign-in. */
interface ConsoleSettings {
  /** True if the gateway asks for credentials. */
  readonly authentication: boolean;
  readonly signIn?: NonNullable<GatewayConfig['console']['signIn']>;
  /** The page of the namespace in Temporal's Web UI. */
  readonly temporalUi?: string;
}

/** Dependencies of the console's routes. */
export interface ConsoleDeps {
  readonly config: { readonly gateway: GatewayConfig };
  /** The page of the namespace in Temporal's Web UI, if it is known. */
  readonly temporalUi?: string;
}

/**
 * Serves the console, a static web app over the HTTP API. Its files are public: everything they show comes from the API, with the credentials
 * of their user. `/` sends browsers there.
 */
export function consoleRouter({ config: { gateway }, temporalUi }: ConsoleDeps, guard: Guard): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (!gateway.console.enabled) return router;
  const { auth, console: options } = gateway;
  const ui = options.temporalUi ?? temporalUi;
  const settings: ConsoleSettings = {
    authentication: hasAuthentication(auth),
    ...(options.signIn && { signIn: options.signIn }),
    ...(ui !== undefined && { temporalUi: ui }),
  };
  const policy = policyOf(options.signIn?.issuer);
  const checkHost = guard({ roles: [] });

  router.get('/', checkHost, (request, response, next) => {
    // `*/*` is a program.
    if (request.accepts(['json', 'html']) === 'html') response.redirect('/console/');
    else next();
  });
  router.get('/console', checkHost, (_, response) => response.redirect('/console/'));
  router.get('/console/settings.json', checkHost, (_, response) => response.json(settings));
  router.get('/console/{*path}', checkHost, (request, response) => {
    const files = consoleFiles();
    const path = request.path.slice('/console/'.length);
    const file = files.get(path);
    // Also for scripts: a worker has the policy of its own file.
    response.set('Content-Security-Policy', policy);
    if (file) return sendFile(request, response, file);
    // Paths of pages are read by the app itself.
    const page = extname(path) === '' ? files.get('index.html') : undefined;
    if (!page) {
      const hint = files.size === 0 ? { hint: 'This build has no console: run `npm run build`.' } : {};
      refuse('ROUTE_UNKNOWN', undefined, hint);
    }
    return sendFile(request, response, page);
  });
  return router;
}

/** Scripts, styles and requests of this origin alone; requests to the identity provider, if there is one. */
function policyOf(issuer: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${issuer === undefined ? '' : ` ${new URL(issuer).origin}`}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface ConsoleFile {
  readonly type: string;
  readonly cache: string;
  /** Content by encoding; `identity` always exists. */
  readonly content: ReadonlyMap<string, Buffer>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Suffixes of files that the build has compressed, best first. */
const encodings = { br: '.br', gzip: '.gz' } as const;

let served: ReadonlyMap<string, ConsoleFile> | undefined;

/** The built files by path, read once: from the build this file belongs to, or the one of the clone if it runs from source. Empty without a build. */
function consoleFiles(): ReadonlyMap<string, ConsoleFile> {
  served ??=
    read(new URL('../../../console/', import.meta.url)) ?? read(new URL('../../../dist/console/', import.meta.url));
  return served ?? new Map();
}

function read(folder: URL): ReadonlyMap<string, ConsoleFile> | undefined {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((it) => it.replaceAll('\\', '/'));
  } catch {
    return undefined;
  }
  const content = (name: string) => readFileSync(new URL(name, folder));
  const files = names.filter((name) => Object.hasOwn(types, extname(name)));
  return new Map(files.map((name) => [name, fileOf(name, names, content)]));
}

function fileOf(name: string, names: readonly string[], content: (name: string) => Buffer): ConsoleFile {
  const compressed = Object.entries(encodings).filter(([, suffix]) => names.includes(name + suffix));
  return {
    type: types[extname(name)]!,
    // Names in `assets` contain a hash of the content.
    cache: name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    content: new Map([
      ...compressed.map(([encoding, suffix]) => [encoding, content(name + suffix)] as const),
      ['identity', content(name)],
    ]),
  };
}

function sendFile(request: Request, response: Response, { type, cache, content }: ConsoleFile): void {
  const encoding = request.acceptsEncodings([...content.keys()]) || 'identity';
  response.set({
    'Content-Type': type,
    'Cache-Control': cache,
    Vary: 'Accept-Encoding',
    'Referrer-Policy': 'no-referrer',
  });
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.end(content.get(encoding));
}
