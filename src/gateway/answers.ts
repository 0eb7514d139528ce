import { outcomeFields, statusFields } from '../definition/reserved.js';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';
import type { RunView } from '../service/runs.js';

type Compensation = NonNullable<NonNullable<RunView['outcome']>['compensation']>;

/** Makes the bodies that describe a run; URLs start with the gateway's public address if one is configured. */
export class Answers {
  private readonly base: string;

  constructor(publicUrl: string | undefined) {
    this.base = `${(publicUrl ?? '').replace(/\/+$/, '')}/api/v1`;
  }

  statusUrl(id: string): string {
    return `${this.base}/journeys/${encodeURIComponent(id)}`;
  }

  /** JourneyStartResponse. */
  started(run: RunView): JsonObject {
    const { self, result } = this.links(run);
    return {
      journeyId: run.id,
      journeyName: run.journeyName,
      statusUrl: this.statusUrl(run.id),
      ...(run.links ? { _links: { self: self as Json, result: result as Json } } : {}),
    };
  }

  /** JourneyStatus, with what a step's response projects. */
  status(run: RunView, projection?: JsonObject): JsonObject {
    const { currentState, activeStates, updatedAt, tags, attributes } = run.status;
    return withProjection(
      projection,
      statusFields,
      { journeyVersion: run.journeyVersion, activeStates: activeStates as unknown as Json },
      {
        journeyId: run.id,
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

  /** JourneyOutcome of an ended run, whose own address is that of the result; a run that is still going has a status instead. */
  outcome(run: RunView): JsonObject {
    const { outcome } = run;
    if (outcome === undefined) return this.status(run);
    const extensions: JsonObject = { journeyVersion: run.journeyVersion };
    if (outcome.outcomeId !== undefined) extensions.outcomeId = outcome.outcomeId;
    const { compensation } = outcome;
    if (compensation) extensions.compensation = this.compensation(run, compensation);
    return withProjection(outcome.projection, outcomeFields, extensions, {
      journeyId: run.id,
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

  /** How its compensation went, or where to look. */
  private compensation({ links }: RunView, told: Compensation): JsonObject {
    if (told.mode === 'sync') return { ...told };
    return { ...told, ...(links && { statusUrl: this.statusUrl(told.journeyId) }) };
  }

  /** What can be done next: look again, fetch the result, submit an active step, cancel. */
  private links(run: RunView): JsonObject {
    const self = this.statusUrl(run.id);
    const links = emptyObject();
    links.self = { href: self, method: 'GET' };
    links.result = { href: `${self}/result`, method: 'GET' };
    if (run.phase !== 'RUNNING') return links;
    for (const id of run.steps) links[id] = { href: `${self}/steps/${encodeURIComponent(id)}`, method: 'POST' };
    if (run.cancellable) links.cancel = { href: `${self}/steps/cancel`, method: 'POST' };
    return links;
  }
}

/** Our extensions give way to projected fields, and those give way to the standard ones, whether present or not. */
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
