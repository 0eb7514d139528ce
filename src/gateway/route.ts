import type { Express, Request, RequestHandler, Response } from 'express';
import { refuse } from '../base/problems/problem.js';
import type { Role } from '../config/config-types.js';
import type { AccessAction } from '../service/access.js';
import type { Principal } from './auth/authenticate.js';

/** A route: method, path, required roles and handler. */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  /** Any one of them suffices; if empty, no credentials are needed. */
  readonly roles: readonly Role[];
  /** The action on journeys, to which keys and tokens can be limited. */
  readonly action?: AccessAction;
  /** Authenticates by a credential of this route alone, such as a callback token; undefined if the request has none. */
  admits?(request: Request): Promise<Principal | undefined>;
  /** Origins of web pages that may call it, besides those of every route. */
  readonly origins?: readonly string[];
  /** Reads the body, if it may exceed the usual limit. */
  readonly body?: RequestHandler;
  answer(request: Request, response: Response): Promise<void> | void;
}

/** Creates the middleware that checks a route's roles and action. */
export type Guard = (route: Pick<Route, 'roles' | 'action' | 'admits' | 'origins'>) => RequestHandler;

/**
 * Registers routes: guard, body, handler. Other methods of a known path get 405. Literal paths are registered before paths with a parameter in
 * the same position, which would otherwise handle the methods that the literal path lacks.
 */
export function mount(app: Express, routes: readonly Route[], guard: Guard, body: RequestHandler): void {
  const paths = [...new Set(routes.map(({ path }) => path))].sort(bySpecificity);
  for (const path of paths) {
    const served = routes.filter((route) => route.path === path);
    for (const route of served) {
      const { method } = route;
      const reading = method === 'post' || method === 'patch' ? [route.body ?? body] : [];
      app[method](path, guard(route), ...reading, async (request, response) => await route.answer(request, response));
    }
    const allowed = served.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    app.all(path, (request, response) => refuseMethod(request, response, allowed));
  }
}

/** Sorts literal segments before parameters. */
function bySpecificity(a: string, b: string): number {
  const shape = (path: string) =>
    path
      .split('/')
      .map((part) => (part.startsWith(':') ? '1' : '0'))
      .join('');
  return shape(a) < shape(b) ? -1 : Number(shape(a) > shape(b));
}

/** Answers 405 with the allowed methods. */
export function refuseMethod(request: Request, response: Response, allowed: readonly string[]): never {
  response.set('Allow', allowed.join(', '));
  return refuse('METHOD_NOT_ALLOWED', `${request.method} is not one of ${allowed.join(', ')}.`);
}
