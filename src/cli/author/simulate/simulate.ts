import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { parse } from 'yaml';
import { type Output, type Paint, paint, safe, safeJson } from '../../../app/safe-terminal-text.js';
import type { Json } from '../../../base/json/value.js';
import { addDuration } from '../../../base/time/duration.js';
import type { Definition } from '../../../engine/definition/definition.js';
import { type FileFinding, readJourney } from '../../../library/read-journeys.js';
import { readReferences } from '../../../library/read-library.js';
import { differences } from '../../../scenarios/json-differences.js';
import { placesOfScheduledRuns, type RunPlace } from '../../../scenarios/locate-run-end-in-source.js';
import { mergedProfiles } from '../../../scenarios/read/auth-profile-schema-and-merge.js';
import { openApiReplies } from '../../../scenarios/simulate/schema-samples.js';
import {
  type AnswerSource,
  idleAnswers,
  type Simulated,
  type SimulateOptions,
  schemaAnswers,
  simulate,
  singleState,
} from '../../../scenarios/simulate/simulate.js';
import { type JobFire, simulateJob } from '../../../scenarios/simulate/simulate-job.js';
import { simulatedScenarioText } from '../../../scenarios/write-scenario.js';
import { withInput } from '../../json-input-option.js';
import { catalogueFolders, commandWithConfig, configOf, formatOption, withCatalogue } from '../../options.js';
import { documentFiles } from '../document-files.js';
import { type Prompt, promptAnswers, terminalPrompt } from './ask-for-missing-answers.js';
import {
  cadenceFor,
  defaultSpan,
  durationOption,
  inputFor,
  instantOption,
  type SimulateArguments as Options,
  objectOption,
  scriptOf,
} from './simulate-options.js';
import {
  eventText,
  failuresText,
  missingText,
  runEndText,
  scheduleText,
  simulatedJobText,
  stateEndText,
} from './simulation-text.js';

/** Output and prompts of the command; replaced in tests. */
export interface SimulateDeps {
  out: Output;
  error: Output;
  /** Prompts on a terminal, if there is one. */
  terminal(): { ask: Prompt; close(): void } | undefined;
}

const parts: SimulateDeps = {
  out: process.stdout,
  error: process.stderr,
  terminal: () => (process.stdin.isTTY && process.stdout.isTTY ? terminalPrompt() : undefined),
};

const examples = `
Time is virtual, and no real calls are made. Replies and submissions come from a script, else from you on a terminal, else
from schemas: OpenAPI responses, input schemas of steps. A scenario of a scenario file is played as "journeyman test" plays it:
nothing is added to it.
Calls and steps without an answer are listed, and the exit code is 1.

Examples:
  $ journeyman simulate checkout --input '{"items": []}'
  $ journeyman simulate specs/checkout.journey.yaml --script specs/checkout.scenario.yaml --scenario 'out of stock'
  $ journeyman simulate specs/checkout.journey.yaml --state pay --context '{"total": 12}'
  $ journeyman simulate specs/recurring-payment.journey.yaml --schedule --for P1Y
  $ journeyman simulate specs/hello.journey.yaml --input '{"name": "Ada"}' --schedule --cron '0 9 * * 1' --timezone Europe/Rome
  $ journeyman simulate specs/hello.journey.yaml --save specs/hello.first.scenario.yaml

Exit codes: 0 simulated, whatever the outcome; 1 an answer was missing, or the file has errors.`;

/** `journeyman simulate`: simulates one run in virtual time. */
export function simulateCommand(given: SimulateDeps = parts): Command {
  return withInput(withCatalogue(commandWithConfig('simulate')), 'the input', objectOption)
    .summary('simulate a run in virtual time')
    .description('Simulate one run of a journey in virtual time and show each step with the changes of its context.')
    .argument('<journey>', 'name of a journey in the configured specs folder, or a file')
    .option('--script <file>', 'replies and submissions: a scenario file, or the fields of one scenario')
    .option('--scenario <name>', 'scenario of the script (default: the first)')
    .option('--state <id>', 'run only this state, with --context')
    .option('--context <value>', 'the context of --state: JSON, YAML or a file', objectOption)
    .option('--now <time>', 'start time, as an RFC 3339 timestamp', instantOption)
    .option('--until <duration>', 'stop this long after the start', durationOption)
    .option('--idle', 'submit nothing, so that every step times out')
    .option('--no-ask', 'do not prompt, even on a terminal')
    .addOption(
      new Option('--save <file>', 'write the simulated run as a scenario file').conflicts([
        'script',
        'state',
        'schedule',
      ]),
    )
    .option('--schedule', 'simulate every run of the schedules it creates; or of a job with --every, --cron or --at')
    .option('--for <duration>', 'with --schedule: duration (default: P1Y)', durationOption)
    .addOption(
      new Option('--every <duration>', 'with --schedule: as a job, at this interval').conflicts(['cron', 'at']),
    )
    .addOption(
      new Option('--cron <expression>', 'with --schedule: as a job, at these times, with --timezone').conflicts('at'),
    )
    .option('--at <time>', 'with --schedule: as a job, once')
    .option('--timezone <zone>', 'time zone of --cron, like Europe/Rome')
    .addOption(formatOption())
    .addOption(new Option('--json', 'the same as --format json').implies({ format: 'json' }))
    .addHelpText('after', examples)
    .action(async (wanted: string, options: Options) => {
      process.exitCode = await run(wanted, options, given);
    });
}

async function run(wanted: string, options: Options, { out, error, terminal }: SimulateDeps): Promise<number> {
  const config = configOf(options);
  const { references } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
  const [file = wanted] = await documentFiles([wanted], config, references);
  const { journey, findings } = await readJourney(file, references);
  if (!journey) return unreadable(findings, error);
  const whole = journey.definition;
  const { script, whole: complete } = scriptOf(whole, options);
  // A scenario is played as `test` does it; one of its states alone is not its run.
  const filled = !complete || options.state !== undefined;
  const asked = filled && options.ask && !options.idle && options.format === 'text' ? terminal() : undefined;
  try {
    const alone = options.state === undefined ? undefined : singleState(whole, options.state);
    const definition = alone?.definition ?? whole;
    const document = parse(readFileSync(file, 'utf8'), { maxAliasCount: 100 }) as Json;
    const scenario = {
      ...script,
      plugins: mergedProfiles(config.plugins, script.plugins),
      input: alone ? {} : await inputFor(whole, options, script, asked?.ask, out),
    };
    const quiet = options.format === 'json' || options.schedule === true;
    const colours = paint(out);
    const playing: SimulateOptions = {
      ...(filled && { answers: answersFor(options, asked?.ask, out) }),
      sampleAnswer: openApiReplies(document, references.catalogue),
      ...(!quiet && { heard: (event) => out.write(`${eventText(event, colours)}\n`) }),
      ...(alone && { alone: { context: options.context ?? {}, ends: alone.ends } }),
    };
    const cadence = options.schedule ? cadenceFor(options, scenario.now) : undefined;
    if (cadence) {
      const until = addDuration(scenario.now, options.for ?? defaultSpan);
      const { fires, more } = await simulateJob(definition, scenario, cadence, until, playing);
      const missing = fires.flatMap(({ run }) => run?.missing ?? []);
      if (options.format === 'json')
        out.write(`${safeJson({ journey: whole.name, fires: fires.map(fireJson), missing }, 2)}\n`);
      else
        out.write(
          `${[simulatedJobText(fires, more, colours), await jobFailures(definition, file, fires, colours), missingText(missing.slice(0, 1), colours)].filter(Boolean).join('\n')}\n`,
        );
      return missing.length > 0 ? 1 : 0;
    }
    if (!quiet)
      out.write(`${colours.dim(`${whole.name} ${whole.version}, from ${new Date(scenario.now).toISOString()}`)}\n`);
    const played = await simulate(definition, scenario, playing);
    const failed = await placesOfScheduledRuns(whole, file, played.observation.schedules ?? []);
    print(played, whole, failed, options, out);
    if (options.save !== undefined) {
      writeFileSync(options.save, simulatedScenarioText(whole, relativeTo(options.save, file), scenario, played));
      error.write(`Wrote ${safe(options.save)}.\n`);
    }
    return played.missing.length > 0 || played.observation.refused ? 1 : 0;
  } finally {
    asked?.close();
  }
}

function answersFor({ idle }: Options, ask: Prompt | undefined, out: Output): AnswerSource {
  if (idle) return idleAnswers;
  return ask ? promptAnswers(ask, out) : schemaAnswers;
}

function print(
  { observation, events, missing }: Simulated,
  { name, version }: Definition,
  failed: readonly RunPlace[],
  options: Options,
  out: Output,
): void {
  const { phase, outcome, context, currentState, activeSteps, elapsedMs, schedules = [], calls, refused } = observation;
  if (options.format === 'json') {
    const run = { phase, ...(outcome && { outcome }), currentState, activeSteps, elapsedMs, context, calls };
    const value = { journey: name, version, ...(refused ? { refused } : run), events, schedules, missing };
    out.write(`${safeJson(value, 2)}\n`);
    return;
  }
  const colours = paint(out);
  const shown = refused
    ? [
        `${colours.red('refused')} ${safe(`${refused.code}: ${refused.detail ?? refused.title}`)}`,
        ...(refused.errors ?? []).map(({ pointer, message }) => safe(`  ${pointer || '/'} ${message}`)),
      ]
    : [
        options.state === undefined
          ? runEndText(observation, colours)
          : stateEndText(options.state, observation, colours),
      ];
  const played = options.schedule ?? options.until ?? options.script;
  const made = schedules.map((it) =>
    played === undefined
      ? safe(`It created the schedule ${it.scheduleId} at ${it.startStateId}; --schedule simulates its runs.`)
      : scheduleText(it, colours, differences),
  );
  if (options.schedule && schedules.length === 0) made.push('It created no schedule.');
  out.write(
    `${[...shown, ...made, failuresText(failed, colours), missingText(missing, colours)].filter(Boolean).join('\n')}\n`,
  );
}

/** Failures of a job's runs. */
async function jobFailures(
  definition: Definition,
  file: string,
  fires: readonly JobFire[],
  colours: Paint,
): Promise<string> {
  const runs = fires.flatMap(({ at, run }) => {
    const outcome = run?.observation.outcome;
    return outcome?.error ? [{ at, error: outcome.error, terminatedAtState: outcome.terminatedAtState }] : [];
  });
  return failuresText(await placesOfScheduledRuns(definition, file, [{ runs }]), colours);
}

function fireJson({ at, run }: Awaited<ReturnType<typeof simulateJob>>['fires'][number]) {
  if (!run) return { at, overlapped: true };
  const { phase, outcome, context, elapsedMs } = run.observation;
  return { at, phase, outcome, context, elapsedMs };
}

function unreadable(findings: readonly FileFinding[], error: Output): number {
  for (const { file, line, column, severity, code, message, hint } of findings) {
    if (severity !== 'error') continue;
    const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
    error.write(`${safe(`${relative('.', file)}${place} ${code} ${message}${hint ? ` (${hint})` : ''}`)}\n`);
  }
  return 1;
}

function relativeTo(file: string, journey: string): string {
  const path = relative(`${file}/..`, journey);
  return path.startsWith('.') ? path : `./${path}`;
}
