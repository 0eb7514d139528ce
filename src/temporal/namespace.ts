import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { ProblemError, problem } from '../problems/problem.js';
import { unknownNamespace } from './failures.js';
import { msToTs } from './sdk.js';
import { indexedValueType, type SearchAttributeName, searchAttributes } from './search-attributes.js';

const day = 86_400;
const names = Object.keys(searchAttributes) as SearchAttributeName[];
const typeFor = (name: SearchAttributeName): number => indexedValueType[searchAttributes[name]];

/** A namespace as Journeyman needs it to be. */
export interface NamespaceReport {
  readonly namespace: string;
  readonly retentionDays: number;
  /** Search attributes it does not have. */
  readonly missing: readonly SearchAttributeName[];
  /** Those it has with another type, which only an operator can change. */
  readonly mistyped: readonly SearchAttributeName[];
}

/** Days for which a namespace keeps ended runs. Rejects with TEMPORAL_NAMESPACE_UNKNOWN if there is no such namespace. */
export async function retentionDays(connection: Connection, namespace: string): Promise<number> {
  const answer = await connection.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
    throw isGrpcServiceError(error) && error.code === grpc.notFound ? unknownNamespace(namespace) : error;
  });
  return Number(answer.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / day;
}

/** Sets how long a namespace keeps ended runs, if it differs. Only the embedded server is ours to set. */
export async function setRetention(connection: Connection, namespace: string, days: number): Promise<void> {
  if ((await retentionDays(connection, namespace)) === days) return;
  const workflowExecutionRetentionTtl = msToTs(days * day * 1000);
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
}

/** Looks at a namespace and changes nothing. */
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
 * Gives a namespace the search attributes it lacks; two quick reads if it lacks none. If that is not allowed, it rejects with
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

/** A cluster's frontends learn of new attributes within seconds; a run started before would be refused. */
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

/** The commands that give a namespace these attributes. */
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
        hint: 'Use a namespace of its own for Journeyman (temporal.namespace or TEMPORAL_NAMESPACE).',
      },
    ),
  );
}
