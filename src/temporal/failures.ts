import {
  isGrpcServiceError,
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isProblem, ProblemError, problem } from '../problems/problem.js';
import { getGrpcStatusDetails } from './sdk.js';

const invalid = 3;
const notFound = 5;
const alreadyThere = 6;
const preconditionFailed = 9;
const away = 14;
const unavailable = new Set([1, 4, 8, away]);

/** What went wrong with a call to Temporal, as the problem that the caller should see. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const detail = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  const refused = detail instanceof ApplicationFailure ? detail.details?.[0] : undefined;
  if (isProblem(refused)) return new ProblemError(refused);
  if (isNamespaceUnknown(error)) return unknownNamespace(namespaceIn(error));
  if (isNotFound(error)) return new ProblemError(problem('RUN_UNKNOWN'));
  const code = grpcCode(error);
  if (code !== undefined && unavailable.has(code)) {
    return new ProblemError(problem('TEMPORAL_UNAVAILABLE', 'The Temporal server did not answer in time.'));
  }
  throw error;
}

/** The run does not exist, or is closed. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || (grpcCode(error) === notFound && !isNamespaceUnknown(error));
}

/** A problem of ours saying that the run does not exist. */
export function isRunUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'RUN_UNKNOWN';
}

/** Nothing can exist, because the namespace does not. */
function isNamespaceUnknown(error: unknown): boolean {
  return error instanceof NamespaceNotFoundError || isCalled(error, 'NamespaceNotFoundFailure');
}

/** The server has no such namespace; it may have said which. */
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

/** The run takes no questions, because its last workflow tasks failed; that stays so when it has ended. */
export function isFailing(error: unknown): boolean {
  return isCalled(error, 'WorkflowNotReadyFailure');
}

/** Whether the server gave its refusal this name. */
function isCalled(error: unknown, name: string): boolean {
  return detailsOf(error).some(({ type_url }) => type_url?.endsWith(`.${name}`) === true);
}

function detailsOf(error: unknown) {
  const status = serviceError(error);
  return (status && getGrpcStatusDetails(status)) ?? [];
}

/** What was to be made already exists. */
export function isAlreadyThere(error: unknown): boolean {
  return grpcCode(error) === alreadyThere;
}

/** The run ended between taking an update and answering it. */
export function isCutOff(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow';
}

/** The server does not do what it was asked, however often it is asked. */
export function isRefusal(error: unknown): boolean {
  return grpcCode(error) === invalid;
}

/** Another writer came first. */
export function isConflict(error: unknown): boolean {
  return grpcCode(error) === preconditionFailed;
}

/**
 * The call hit its deadline, or nobody was there to answer it, or the run cannot answer: its last workflow task failed, or it is a
 * scheduled run that first asks whether it may run at all and does not listen yet.
 */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof QueryNotRegisteredError) return true;
  const code = grpcCode(error);
  return code !== undefined && (code === preconditionFailed || unavailable.has(code));
}

/** Nobody is there at all: asking for anything else now would only take just as long. */
export function isAway(error: unknown): boolean {
  return grpcCode(error) === away;
}

function grpcCode(error: unknown): number | undefined {
  return serviceError(error)?.code;
}

function serviceError(error: unknown) {
  const status = isGrpcServiceError(error) ? error : (error as { cause?: unknown })?.cause;
  return isGrpcServiceError(status) ? status : undefined;
}
