import type { Express, Request, RequestHandler, Response } from 'express';
import type { Role } from '../config/config.js';
import { refuse } from '../problems/problem.js';

/** One line of the route table: what is asked for, who may ask, who answers. */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  /** Any one of them is enough; none: everyone, without credentials. */
  readonly roles: readonly Role[];
  answer(request: Request, response: Response): Promise<void> | void;
}

/** Makes the middleware that lets only callers with one of `roles` pass. */
export type Guard = (roles: readonly Role[]) => RequestHandler;

/** Serves `routes`: first the guard, then the body, then the answer; other methods of a known path get 405. */
export function mount(app: Express, routes: readonly Route[], guard: Guard, body: RequestHandler): void {
  const methods = new Map<string, string[]>();
  for (const { method, path, roles, answer } of routes) {
    const reading = method === 'post' || method === 'patch' ? [body] : [];
    app[method](path, guard(roles), ...reading, async (request, response) => await answer(request, response));
    methods.set(path, [...(methods.get(path) ?? []), ...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])]);
  }
  for (const [path, allowed] of methods) app.all(path, (request, response) => refuseMethod(request, response, allowed));
}

/** Answers 405 and says what the path takes. */
export function refuseMethod(request: Request, response: Response, allowed: readonly string[]): never {
  response.set('Allow', allowed.join(', '));
  return refuse('METHOD_NOT_ALLOWED', `${request.method} is not one of ${allowed.join(', ')}.`);
}
