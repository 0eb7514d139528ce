import type { CallResult } from '../hand-written/activities.js';
import { type Checked, call, check } from '../hand-written/call.js';

/** A statement of the small language. */
export type Statement =
  | { call: { method: string; path: string; body?: unknown; result: string } }
  | { sequence: Statement[] }
  | { parallel: Statement[] }
  | { allSucceeded: string[] };

/** A program with its initial variables. */
export interface Program {
  variables: Record<string, unknown>;
  root: Statement;
}

/**
 * The pattern of Temporal's samples: one workflow that walks through a program in its input, a tree of activities in sequences and branches
 * that share their variables.
 */
export async function interpret({ variables, root }: Program): Promise<Checked> {
  await execute(root, { ...variables });
  return { ok: true };
}

async function execute(statement: Statement, variables: Record<string, unknown>): Promise<void> {
  if ('sequence' in statement) {
    for (const each of statement.sequence) await execute(each, variables);
  } else if ('parallel' in statement) {
    await Promise.all(statement.parallel.map((each) => execute(each, variables)));
  } else if ('allSucceeded' in statement) {
    check(statement.allSucceeded.map((name) => variables[name] as CallResult));
  } else {
    const { method, path, body, result } = statement.call;
    variables[result] = await call(method, `${variables.url}${path}`, body);
  }
}
