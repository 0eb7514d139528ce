import type { Express, Request, RequestHandler, Response } from 'express';
import type { Role } from '../config/config.js';
import { refuse } from '../problems/problem.js';
import type { Action } from '../service/access.js';
import type { Principal } from './auth/authenticate.js';

/** One line of the route table: what is requested, who may request it, what answers. */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  /** Any one of them is enough; if empty: everyone, without credentials. */
  readonly roles: readonly Role[];
  /** What the request does with journeys: keys and tokens can be limited to some of it. */
  readonly action?: Action;
  /** Who sends a request that brings what admits it here and nowhere else; undefined if it brings no such thing. */
  admits?(request: Request): Promise<Principal | undefined>;
  /** Reads the body, where it may be larger than usual. */
  readonly body?: RequestHandler;
  answer(request: Request, response: Response): Promise<void> | void;
}

/** Makes the middleware that admits only those whom a route is for. */
export type Guard = (route: Pick<Route, 'roles' | 'action' | 'admits'>) => RequestHandler;

/**
 * Serves `routes`: first the guard, then the body, then the answer; other methods of a known path get 405. A literal path comes, with all
 * its methods, before one with a parameter in its place: otherwise that one would take what the first does not.
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

/** Where two paths first differ in being literal, the literal one comes first. */
function bySpecificity(a: string, b: string): number {
  const shape = (path: string) =>
    path
      .split('/')
      .map((part) => (part.startsWith(':') ? '1' : '0'))
      .join('');
  return shape(a) < shape(b) ? -1 : Number(shape(a) > shape(b));
}

/** Answers 405 and says which methods the path takes. */
export function refuseMethod(request: Request, response: Response, allowed: readonly string[]): never {
  response.set('Allow', allowed.join(', '));
  return refuse('METHOD_NOT_ALLOWED', `${request.method} is not one of ${allowed.join(', ')}.`);
}
