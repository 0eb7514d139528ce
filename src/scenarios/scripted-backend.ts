import type { Json } from '../base/json/value.js';
import type { HttpRequest } from '../language/tasks/http-call/request-and-result-types.js';
import type { Reply } from '../language/tasks/task-kind.js';
import { type CallPattern, urlAsSent } from './call-pattern.js';
import type { ScenarioProblem } from './scenario-observation.js';

/** Replies to matching calls, in order; the last one is repeated. */
export interface BackendRule {
  calls: CallPattern;
  replies: Reply[];
}

/** A call as it reached a service. */
export interface RecordedCall {
  method: string;
  url: string;
  operation?: string;
  headers: Record<string, string>;
  /** Parsed if it is JSON. */
  body: Json;
  /** Virtual milliseconds since the start. */
  atMs: number;
}

/** The scripted services of a scenario: answers calls and records them. */
export class ScriptedBackend {
  readonly calls: RecordedCall[] = [];
  /** Calls that no rule matches; any of them fails the scenario. */
  private readonly unexpected: RecordedCall[] = [];
  private readonly used = new Map<BackendRule, number>();

  constructor(
    private readonly rules: readonly BackendRule[],
    /** Answers calls that no rule matches, if possible. */
    private readonly otherwise?: (call: RecordedCall) => Promise<Reply | undefined>,
  ) {}

  answer(request: HttpRequest, atMs: number): Reply | Promise<Reply> {
    const call = record(request, atMs);
    this.calls.push(call);
    const rule = this.rules.find(({ calls }) => calls.matches(call));
    if (!rule) return this.otherwise?.(call).then((reply) => reply ?? this.missing(call)) ?? this.missing(call);
    const count = this.used.get(rule) ?? 0;
    this.used.set(rule, count + 1);
    return rule.replies[Math.min(count, rule.replies.length - 1)]!;
  }

  private missing(call: RecordedCall): Reply {
    this.unexpected.push(call);
    return { status: 404, headers: {}, body: { error: 'no reply is scripted for this call' }, afterMs: 0 };
  }

  /** The calls that no rule matches, and the rules that are missing. */
  get problems(): ScenarioProblem[] {
    const problems = this.unexpected.map(({ method, url, operation }) => ({
      message: `No reply is scripted for ${method} ${url}${operation === undefined ? '' : ` (${operation})`}.`,
      hint: `Add a rule to backend: ${operation === undefined ? `call: ${method} ${url}` : `operation: ${operation}`}.`,
    }));
    // Reported once, however often the call was made.
    return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
  }

  /** Whether every rule used so far has reached its last reply. */
  get settled(): boolean {
    return [...this.used].every(([{ replies }, count]) => count >= replies.length);
  }
}

function record({ method, url, operation, headers, body }: HttpRequest, atMs: number): RecordedCall {
  return {
    method,
    url: urlAsSent(url),
    ...(operation !== undefined && { operation }),
    headers,
    body: parsed(body),
    atMs,
  };
}

function parsed(body: string | undefined): Json {
  if (body === undefined || body === '') return null;
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}
