import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../../base/json/value.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { ExternalAnswer } from '../../engine/definition/external-activity-types.js';
import { activityCall, activityError, activityOf } from '../../language/tasks/external/virtual-activity.js';
import { workflowCall, workflowOf } from '../../language/tasks/external/virtual-workflow.js';
import type { HttpRequest } from '../../language/tasks/http-call/request-and-result-types.js';
import type { Reply } from '../../language/tasks/task-kind.js';
import { CallPattern } from '../call-pattern.js';
import { httpCalls, serviceCalls } from '../possible-calls.js';
import { type BackendRule, ScriptedBackend } from '../scripted-backend.js';

export interface ScriptedServicesOptions {
  /** Whether times are shorter than in the scenario. */
  shortened: boolean;
  /** Resolves when a reply is to be sent. */
  held: (reply: Reply) => Promise<void>;
  /** Virtual milliseconds since the start. */
  sinceStart: () => number;
}

/** The services of a scenario behind real ports, for the journeys that call them. */
export async function openScriptedServices(
  journeys: readonly Definition[],
  given: readonly BackendRule[],
  { shortened, held, sinceStart }: ScriptedServicesOptions,
) {
  const rules = shortened ? withoutLateReplies(journeys, given) : given;
  const backend = new ScriptedBackend(rules);
  const operations = journeys.flatMap(operationCalls);
  const servers = await BackendServers.open(originsOf(journeys, given), {
    backend,
    operations: (call) => operations.find(({ pattern }) => pattern.matches(call))?.operation,
    held,
    sinceStart,
  });
  return {
    backend,
    servers,
    activities: {
      types: [
        ...new Set(journeys.flatMap(serviceCalls).flatMap(({ operation = '' }) => scriptedType(operation) ?? [])),
      ],
      perform: async (activity: string, args: Json[]): Promise<ExternalAnswer> => {
        const call = { ...scriptedCall(activity, args), headers: {} };
        const reply = await backend.answer({ ...call, timeoutMs: 0, mode: 'requestResponse' }, sinceStart());
        if (reply.fail) return await new Promise(() => undefined);
        await held(reply);
        return reply.status < 400
          ? { ok: true, value: reply.body ?? null }
          : { ok: false, error: activityError(reply) };
      },
    },
    /** Whether calls need short timeouts, because one of them gets no response. */
    hasty: shortened && rules.some(({ replies }) => replies.some(({ fail }) => fail === 'timeout')),
  };
}

/** The activity that answers calls of an operation: the one that is called, or one in place of a child workflow. */
function scriptedType(operation: string): string | undefined {
  return workflowOf(operation) ? operation : activityOf(operation);
}

function scriptedCall(type: string, args: Json[]) {
  const child = workflowOf(type);
  if (!child) return { ...activityCall({ activity: type, taskQueue: 'scenario' }), body: JSON.stringify(args) };
  return { ...workflowCall(child), body: JSON.stringify('journey' in child ? args[0] : args) };
}

/** A reply that takes longer than its call's timeout is never sent; if it were shortened, it would arrive in time. */
function withoutLateReplies(journeys: readonly Definition[], backend: readonly BackendRule[]): BackendRule[] {
  const tasks = journeys.flatMap(httpCalls);
  return backend.map(({ calls, replies }) => {
    const meant = tasks.filter((task) => calls.matches(task));
    const shortest = Math.min(...(meant.length > 0 ? meant : tasks).map(({ timeoutMs }) => timeoutMs));
    const onTime = (reply: Reply): Reply => (reply.afterMs > shortest ? { ...reply, fail: 'timeout' } : reply);
    return { calls, replies: replies.map(onTime) };
  });
}

function originsOf(journeys: readonly Definition[], backend: readonly BackendRule[]): string[] {
  const scripted = backend.flatMap(({ calls }) => literalOrigin(calls.text.replace(/^\S+ +/, '')) ?? []);
  return [...journeys.flatMap(literalOrigins), ...scripted].map((origin) => new URL(origin).origin);
}

/** A scripted backend behind real ports: one server for each origin that a journey may call. */
class BackendServers {
  private readonly servers: Server[] = [];
  /** Origin → the server that replaces it. */
  readonly rewrite: Record<string, string> = {};

  private constructor(
    private readonly backend: ScriptedBackend,
    private readonly operations: (call: { method: string; url: string }) => string | undefined,
    private readonly held: (reply: Reply) => Promise<void>,
    private readonly sinceStart: () => number,
  ) {}

  static async open(
    origins: Iterable<string>,
    options: {
      backend: ScriptedBackend;
      operations: (call: { method: string; url: string }) => string | undefined;
      /** Resolves when a reply is to be sent. */
      held: (reply: Reply) => Promise<void>;
      sinceStart: () => number;
    },
  ): Promise<BackendServers> {
    const { backend, operations, held, sinceStart } = options;
    const servers = new BackendServers(backend, operations, held, sinceStart);
    for (const origin of new Set(origins)) await servers.listen(origin);
    return servers;
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  private async listen(origin: string): Promise<void> {
    const server = createServer((request, response) => {
      this.answer(origin, request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    this.servers.push(server);
    this.rewrite[origin] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  private async answer(origin: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    const body = await text(request);
    const url = origin + path;
    const operation = this.operations({ method, url });
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const seen = { method, url, headers, body, timeoutMs: 0, mode: 'requestResponse' } satisfies HttpRequest;
    const reply = await this.backend.answer(
      { ...seen, ...(operation !== undefined && { operation }) },
      this.sinceStart(),
    );
    if (reply.fail === 'timeout') return;
    await this.held(reply);
    if (reply.fail === 'network') response.destroy();
    else send(response, reply);
  }
}

/** Sends only the scripted headers, so that a journey sees the same as in virtual time. */
export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.sendDate = false;
  for (const name of ['connection', 'transfer-encoding', 'content-length']) response.removeHeader(name);
  const isText = typeof body === 'string';
  if (body !== undefined && headers['content-type'] === undefined) {
    response.setHeader('content-type', isText ? 'text/plain' : 'application/json');
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(status).end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
}

interface OperationCall {
  operation: string;
  pattern: CallPattern;
  origin: string;
}

/** Call patterns of a journey's operations, to find the operation of a call. */
function operationCalls(definition: Definition): OperationCall[] {
  return httpCalls(definition).flatMap(({ operation, method, url }) => {
    const pattern = operation === undefined ? undefined : CallPattern.parse(`${method} ${url}`);
    return pattern ? { operation: operation!, pattern, origin: literalOrigin(url)! } : [];
  });
}

/** The origins of calls whose URL is statically known. */
function literalOrigins(definition: Definition): string[] {
  return httpCalls(definition).flatMap(({ url }) => literalOrigin(url) ?? []);
}

/** `https://host:port` of a URL whose host is not computed. */
export function literalOrigin(url: string): string | undefined {
  return /^https?:\/\/[^/?#${}\s*]+/i.exec(url)?.[0];
}

/** Replies that wait for a frozen clock. */
export class DelayedReplies {
  private waiting: { due: number; send: () => void }[] = [];

  constructor(private time: number) {}

  get now(): number {
    return this.time;
  }

  held({ afterMs }: Reply): Promise<void> {
    if (afterMs <= 0) return Promise.resolve();
    return new Promise((send) => this.waiting.push({ due: this.time + afterMs, send }));
  }

  at(now: number): void {
    this.time = now;
  }

  /** Sends the replies that are due. */
  send(): void {
    const now = this.time;
    const due = this.waiting.filter((it) => it.due <= now);
    this.waiting = this.waiting.filter((it) => it.due > now);
    for (const { send } of due) send();
  }
}
