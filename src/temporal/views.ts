import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { JourneyView } from '../../workflows/input.js';
import { keys, searched } from '../../workflows/search-attributes.js';
import type { Definition, InboundBinding } from '../definition/definition.js';
import type { Signature } from '../definition/signature.js';
import type { Outcome } from '../engine/outcome.js';
import { emptyObject } from '../json/value.js';
import type { RunView } from '../service/runs.js';

/** What a run's memo says about it from the start, for when no worker answers. */
export interface RunMemo {
  links: boolean;
  cancellable: boolean;
  tags: string[];
  /** Where the run begins, until another state is reported. */
  start?: string;
  /** Content hash of the definition. */
  definition: string;
  inputHash?: string;
  /** Who started it, as `StartedBy` says: whatever the run makes has the same. */
  startedBy?: string;
  /** How submissions of steps are signed, where the journey says so. */
  signatures?: Record<string, Signature>;
  /** Its journey looks at requests. */
  requests?: true;
  /** Its journey asks who reads. */
  guarded?: true;
  /** What steps copy from their requests into the context, where the journey says so. */
  steps?: Record<string, InboundBinding>;
}

/** A run as it describes itself. */
export function viewOf(id: string, definition: Definition, { working, ...view }: JourneyView): RunView {
  return {
    resting: working !== true,
    id,
    journeyName: definition.name,
    journeyVersion: definition.version,
    links: definition.links,
    cancellable: definition.lifecycle.cancellable,
    ...view,
  };
}

/** What a description and a list entry have in common, as far as we read it. */
type Described = Pick<WorkflowExecutionInfo, 'workflowId' | 'status' | 'startTime' | 'typedSearchAttributes'> & {
  [K in 'closeTime' | 'executionTime']?: Date | undefined;
} & { memo?: Record<string, unknown> | undefined };

/** Whether the run's journey asks who reads it. */
export function isGuarded({ memo }: Pick<Described, 'memo'>): boolean {
  return (memo?.journey as RunMemo | undefined)?.guarded === true;
}

/** A run as Temporal knows it without asking the run: search attributes, memo, and the outcome if it has ended. */
export function describedView(info: Described, outcome?: Outcome): RunView {
  const memo = info.memo?.journey as RunMemo | undefined;
  const attributes = info.typedSearchAttributes;
  const phase = outcome?.phase ?? phaseOf(info.status.name);
  const resting = attributes.get(keys.JourneyState) ?? (phase === 'RUNNING' ? memo?.start : undefined);
  const updated = info.closeTime ?? info.executionTime ?? info.startTime;
  return {
    id: info.workflowId,
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
    ...(outcome && { outcome }),
  };
}

/** A run's attributes are among its tags as `key=value`; its memo says which ones are plain tags. */
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
