import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { ProblemError } from '../../base/problems/problem.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { Answer } from '../../pipelines/messages-and-effects.js';
import { checkConfigs, type Platform } from '../../service/check-platform-config.js';
import { type Mismatch, mismatchesOf } from '../compare-expectation.js';
import { describeDifference, differences } from '../json-differences.js';
import type { ScenarioReport } from '../run-scenario.js';
import { ScriptedBackend } from '../scripted-backend.js';
import { TooManyEvents, VirtualClock } from '../virtual/virtual-clock.js';
import type { PipelineHost } from './pipeline-host-interface.js';
import type { PipelineScenario, PipelineStep } from './pipeline-scenario.js';
import { PipelineSimulation, type PipelineSimulationOptions } from './pipeline-simulation.js';

/** Plays one scenario of a pipeline in virtual time and compares the observation with its expectations. */
export async function runPipelineScenario(
  definition: PipelineDefinition,
  scenario: PipelineScenario,
  options: Pick<PipelineSimulationOptions, 'vocabulary' | 'mostRuns'> = {},
): Promise<ScenarioReport> {
  return await playOnHost(scenario, async () => createPipelineSimulation(definition, scenario, options));
}

/** The pipeline of a scenario in virtual time, in its initial state. */
export function createPipelineSimulation(
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

/** Plays a scenario on a host. */
export async function playOnHost(
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
    for (const happening of scenario.steps) {
      const answer = happening.action && (await host.act(happening.action));
      const wrong = answerFault(happening, answer);
      if (wrong !== undefined) mismatches.push({ subject: 'do', message: wrong, ...scenario.place(happening.pointer) });
      if (happening.expect) differ(happening.expect, host.seen(), `${happening.pointer}/expect`);
    }
    differ(scenario.expect, host.seen(), `${pointer}/expect`);
  } catch (error) {
    mismatches.push({ subject: 'run', message: whyFailed(error), ...scenario.place(pointer) });
  }
  const { backend, problems = [] } = host ?? {};
  const calls = { pointer, now, steps: [], expect: scenario.calls, place: scenario.place };
  mismatches.push(
    ...mismatchesOf(calls, {
      calls: backend?.calls ?? [],
      answers: [],
      problems: [...problems, ...(backend?.problems ?? [])],
    }),
  );
  return { name, passed: mismatches.length === 0, mismatches };
}

function whyFailed(error: unknown): string {
  if (error instanceof TooManyEvents) return `The pipeline does not become idle: ${error.message}.`;
  if (!(error instanceof ProblemError))
    return `The run failed: ${error instanceof Error ? error.message : String(error)}`;
  const { code, detail, title, errors = [] } = error.problem;
  return [`The run failed: ${code}: ${detail ?? title}`, ...errors.map((it) => it.message)].join(' ');
}

/** The error of a run that was expected to end differently, or not to exist. */
function why(path: string, { runs }: JsonObject): string {
  const [, index] = /^runs\[(\d+)\](?:\.status)?$/.exec(path) ?? [];
  const error = index === undefined ? undefined : own((runs as Json[])[Number(index)], 'error');
  return isObject(error) ? ` (${String(error.code)}: ${String(error.reason)})` : '';
}

/** The mismatch of an answer: an unexpected rejection, or another code than the expected one. */
function answerFault({ code }: PipelineStep, answer: Answer | undefined): string | undefined {
  if (!answer) return undefined;
  const got: Json = answer.ok ? answer.code : answer.problem.code;
  if (code === undefined) return answer.ok ? undefined : `rejected with ${got}: ${answer.problem.detail ?? ''}`;
  return code === got ? undefined : `expected ${code}, got ${got}`;
}
