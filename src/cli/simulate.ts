import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { parse } from 'yaml';
import { jsonText, type Output, type Paint, paint, safe } from '../app/terminal.js';
import type { Definition } from '../definition/definition.js';
import type { Json } from '../json/value.js';
import { readApiCatalogue } from '../library/api-documents.js';
import { type FileFinding, readJourney } from '../library/journeys.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import { differences } from '../scenarios/diff.js';
import { mergedProfiles } from '../scenarios/read-profiles.js';
import { placesOfScheduledRuns, type RunPlace } from '../scenarios/run-place.js';
import { apiAnswers } from '../scenarios/simulate/api-answers.js';
import { type Fire, simulateJob } from '../scenarios/simulate/job.js';
import { oneState } from '../scenarios/simulate/one-state.js';
import {
  type Answers,
  fromSchemas,
  nobody,
  type Simulated,
  type SimulateOptions,
  simulate,
} from '../scenarios/simulate/simulate.js';
import { recordedScenario } from '../scenarios/write-scenario.js';
import { addDuration } from '../time/duration.js';
import { withInput } from './input.js';
import { catalogueFolders, configOf, configured, formatOption, withCatalogue } from './options.js';
import { type Ask, asking, terminalAsk } from './simulate-ask.js';
import {
  cadenceFor,
  durationOption,
  inputFor,
  instantOption,
  type SimulateArguments as Options,
  objectOption,
  scriptOf,
  year,
} from './simulate-options.js';
import { endText, eventText, failuresText, jobText, missingText, scheduleText, stateEndText } from './simulate-text.js';

/** Where the command prints and whom it asks; for tests. */
export interface SimulateParts {
  out: Output;
  error: Output;
  /** Whom to ask, if there is somebody. */
  terminal(): { ask: Ask; close(): void } | undefined;
}

const parts: SimulateParts = {
  out: process.stdout,
  error: process.stderr,
  terminal: () => (process.stdin.isTTY && process.stdout.isTTY ? terminalAsk() : undefined),
};

const examples = `
Nothing is called and nothing is waited for: time is virtual. What calls answer and what people submit comes from a script (a scenario
file, or the fields of one scenario), else from you if this is a terminal, else from the schemas: OpenAPI answers, input schemas of steps.
What nothing answers is named, and the exit code is 1.

Examples:
  $ journeyman simulate specs/checkout.journey.yaml --input '{"items": []}'
  $ journeyman simulate specs/checkout.journey.yaml --script specs/checkout.scenario.yaml --scenario 'out of stock'
  $ journeyman simulate specs/checkout.journey.yaml --state pay --context '{"total": 12}'
  $ journeyman simulate specs/recurring-payment.journey.yaml --schedule --for P1Y
  $ journeyman simulate specs/hello.journey.yaml --input '{"name": "Ada"}' --schedule --cron '0 9 * * 1' --timezone Europe/Rome
  $ journeyman simulate specs/hello.journey.yaml --save specs/hello.first.scenario.yaml

Exit codes: 0 played, however the run ended; 1 something was missing, or the file has errors.`;

/** `journeyman simulate`: plays one run in virtual time and shows what happens. */
export function simulateCommand(given: SimulateParts = parts): Command {
  return withInput(withCatalogue(configured('simulate')), 'the body that starts it', objectOption)
    .summary('play a journey in virtual time and show what happens')
    .description(
      'Play one run of a journey in virtual time and show, step by step, what happens and what changes in its context.',
    )
    .argument('<journey>', 'the file of a journey')
    .option('--script <file>', 'what it meets: a scenario file, or the fields of one scenario')
    .option('--scenario <name>', 'which scenario of the script; the first when left out')
    .option('--state <id>', 'run this state alone, from --context')
    .option('--context <value>', 'the context of --state: JSON, YAML or a file', objectOption)
    .option('--now <time>', 'when it starts, as an RFC 3339 timestamp', instantOption)
    .option('--until <duration>', 'look at it this long after its start', durationOption)
    .option('--idle', 'submit nothing: let every step run into its timeout')
    .option('--no-ask', 'ask nothing, also on a terminal')
    .addOption(
      new Option('--save <file>', 'write what was played as a scenario file').conflicts([
        'script',
        'state',
        'schedule',
      ]),
    )
    .option(
      '--schedule',
      'play the schedules that it makes, every run of them; or the journey itself at --every, --cron or --at',
    )
    .option('--for <duration>', 'with --schedule: how long (default: P1Y)', durationOption)
    .addOption(
      new Option('--every <duration>', 'with --schedule: as a job, at this interval').conflicts(['cron', 'at']),
    )
    .addOption(
      new Option('--cron <expression>', 'with --schedule: as a job, at these times, with --timezone').conflicts('at'),
    )
    .option('--at <time>', 'with --schedule: as a job, once')
    .option('--timezone <zone>', 'whose clock counts for --cron, like Europe/Rome')
    .addOption(formatOption())
    .addOption(new Option('--json', 'the same as --format json').implies({ format: 'json' }))
    .addHelpText('after', examples)
    .action(async (file: string, options: Options) => {
      process.exitCode = await run(file, options, given);
    });
}

async function run(file: string, options: Options, { out, error, terminal }: SimulateParts): Promise<number> {
  const config = configOf(options);
  const { catalogue } = await readApiCatalogue(catalogueFolders(config, options));
  const words = wordsWith(await readPlugins(config.plugins.modules, config.source.baseDir));
  const { journey, findings } = await readJourney(file, { catalogue, words });
  if (!journey) return unreadable(findings, error);
  const whole = journey.definition;
  const script = scriptOf(whole, options);
  const asked = options.ask && !options.idle && options.format === 'text' ? terminal() : undefined;
  try {
    const alone = options.state === undefined ? undefined : oneState(whole, options.state);
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
      answers: answersFor(options, asked?.ask, out),
      sampleAnswer: apiAnswers(document, catalogue),
      ...(!quiet && { heard: (event) => out.write(`${eventText(event, colours)}\n`) }),
      ...(alone && { alone: { context: options.context ?? {}, ends: alone.ends } }),
    };
    const cadence = options.schedule ? cadenceFor(options, scenario.now) : undefined;
    if (cadence) {
      const until = addDuration(scenario.now, options.for ?? year);
      const { fires, more } = await simulateJob(definition, scenario, cadence, until, playing);
      const missing = fires.flatMap(({ run }) => run?.missing ?? []);
      if (options.format === 'json')
        out.write(`${jsonText({ journey: whole.name, fires: fires.map(fireJson), missing }, 2)}\n`);
      else
        out.write(
          `${[jobText(fires, more, colours), await jobFailures(definition, file, fires, colours), missingText(missing.slice(0, 1), colours)].filter(Boolean).join('\n')}\n`,
        );
      return missing.length > 0 ? 1 : 0;
    }
    if (!quiet)
      out.write(`${colours.dim(`${whole.name} ${whole.version}, from ${new Date(scenario.now).toISOString()}`)}\n`);
    const played = await simulate(definition, scenario, playing);
    const failed = await placesOfScheduledRuns(whole, file, played.observation.schedules ?? []);
    print(played, whole, failed, options, out);
    if (options.save !== undefined) {
      writeFileSync(options.save, recordedScenario(whole, relativeTo(options.save, file), scenario, played));
      error.write(`${safe(options.save)} is written.\n`);
    }
    return played.missing.length > 0 || played.observation.refused ? 1 : 0;
  } finally {
    asked?.close();
  }
}

function answersFor({ idle }: Options, ask: Ask | undefined, out: Output): Answers {
  if (idle) return nobody;
  return ask ? asking(ask, out) : fromSchemas;
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
    out.write(`${jsonText(value, 2)}\n`);
    return;
  }
  const colours = paint(out);
  const shown = refused
    ? [
        `${colours.red('refused')} ${safe(`${refused.code}: ${refused.detail ?? refused.title}`)}`,
        ...(refused.errors ?? []).map(({ pointer, message }) => safe(`  ${pointer || '/'} ${message}`)),
      ]
    : [options.state === undefined ? endText(observation, colours) : stateEndText(options.state, observation, colours)];
  const played = options.schedule ?? options.until ?? options.script;
  const made = schedules.map((it) =>
    played === undefined
      ? safe(`It made the schedule ${it.scheduleId} at ${it.startStateId}; --schedule plays its runs.`)
      : scheduleText(it, colours, differences),
  );
  if (options.schedule && schedules.length === 0) made.push('It made no schedule: nothing is played.');
  out.write(
    `${[...shown, ...made, failuresText(failed, colours), missingText(missing, colours)].filter(Boolean).join('\n')}\n`,
  );
}

/** Why runs of a job failed. */
async function jobFailures(
  definition: Definition,
  file: string,
  fires: readonly Fire[],
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
