import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { JourneyView } from '../../../workflows/journey/workflow-contract.js';
import { awaitsStep, keys, searched } from '../../../workflows/shared/run-search-attributes.js';
import { emptyObject } from '../../base/json/value.js';
import type { Code } from '../../base/problems/registry.js';
import type { Definition, InboundBinding } from '../../engine/definition/definition.js';
import type { Signature } from '../../engine/definition/inbound-signature-scheme.js';
import { failureCode, type Outcome } from '../../engine/outcome.js';
import type { RunView } from '../../service/runs-interface.js';

/** Memo of a run, readable without a worker. It is in every start, so usual values are left out. */
export interface RunMemo {
  /** True by default. */
  links?: boolean;
  /** True by default. */
  cancellable?: boolean;
  /** None by default. */
  tags?: string[];
  /** The initial state, until another is reported. */
  start?: string;
  /** Content hash of the definition. */
  definition: string;
  /** Hash of the input; of runs with a key of any kind. */
  inputHash?: string;
  /** Hash of the Idempotency-Key of its start, for runs with a business key. */
  request?: string;
  /** Tells the runs of one business key apart. */
  nonce?: string;
  /** The owner, as in `StartedBy`; inherited by schedules that the run creates. */
  startedBy?: string;
  /** Schedules that the run creates are identified by their owner too, because it was not started by an operator. */
  ownSchedules?: true;
  /** Signature rules of steps, if the journey has any. */
  signatures?: Record<string, Signature>;
  /** Its journey uses requests. */
  requests?: true;
  /** Its journey has a read guard. */
  guarded?: true;
  /** Bindings of steps, if the journey has any. */
  steps?: Record<string, InboundBinding>;
}

/** The view of a run from its own answer. */
export function runView(id: string, definition: Definition, { working, ...view }: JourneyView): RunView {
  return {
    resting: working !== true,
    journeyId: id,
    journeyName: definition.name,
    journeyVersion: definition.version,
    links: definition.links,
    cancellable: definition.lifecycle.cancellable,
    ...view,
  };
}

/** Common part of a description and a list entry. */
export type DescribedRun = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'status' | 'startTime' | 'typedSearchAttributes'
> & {
  [K in 'closeTime' | 'executionTime']?: Date | undefined;
} & { memo?: Record<string, unknown> | undefined };

/** Reports whether the run's journey has a read guard. */
export function isGuarded({ memo }: Pick<DescribedRun, 'memo'>): boolean {
  return (memo?.journey as RunMemo | undefined)?.guarded === true;
}

/** The view of a run from Temporal's data: search attributes, memo, and the outcome if it has ended. */
export function describedView(info: DescribedRun, outcome?: Outcome): RunView {
  const memo = info.memo?.journey as RunMemo | undefined;
  const attributes = info.typedSearchAttributes;
  const phase = outcome?.phase ?? phaseOf(info.status.name);
  const resting = attributes.get(keys.JourneyState) ?? (phase === 'RUNNING' ? memo?.start : undefined);
  const updated = info.closeTime ?? info.executionTime ?? info.startTime;
  const code = outcome ? outcome.error && failureCode(outcome.error) : listedCode(info);
  return {
    journeyId: info.workflowId,
    journeyName: attributes.get(keys.JourneyName) ?? '',
    journeyVersion: attributes.get(keys.JourneyVersion) ?? '',
    phase,
    links: memo?.links ?? true,
    cancellable: memo?.cancellable ?? true,
    steps: [],
    status: {
      currentState: outcome?.terminatedAtState ?? resting ?? '',
      activeStates: [],
      updatedAt: updated.toISOString(),
      ...(outcome
        ? { tags: outcome.tags, attributes: outcome.attributes }
        : metadataOf(memo, attributes.get(keys.JourneyTags))),
    },
    ...(isWaiting(info) && { waits: true }),
    startedAt: info.startTime.toISOString(),
    endedAt: info.closeTime?.toISOString() ?? null,
    ...(code != null && { code }),
    ...(outcome && { outcome }),
  };
}

function isWaiting({ status, typedSearchAttributes }: DescribedRun): boolean {
  return status.name === 'RUNNING' && typedSearchAttributes.get(keys.JourneyOutcome) === awaitsStep;
}

/** The code by which the failure of an ended run is grouped, by Temporal's data. */
function listedCode({ status, typedSearchAttributes }: DescribedRun): string | undefined {
  switch (status.name) {
    case 'TERMINATED':
      return 'RUN_TERMINATED' satisfies Code;
    case 'TIMED_OUT':
      return 'RUN_TIMED_OUT' satisfies Code;
    case 'FAILED':
    case 'CANCELLED': {
      const written = typedSearchAttributes.get(keys.JourneyOutcome);
      return written === undefined || written === awaitsStep ? undefined : searched(written);
    }
    default:
      return undefined;
  }
}

/** Separates attributes from tags: attributes are tags of the form `key=value`; the memo lists the plain tags. */
function metadataOf(
  memo: RunMemo | undefined,
  listed: string[] | undefined,
): Pick<RunView['status'], 'tags' | 'attributes'> {
  const tags = memo?.tags ?? [];
  const attributes = emptyObject();
  for (const entry of (listed ?? []).map(searched)) {
    const at = entry.indexOf('=');
    if (at > 0 && !tags.includes(entry)) attributes[entry.slice(0, at)] = entry.slice(at + 1);
  }
  return { tags, attributes };
}

function phaseOf(status: WorkflowExecutionInfo['status']['name']): RunView['phase'] {
  if (status === 'RUNNING' || status === 'CONTINUED_AS_NEW') return 'RUNNING';
  return status === 'COMPLETED' ? 'SUCCEEDED' : 'FAILED';
}
