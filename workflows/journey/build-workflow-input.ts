import { withoutUsual, withUsual } from '../../src/base/json/usual-values.js';
import { interpreterVersion } from '../../src/engine/interpreter-version.js';
import type { RunInfo } from '../../src/engine/run.js';
import {
  type CompactDefinition,
  compactDefinition,
  completeDefinition,
} from '../../src/language/states/compact-definition.js';
import type { CarriedState, JourneyArguments, JourneyInput, RunLimits } from './workflow-contract.js';

/** Settings of a run that come from the configuration, or from the run that starts it. */
export interface RunSettings {
  readonly environment: string;
  readonly callModes?: RunInfo['callModes'];
  readonly schedules?: RunInfo['schedules'];
  readonly limits: RunLimits;
  readonly timezone?: string;
}

/** Parts of an input that belong to one run. */
export interface NewRun
  extends Pick<JourneyInput, 'definition' | 'context' | 'tags' | 'attributes' | 'request' | 'bindings' | 'carried'> {
  readonly info: Omit<JourneyInput['info'], keyof RunSettings>;
  /** Version of the interpreter; the newest by default. */
  readonly interpreter?: number;
}

/** Builds the input of a run: started by a caller, a schedule, a pipeline or another run. */
export function newInput(settings: RunSettings, { interpreter = interpreterVersion, ...run }: NewRun): JourneyInput {
  const { environment, callModes, schedules, limits, timezone } = settings;
  return {
    ...run,
    interpreter,
    info: { ...run.info, environment, ...(callModes && { callModes }), ...(schedules && { schedules }) },
    limits,
    ...(timezone !== undefined && { timezone }),
  };
}

/** The settings of a run, for runs that it starts or that follow it. */
export function settingsOf({ info, limits, timezone }: JourneyInput): RunSettings {
  const { environment, callModes, schedules } = info;
  return {
    environment,
    ...(callModes && { callModes }),
    ...(schedules && { schedules }),
    limits,
    ...(timezone !== undefined && { timezone }),
  };
}

/** The input of the execution that continues a run. */
export function continuedInput(input: JourneyInput, info: RunInfo, carried: CarriedState): JourneyInput {
  return { ...input, info, context: {}, carried };
}

/** The input of a run without its context, as it travels: without usual values. */
export type CompactInput = Partial<Omit<JourneyInput, 'context' | 'definition'>> & { definition: CompactDefinition };

/**
 * The values that most runs have: those of the default configuration. They are a part of the format, so they stay the same if a default
 * changes; the new one then travels.
 */
const usual = {
  info: { config: {}, environment: 'dev', callModes: {}, schedules: { minIntervalSec: 60, contextBytes: 262_144 } },
  tags: [],
  attributes: {},
  limits: {
    expression: {
      fuel: 200_000,
      depth: 256,
      stringLength: 1_000_000,
      collectionSize: 100_000,
      outputBytes: 262_144,
      digits: 1_000,
    },
    steps: 10_000,
    calls: { atOnce: 1_000, perMinute: 300 },
    historyEvents: 2_000,
    metadata: { definitionTags: 10, runTags: 16, tagLength: 40, attributes: 16, keyLength: 32, valueLength: 256 },
  },
};

/** The input as it travels. */
function compactInput({ definition, ...rest }: Omit<JourneyInput, 'context'>): CompactInput {
  return { definition: compactDefinition(definition), ...withoutUsual(rest, usual) };
}

/** The input that travelled; also one that is complete already. */
function completeInput({ definition, ...rest }: CompactInput): Omit<JourneyInput, 'context'> {
  return {
    definition: completeDefinition(definition),
    ...(withUsual(rest, usual) as unknown as Omit<JourneyInput, 'context' | 'definition'>),
  };
}

/** The arguments of a run's workflow. */
export function journeyArguments({ context, ...rest }: JourneyInput): JourneyArguments {
  return [context, compactInput(rest)];
}

/** Reads the input of a run from its workflow's arguments. Undefined if they are not those of a journey. */
export function readArguments(args: readonly unknown[]): JourneyInput | undefined {
  const [context, rest] = args as Partial<JourneyArguments>;
  return rest?.definition ? { ...completeInput(rest), context: context ?? {} } : undefined;
}
