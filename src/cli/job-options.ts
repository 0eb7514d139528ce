import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Json, JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { misfirePolicies } from '../scheduling/jobs/record.js';
import { jsonObject, withInput } from './input.js';
import { count } from './options.js';

/** What a command line says about a job. */
export interface JobOptions {
  file?: string;
  name?: string;
  cron?: string;
  timezone?: string;
  every?: string;
  anchor?: string;
  at?: string;
  journey?: string;
  input?: JsonObject;
  function?: string;
  args?: JsonObject;
  targetRef?: JsonObject;
  misfirePolicy?: string;
  allowOverlap?: boolean;
  maxDuration?: number;
}

/** What runs: a journey or a function. */
export function withTarget(command: Command): Command {
  command.addOption(new Option('--journey <name>', 'start this journey').conflicts('function'));
  return withInput(command, 'what the journey starts with', jsonObject)
    .option('--function <id>', 'invoke this function')
    .option('--args <json>', 'the arguments of the function', jsonObject)
    .option('--target-ref <json>', 'where the output goes', jsonObject);
}

/** Everything that a job can be given. */
export function withJob(command: Command): Command {
  return withTarget(command)
    .option('--file <path>', 'the job as JSON, as `job show --format json` prints it; - reads the standard input')
    .option('--name <text>', 'what people call it')
    .addOption(new Option('--cron <expression>', 'five fields, with --timezone').conflicts(['every', 'at']))
    .option('--timezone <zone>', 'whose clock counts for --cron, like Europe/Berlin')
    .addOption(new Option('--every <duration>', 'a duration, like 15m, PT6H or P1M').conflicts('at'))
    .option('--anchor <time>', 'what --every is counted from')
    .option('--at <time>', 'once, at this time')
    .addOption(new Option('--misfire-policy <policy>', 'what happens to missed times').choices(misfirePolicies))
    .option('--allow-overlap', 'let runs start while others are active')
    .option('--no-allow-overlap', 'one run at a time')
    .option('--max-duration <seconds>', 'the longest a run may take', count);
}

/** The job on the wire: the file, if there is one, and what the options say. */
export function jobArguments(options: JobOptions): JsonObject {
  const schedule = scheduleOf(options);
  const targetAction = targetOf(options);
  return {
    ...(options.file !== undefined && fromFile(options.file)),
    ...(schedule && { schedule }),
    ...(targetAction && { targetAction }),
    ...given('name', options.name),
    ...given('targetRef', options.targetRef),
    ...given('misfirePolicy', options.misfirePolicy),
    ...given('allowOverlap', options.allowOverlap),
    ...given('maxDurationSec', options.maxDuration),
  };
}

function given(key: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}

function fromFile(path: string): JsonObject {
  try {
    return jsonObject(readFileSync(path === '-' ? 0 : path, 'utf8'));
  } catch (error) {
    return refuse('USAGE_INVALID', `--file ${path}: ${(error as Error).message}`);
  }
}

function scheduleOf({ cron, timezone, every, anchor, at }: JobOptions): JsonObject | undefined {
  if (cron !== undefined) return { type: 'cron', expression: cron, ...given('timezone', timezone) };
  if (timezone !== undefined) refuse('USAGE_INVALID', '--timezone goes with --cron.');
  if (every !== undefined) return { type: 'interval', every, ...given('anchorAt', anchor) };
  if (anchor !== undefined) refuse('USAGE_INVALID', '--anchor goes with --every.');
  return at === undefined ? undefined : { type: 'once', runAt: at };
}

/** The target that the options name, if they name one. */
export function targetOf({ journey, input, function: functionId, args }: JobOptions): JsonObject | undefined {
  if (input !== undefined && journey === undefined) refuse('USAGE_INVALID', '--input goes with --journey.');
  if (args !== undefined && functionId === undefined) refuse('USAGE_INVALID', '--args goes with --function.');
  if (journey !== undefined) return { type: 'workflow_start', workflowId: journey, ...given('inputs', input) };
  if (functionId === undefined) return undefined;
  return { type: 'command_invoke', functionId, ...given('functionArgs', args) };
}
