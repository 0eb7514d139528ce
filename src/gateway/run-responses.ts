import { emptyObject, type Json, type JsonObject } from '../base/json/value.js';
import { outcomeFields, statusFields } from '../engine/definition/response-fields-and-projection.js';
import { stepPath } from '../engine/steps/step-address.js';
import type { RunView } from '../service/runs-interface.js';

type Compensation = NonNullable<NonNullable<RunView['outcome']>['compensation']>;

/** Builds response bodies that describe a run. URLs start with the gateway's public URL, if configured. */
export class RunResponses {
  private readonly base: string;

  constructor(publicUrl: string | undefined) {
    this.base = `${(publicUrl ?? '').replace(/\/+$/, '')}/api/v1`;
  }

  statusUrl(id: string): string {
    return `${this.base}/journeys/${encodeURIComponent(id)}`;
  }

  stepUrl(id: string, step: string): string {
    return `${this.statusUrl(id)}/steps/${stepPath(step)}`;
  }

  /** JourneyStartResponse. */
  started(run: RunView): JsonObject {
    const { self, result } = this.links(run);
    return {
      journeyId: run.journeyId,
      journeyName: run.journeyName,
      statusUrl: this.statusUrl(run.journeyId),
      ...(run.links ? { _links: { self: self as Json, result: result as Json } } : {}),
    };
  }

  /** JourneyStatus, with the projection of a step's response. */
  status(run: RunView, projection?: JsonObject): JsonObject {
    const { currentState, activeStates, updatedAt, tags, attributes } = run.status;
    return withProjection(
      projection,
      statusFields,
      { journeyVersion: run.journeyVersion, activeStates: activeStates as unknown as Json },
      {
        journeyId: run.journeyId,
        journeyName: run.journeyName,
        phase: run.phase,
        currentState,
        updatedAt,
        tags,
        attributes,
        ...(run.links ? { _links: this.links(run) } : {}),
      },
    );
  }

  /** JourneyStatus in a list. */
  listed(run: RunView): JsonObject {
    const { startedAt = null, endedAt = null, code = null } = run;
    return { ...this.status(run), startedAt, endedAt, code };
  }

  /** JourneyOutcome of an ended run, whose self link is the result; a running run has a status instead. */
  outcome(run: RunView): JsonObject {
    const { outcome } = run;
    if (outcome === undefined) return this.status(run);
    const extensions: JsonObject = { journeyVersion: run.journeyVersion };
    if (outcome.outcomeId !== undefined) extensions.outcomeId = outcome.outcomeId;
    const { compensation } = outcome;
    if (compensation) extensions.compensation = this.compensation(run, compensation);
    // Addresses of services are not shown to callers.
    if (outcome.uncertain) extensions.uncertain = outcome.uncertain.map(({ call: _, error: __, ...rest }) => rest);
    return withProjection(outcome.projection, outcomeFields, extensions, {
      journeyId: run.journeyId,
      journeyName: run.journeyName,
      phase: outcome.phase,
      status: outcome.status,
      ...(outcome.phase === 'SUCCEEDED' ? { output: outcome.output } : {}),
      ...(outcome.error === null ? {} : { error: outcome.error }),
      tags: outcome.tags,
      attributes: outcome.attributes,
      ...(run.links ? { _links: { self: this.links(run).result as Json } } : {}),
    });
  }

  /** Result of the compensation, or the URL of its run. */
  private compensation({ links }: RunView, recorded: Compensation): JsonObject {
    if (recorded.mode === 'sync') return { ...recorded };
    return { ...recorded, ...(links && { statusUrl: this.statusUrl(recorded.journeyId) }) };
  }

  /** Links to the possible next requests: status, result, active steps, cancel. */
  private links(run: RunView): JsonObject {
    const self = this.statusUrl(run.journeyId);
    const links = emptyObject();
    links.self = { href: self, method: 'GET' };
    links.result = { href: `${self}/result`, method: 'GET' };
    if (run.phase !== 'RUNNING') return links;
    for (const id of run.steps) links[id] = { href: this.stepUrl(run.journeyId, id), method: 'POST' };
    if (run.cancellable) links.cancel = { href: `${self}/steps/cancel`, method: 'POST' };
    return links;
  }
}

/** A run as shown to other systems that submit a step: without links, tags, attributes and other active states. */
export function bareRun(run: RunView): RunView {
  return { ...run, links: false, status: { ...run.status, activeStates: [], tags: [], attributes: {} } };
}

/** Merges fields: standard fields take precedence over projected ones, and those over our extensions. */
function withProjection(
  projection: JsonObject | undefined,
  reserved: readonly string[],
  extensions: JsonObject,
  standard: JsonObject,
): JsonObject {
  const out = Object.assign(emptyObject(), standard, extensions);
  for (const [key, value] of Object.entries(projection ?? {})) if (!reserved.includes(key)) out[key] = value;
  return out;
}
