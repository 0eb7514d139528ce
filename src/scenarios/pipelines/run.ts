import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { Answer } from '../../pipelines/message.js';
import { refused } from '../../pipelines/step.js';
import { addDuration } from '../../time/duration.js';
import { ScriptedBackend } from '../backend.js';
import { compare, type Mismatch } from '../compare.js';
import { describeDifference, differences } from '../diff.js';
import type { ScenarioReport } from '../run-scenario.js';
import { VirtualClock } from '../virtual/clock.js';
import type { Action, Happening, PipelineScenario } from './scenario.js';
import { PipelineSimulation, type PipelineSimulationOptions } from './simulation.js';

/** Plays one scenario of a pipeline in virtual time, and compares what is seen with what it expects. */
export async function runPipelineScenario(
  definition: PipelineDefinition,
  scenario: PipelineScenario,
  options: Pick<PipelineSimulationOptions, 'vocabulary'> = {},
): Promise<ScenarioReport> {
  const { name, pointer, now } = scenario;
  const clock = new VirtualClock(now);
  const backend = new ScriptedBackend(scenario.backend);
  const mismatches: Mismatch[] = [];
  const differ = (expected: JsonObject, seen: JsonObject, at: string): void => {
    for (const it of differences(expected, seen, true)) {
      const field = it.path.split(/[.[]/)[0]!;
      const place = scenario.place(field === '' ? at : `${at}/${field}`);
      mismatches.push({ subject: it.path || 'expect', message: describeDifference(it) + why(it.path, seen), ...place });
    }
  };
  try {
    const simulation = new PipelineSimulation(definition, { ...scenario, ...options, clock, backend });
    for (const happening of scenario.happens) {
      const answer = happening.action && (await act(happening.action, simulation, clock));
      const wrong = answerFault(happening, answer);
      if (wrong !== undefined) mismatches.push({ subject: 'do', message: wrong, ...scenario.place(happening.pointer) });
      if (happening.expect) differ(happening.expect, simulation.seen(), `${happening.pointer}/expect`);
    }
    differ(scenario.expect, simulation.seen(), `${pointer}/expect`);
  } catch (error) {
    const message = `The run failed: ${error instanceof Error ? error.message : String(error)}`;
    mismatches.push({ subject: 'run', message, ...scenario.place(pointer) });
  }
  const troubles = backend.unexpected.map(({ method, url }) => ({
    message: `No reply is scripted for ${method} ${url}.`,
    hint: `Add a rule to backend: call: ${method} ${url}.`,
  }));
  const calls = { pointer, now, steps: [], expect: scenario.calls, place: scenario.place };
  mismatches.push(...compare(calls, { calls: backend.calls, answers: [], troubles }));
  return { name, passed: mismatches.length === 0, mismatches };
}

/** Why a run went wrong that was expected to end otherwise, or not to be there. */
function why(path: string, { runs }: JsonObject): string {
  const [, index] = /^runs\[(\d+)\](?:\.status)?$/.exec(path) ?? [];
  const error = index === undefined ? undefined : own((runs as Json[])[Number(index)], 'error');
  return isObject(error) ? ` (${String(error.code)}: ${String(error.reason)})` : '';
}

async function act(action: Action, simulation: PipelineSimulation, clock: VirtualClock): Promise<Answer | undefined> {
  if (action.type === 'advance') {
    await simulation.until(addDuration(clock.now(), action.by));
    return undefined;
  }
  if (action.type === 'publish') return await simulation.send({ ...action, stamp: clock.now().toString(36) });
  if (action.type !== 'resolve') return await simulation.send(action);
  const run = simulation.suspendedRun(action.handler);
  if (run === undefined) return refused('RUN_NOT_SUSPENDED', `No run of ${action.handler} is suspended.`);
  return await simulation.send({ type: 'resolve', run, how: action.how });
}

/** A refusal must be expected, and an expected code must come. */
function answerFault({ code }: Happening, answer: Answer | undefined): string | undefined {
  if (!answer) return undefined;
  const got: Json = answer.ok ? answer.code : answer.problem.code;
  if (code === undefined) return answer.ok ? undefined : `refused with ${got}: ${answer.problem.detail ?? ''}`;
  return code === got ? undefined : `expected ${code}, got ${got}`;
}
