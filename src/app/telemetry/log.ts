import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import pino, { type Logger } from 'pino';
import type { Config } from '../../config/config-types.js';
import { type Output, paint, safe, safeLines } from '../safe-terminal-text.js';

/** The log of this process: JSON lines, or one readable line per entry on a terminal. */
export function createLog({ log }: Pick<Config, 'log'>, output: Output = process.stderr): Logger {
  const pretty = log.format === 'pretty' || (log.format === 'auto' && output.isTTY === true);
  const options = { level: log.level, base: null };
  if (pretty) return pino(options, { write: (line) => output.write(readable(line, output)) });
  return output === process.stderr ? pino(options, pino.destination(2)) : pino(options, output);
}

type Fields = Record<string, unknown>;

/** `09:30:12.123 info GET /api/v1/journeys 200 (3 ms) requestId=…`, and errors on lines of their own. */
function readable(line: string, output: Output): string {
  const colours = paint(output);
  const { level, time, msg, err, ...all } = JSON.parse(line) as Fields;
  const { said, fields } = withoutRepeats(String(msg ?? ''), all);
  const name = pino.levels.labels[level as number] ?? 'info';
  const colour = name === 'warn' ? colours.yellow : name === 'error' || name === 'fatal' ? colours.red : colours.bold;
  const clock = new Date(time as number).toISOString().slice(11, 23);
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string };
  const thrown = stack ?? message;
  const text = [colours.dim(clock), colour(name), safe(said), colours.dim(pairs.join(' '))].join(' ').trimEnd();
  return `${text}\n${thrown === undefined ? '' : `    ${safeLines(thrown).replaceAll('\n', '\n    ')}\n`}`;
}

/** A readable line: its fields do not repeat the message. */
function withoutRepeats(msg: string, fields: Fields): { said: string; fields: Fields } {
  if (fields.event === msg) {
    const { event: _, at: __, ...rest } = fields;
    return { said: msg, fields: rest };
  }
  if (msg !== 'request') return { said: msg, fields };
  const { requestId, method, path, status, ms, address: _, caller, ...rest } = fields;
  const known = caller === 'anonymous' ? {} : { caller };
  return { said: `${method} ${path} ${status} (${ms} ms)`, fields: { ...rest, ...known, requestId } };
}

/** Shows a value that could hide in a line, or end it, as JSON. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : (JSON.stringify(value) ?? '');
}

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/** Metric names in Prometheus' style. */
const naming = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };

/** Buckets for runs, which take from milliseconds to months. */
const histogramBucketOverrides = {
  journey_run_duration_seconds: [
    ...[0.05, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300],
    ...[1_800, 3_600, 86_400, 604_800, 2_592_000],
  ],
};

/** The SDK accepts one runtime per process; several workers share it. */
let installed = false;

/**
 * Forwards the log of Temporal's SDK to ours, and serves its metrics at `metricsAddress`. Only for processes that run a worker: only a
 * worker shuts the runtime down again.
 */
export function installRuntime(log: Logger, metricsAddress?: string): void {
  if (installed) return;
  installed = true;
  const logger = new DefaultLogger('WARN', (entry) => {
    const { taskToken: _, error, ...meta } = entry.meta ?? {};
    const failed = failedTask(entry);
    if (failed) log.error({ ...failed, failures: ++failures }, 'A workflow task failed');
    else log[isResult(entry) ? 'debug' : levels[entry.level]]({ ...meta, ...asThrown(error) }, entry.message);
  });
  const runtime = Runtime.install({
    // Signals are ours to handle: the parts of a process stop in order.
    shutdownSignals: [],
    logger,
    // Failed workflow tasks are reported only in the log of the SDK's core.
    telemetryOptions: {
      logging: { filter: 'temporalio_sdk_core=error,temporalio_sdk_core::worker::workflow=warn', forward: {} },
      ...(metricsAddress !== undefined && {
        metrics: { prometheus: { bindAddress: metricsAddress, ...naming, histogramBucketOverrides } },
      }),
    },
  });
  // With forwarding, the SDK would sort every line in a buffer, which measurably slows ten calls in a row; ours bypasses it.
  Object.defineProperty(runtime, 'logger', { value: logger });
}

/** The log prints message and stack of the field `err`. */
function asThrown(error: unknown): Fields {
  if (error instanceof Error) return { err: error };
  return error === undefined ? {} : { error };
}

/** The number of failed workflow tasks since this process started. */
let failures = 0;

/** The facts of a failed workflow task: its run, the cause and the reason. */
export function failedTask({ message, meta }: LogEntry): { runId: unknown; cause: string; reason: string } | undefined {
  if (message !== 'Failing workflow task') return undefined;
  // The core writes its failure in Rust's debug format.
  const failure = String(meta?.failure);
  const cause = /force_cause: (\w+)/.exec(failure)?.[1] ?? 'Unspecified';
  const reason = /message: "((?:[^"\\]|\\.)*)"/.exec(failure)?.[1] ?? '';
  return { runId: meta?.runId, cause, reason: reason.replaceAll('\\"', '"') };
}

/** A journey that ends in `fail` and a failed effect are results, not errors of the worker. */
function isResult({ message, meta, level }: LogEntry): boolean {
  if (message === 'Workflow failed') return true;
  // Other messages of the core about single tasks (a slow one, one of a closed run) are for debugging.
  if (level === 'WARN' && String(meta?.target).startsWith('temporalio_sdk_core::worker::workflow')) return true;
  return (
    message === 'Activity failed' && (meta?.error as { nonRetryable?: unknown } | undefined)?.nonRetryable === true
  );
}
