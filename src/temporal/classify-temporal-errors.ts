import {
  isGrpcServiceError,
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isProblem, ProblemError, problem } from '../base/problems/problem.js';
import { registry } from '../base/problems/registry.js';
import { getGrpcStatusDetails } from './sdk-internals.js';

const unknown = 2;
const invalid = 3;
const notFound = 5;
const alreadyThere = 6;
const preconditionFailed = 9;
const away = 14;
const unavailable = new Set([1, 4, 8, away]);

/** Converts an error of a call to Temporal to a problem for the caller. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const detail = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  const refused = detail instanceof ApplicationFailure ? detail.details?.[0] : undefined;
  if (isProblem(refused)) return new ProblemError(refused);
  if (isNamespaceUnknown(error)) return unknownNamespace(namespaceIn(error));
  if (isNotFound(error)) return new ProblemError(problem('RUN_UNKNOWN'));
  const code = grpcCode(error);
  if ((code !== undefined && unavailable.has(code)) || asksForRepetition(error)) {
    return new ProblemError(problem('TEMPORAL_UNAVAILABLE', 'The Temporal server did not respond in time.'));
  }
  throw error;
}

/**
 * Reports whether the same request may succeed later although its status does not say so: the server hides a fault of its own, or its own
 * worker, which answers for Schedules, has just gone.
 */
function asksForRepetition(error: unknown): boolean {
  const { code, details = '' } = serviceError(error) ?? {};
  if (code === unknown) return details.includes('please retry');
  return code === preconditionFailed && details.includes('no poller seen');
}

/** Reports whether the run does not exist or is closed. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || (grpcCode(error) === notFound && !isNamespaceUnknown(error));
}

/** Reports whether a problem means that the run does not exist. */
export function isRunUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'RUN_UNKNOWN';
}

/** Reports whether the namespace does not exist. */
function isNamespaceUnknown(error: unknown): boolean {
  return error instanceof NamespaceNotFoundError || hasFailureDetail(error, 'NamespaceNotFoundFailure');
}

/** The problem of a missing namespace, which the server may have named. */
export function unknownNamespace(namespace: string | undefined): ProblemError {
  if (!namespace) return new ProblemError(problem('TEMPORAL_NAMESPACE_UNKNOWN'));
  return new ProblemError(
    problem('TEMPORAL_NAMESPACE_UNKNOWN', `The Temporal server has no namespace ${namespace}`, {
      hint: `Create it: temporal operator namespace create --namespace ${namespace} --retention 90d`,
    }),
  );
}

function namespaceIn(error: unknown): string | undefined {
  if (error instanceof NamespaceNotFoundError) return error.namespace;
  const { NamespaceNotFoundFailure } = proto.temporal.api.errordetails.v1;
  const value = detailsOf(error).find(({ type_url }) => type_url?.endsWith('.NamespaceNotFoundFailure'))?.value;
  return value ? NamespaceNotFoundFailure.decode(value).namespace : undefined;
}

/** Reports whether the run rejects queries because its last workflow tasks failed; this persists after its end. */
export function isFailing(error: unknown): boolean {
  return hasFailureDetail(error, 'WorkflowNotReadyFailure');
}

/** Reports whether a server error has this detail. */
function hasFailureDetail(error: unknown, name: string): boolean {
  return detailsOf(error).some(({ type_url }) => type_url?.endsWith(`.${name}`) === true);
}

function detailsOf(error: unknown) {
  const status = serviceError(error);
  return (status && getGrpcStatusDetails(status)) ?? [];
}

/** Reports whether the object to create already exists. */
export function alreadyExists(error: unknown): boolean {
  return grpcCode(error) === alreadyThere;
}

/** Reports whether the run ended between accepting an update and answering it. */
export function endedDuringUpdate(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow';
}

/** Reports whether the server withdrew an update that no worker has processed, as when a worker stops. It left no trace, and may be sent again. */
export function isUnprocessedUpdate(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'UnprocessedUpdate';
}

/**
 * Reports whether an update failed without an answer of the workflow: the server withdrew it, because the task that delivered it failed or
 * did not process it, or the run ended meanwhile. Our own workflows reject with a code of the registry.
 */
export function isWithdrawnUpdate(error: unknown): boolean {
  if (!(error instanceof WorkflowUpdateFailedError)) return false;
  const { cause } = error;
  return !(
    cause instanceof ApplicationFailure &&
    typeof cause.type === 'string' &&
    Object.hasOwn(registry, cause.type)
  );
}

/** Reports whether the server does not support the request. */
export function isRefusal(error: unknown): boolean {
  return grpcCode(error) === invalid;
}

/** Reports whether another writer was first. */
export function isConflict(error: unknown): boolean {
  return grpcCode(error) === preconditionFailed;
}

/**
 * Reports whether the call timed out, the server is unavailable, or the run cannot answer: its last workflow task failed, or it is a
 * scheduled run that still waits for its admission.
 */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof QueryNotRegisteredError) return true;
  const code = grpcCode(error);
  return code !== undefined && (code === preconditionFailed || unavailable.has(code));
}

/** Reports whether the server is unavailable; further calls would time out too. */
export function isServerAway(error: unknown): boolean {
  return grpcCode(error) === away;
}

function grpcCode(error: unknown): number | undefined {
  return serviceError(error)?.code;
}

function serviceError(error: unknown) {
  const status = isGrpcServiceError(error) ? error : (error as { cause?: unknown })?.cause;
  return isGrpcServiceError(status) ? status : undefined;
}
