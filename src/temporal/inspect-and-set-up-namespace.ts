import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { ProblemError, problem } from '../base/problems/problem.js';
import { unknownNamespace } from './classify-temporal-errors.js';
import { msToTs } from './sdk-internals.js';
import { indexedValueType, type SearchAttributeName, searchAttributes } from './search-attribute-types.js';

const day = 86_400;
const names = Object.keys(searchAttributes) as SearchAttributeName[];
const typeFor = (name: SearchAttributeName): number => indexedValueType[searchAttributes[name]];

/** State of a namespace that Journeyman depends on. */
export interface NamespaceReport {
  readonly namespace: string;
  readonly retentionDays: number;
  /** Missing search attributes. */
  readonly missing: readonly SearchAttributeName[];
  /** Search attributes with another type, which only an operator can change. */
  readonly mistyped: readonly SearchAttributeName[];
}

/** The retention of a namespace in days. Rejects with TEMPORAL_NAMESPACE_UNKNOWN if it does not exist. */
export async function retentionDays(connection: Connection, namespace: string): Promise<number> {
  const answer = await connection.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
    throw isGrpcServiceError(error) && error.code === grpc.notFound ? unknownNamespace(namespace) : error;
  });
  return Number(answer.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / day;
}

/** Sets the retention of a namespace, if it differs. Only for the embedded server. */
export async function setRetention(connection: Connection, namespace: string, days: number): Promise<void> {
  if ((await retentionDays(connection, namespace)) === days) return;
  const workflowExecutionRetentionTtl = msToTs(days * day * 1000);
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
}

/** Inspects a namespace without changing it. */
export async function inspectNamespace(connection: Connection, namespace: string): Promise<NamespaceReport> {
  const days = await retentionDays(connection, namespace);
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const typeOf = (name: string) => (Object.hasOwn(customAttributes, name) ? customAttributes[name] : undefined);
  return {
    namespace,
    retentionDays: days,
    missing: names.filter((name) => typeOf(name) === undefined),
    mistyped: names.filter((name) => (typeOf(name) ?? typeFor(name)) !== typeFor(name)),
  };
}

/**
 * Adds missing search attributes to a namespace; two quick reads if none is missing. If that is not permitted, rejects with
 * SEARCH_ATTRIBUTES_MISSING and the commands an operator must run.
 */
export async function ensureNamespace(connection: Connection, namespace: string): Promise<NamespaceReport> {
  const before = await inspectNamespace(connection, namespace).catch((error: unknown) => {
    throw error instanceof ProblemError || !isRefusal(error) ? error : cannot(namespace, names, error);
  });
  if (before.mistyped.length > 0) throw mistyped(before);
  if (before.missing.length === 0) return before;
  const wanted = before.missing.map((name) => [name, typeFor(name)]);
  const failure = await connection.operatorService
    .addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(wanted) })
    .then(
      () => undefined,
      (error: Error) => error,
    );
  const after = await inspectNamespace(connection, namespace);
  if (failure !== undefined && after.missing.length > 0) throw cannot(namespace, after.missing, failure);
  await untilUsable(connection, namespace, before.missing);
  return after;
}

/** Waits until all frontends of a cluster know the new attributes; earlier starts would be rejected. */
async function untilUsable(
  connection: Connection,
  namespace: string,
  added: readonly SearchAttributeName[],
): Promise<void> {
  const query = added.map((name) => `${name} = 'x'`).join(' AND ');
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(250)) {
    const refused = await connection.workflowService.countWorkflowExecutions({ namespace, query }).then(
      () => false,
      (error: unknown) => isGrpcServiceError(error) && error.code === grpc.invalidArgument,
    );
    if (!refused) return;
  }
}

/** The commands that add these attributes to a namespace. */
export function createCommands(namespace: string, missing: readonly SearchAttributeName[]): string[] {
  return missing.map(
    (name) =>
      `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${searchAttributes[name]}`,
  );
}

const grpc = { invalidArgument: 3, notFound: 5, permissionDenied: 7, unimplemented: 12 } as const;

function isRefusal(error: unknown): error is Error {
  return isGrpcServiceError(error) && [grpc.permissionDenied, grpc.unimplemented].some((code) => code === error.code);
}

function cannot(namespace: string, missing: readonly SearchAttributeName[], error: Error): ProblemError {
  const commands = createCommands(namespace, missing);
  return new ProblemError(
    problem('SEARCH_ATTRIBUTES_MISSING', `Namespace ${namespace} lacks ${missing.join(', ')}: ${error.message}`, {
      hint: `An operator must run:\n${commands.map((command) => `  ${command}`).join('\n')}\nOn Temporal Cloud: tcld namespace search-attributes add, or the namespace's page.`,
      commands,
    }),
  );
}

function mistyped({ namespace, mistyped: found }: NamespaceReport): ProblemError {
  const wanted = found.map((name) => `${name} as ${searchAttributes[name]}`).join(', ');
  return new ProblemError(
    problem(
      'SEARCH_ATTRIBUTES_MISSING',
      `Namespace ${namespace} has search attributes of another type; needed: ${wanted}`,
      {
        hint: 'Use a separate namespace for Journeyman (temporal.namespace or TEMPORAL_NAMESPACE).',
      },
    ),
  );
}
