import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { Answer } from '../../pipelines/message.js';
import { ProblemError } from '../../problems/problem.js';
import type { Platform } from '../../service/platform.js';
import { checkConfigs } from '../../service/platform-config.js';
import { ScriptedBackend } from '../backend.js';
import { compare, type Mismatch } from '../compare.js';
import { describeDifference, differences } from '../diff.js';
import type { ScenarioReport } from '../run-scenario.js';
import { TooManyEvents, VirtualClock } from '../virtual/clock.js';
import type { PipelineHost } from './host.js';
import type { Happening, PipelineScenario } from './scenario.js';
import { PipelineSimulation, type PipelineSimulationOptions } from './simulation.js';

/** Plays one scenario of a pipeline in virtual time, and compares what is seen with what it expects. */
export async function runPipelineScenario(
  definition: PipelineDefinition,
  scenario: PipelineScenario,
  options: Pick<PipelineSimulationOptions, 'vocabulary' | 'mostRuns'> = {},
): Promise<ScenarioReport> {
  return await playPipelineScenario(scenario, async () => inVirtualTime(definition, scenario, options));
}

/** The pipeline of a scenario in virtual time, before anything happened to it. */
export function inVirtualTime(
  definition: PipelineDefinition,
  scenario: PipelineScenario,
  options: Pick<PipelineSimulationOptions, 'vocabulary' | 'mostRuns'> = {},
): PipelineSimulation {
  checkConfigs(definition, { environment: scenario.environment, config: scenario.config as Platform['config'] });
  const clock = new VirtualClock(scenario.now);
  return new PipelineSimulation(definition, {
    ...scenario,
    ...options,
    clock,
    backend: new ScriptedBackend(scenario.backend),
  });
}

/** Plays a scenario where it is to happen. */
export async function playPipelineScenario(
  scenario: PipelineScenario,
  open: () => Promise<PipelineHost>,
): Promise<ScenarioReport> {
  const { name, pointer, now } = scenario;
  const mismatches: Mismatch[] = [];
  const differ = (expected: JsonObject, seen: JsonObject, at: string): void => {
    for (const it of differences(expected, seen, true)) {
      const field = it.path.split(/[.[]/)[0]!;
      const place = scenario.place(field === '' ? at : `${at}/${field}`);
      mismatches.push({ subject: it.path || 'expect', message: describeDifference(it) + why(it.path, seen), ...place });
    }
  };
  let host: PipelineHost | undefined;
  try {
    host = await open();
    for (const happening of scenario.happens) {
      const answer = happening.action && (await host.act(happening.action));
      const wrong = answerFault(happening, answer);
      if (wrong !== undefined) mismatches.push({ subject: 'do', message: wrong, ...scenario.place(happening.pointer) });
      if (happening.expect) differ(happening.expect, host.seen(), `${happening.pointer}/expect`);
    }
    differ(scenario.expect, host.seen(), `${pointer}/expect`);
  } catch (error) {
    mismatches.push({ subject: 'run', message: whyFailed(error), ...scenario.place(pointer) });
  }
  const { backend, troubles = [] } = host ?? {};
  const calls = { pointer, now, steps: [], expect: scenario.calls, place: scenario.place };
  mismatches.push(
    ...compare(calls, {
      calls: backend?.calls ?? [],
      answers: [],
      troubles: [...troubles, ...(backend?.troubles ?? [])],
    }),
  );
  return { name, passed: mismatches.length === 0, mismatches };
}

function whyFailed(error: unknown): string {
  if (error instanceof TooManyEvents) return `The pipeline does not come to rest: ${error.message}.`;
  if (!(error instanceof ProblemError))
    return `The run failed: ${error instanceof Error ? error.message : String(error)}`;
  const { code, detail, title, errors = [] } = error.problem;
  return [`The run failed: ${code}: ${detail ?? title}`, ...errors.map((it) => it.message)].join(' ');
}

/** Why a run went wrong that was expected to end otherwise, or not to be there. */
function why(path: string, { runs }: JsonObject): string {
  const [, index] = /^runs\[(\d+)\](?:\.status)?$/.exec(path) ?? [];
  const error = index === undefined ? undefined : own((runs as Json[])[Number(index)], 'error');
  return isObject(error) ? ` (${String(error.code)}: ${String(error.reason)})` : '';
}

/** A refusal must be expected, and an expected code must come. */
function answerFault({ code }: Happening, answer: Answer | undefined): string | undefined {
  if (!answer) return undefined;
  const got: Json = answer.ok ? answer.code : answer.problem.code;
  if (code === undefined) return answer.ok ? undefined : `refused with ${got}: ${answer.problem.detail ?? ''}`;
  return code === got ? undefined : `expected ${code}, got ${got}`;
}
