import { relative } from 'node:path';
import { missingSecrets } from '../../../app/missing-secrets.js';
import type { JsonObject } from '../../../base/json/value.js';
import type { Config } from '../../../config/config-types.js';
import { readJourneys } from '../../../library/read-journeys.js';
import { readReferences } from '../../../library/read-library.js';
import { Coverage } from '../../../scenarios/coverage.js';
import { Cleanup } from '../../../scenarios/live/cleanup.js';
import { loadScenarios } from '../../../scenarios/load-scenarios.js';
import { placeOfRun, placesOfScheduledRuns } from '../../../scenarios/locate-run-end-in-source.js';
import type { PipelineRunner } from '../../../scenarios/pipelines/pipeline-scenario.js';
import { runPipelineScenario } from '../../../scenarios/pipelines/run-pipeline-scenario.js';
import { mergedProfiles } from '../../../scenarios/read/auth-profile-schema-and-merge.js';
import { runScenario, type ScenarioReport } from '../../../scenarios/run-scenario.js';
import type { ScenarioRunner } from '../../../scenarios/scenario-observation.js';
import { play } from '../../../scenarios/virtual/virtual-runner.js';
import { type CatalogueOptions, catalogueFolders } from '../../options.js';
import { type CoverageReport, coverageReport } from './coverage-report.js';
import type { Printer, ScenarioResult, SelectedScenario, TestTotals } from './result-printers.js';

/** Number of concurrent scenarios on a real server, where they mostly wait. */
const sideBySide = 3;

/** Starts a real server with workers and gateways; loaded on demand. */
async function liveLanes(
  config: Config,
  scenarios: number,
  timeScale?: number,
): Promise<{ lanes: Lane[]; stop(): Promise<void> }> {
  const [{ LiveStack }, { LiveRunner }, { LivePipelineRunner }, { createLog }] = await Promise.all([
    import('../../../app/live-scenario-stack.js'),
    import('../../../scenarios/live/live-runner.js'),
    import('../../../scenarios/live/live-pipeline-runner.js'),
    import('../../../app/telemetry/log.js'),
  ]);
  const log = createLog({ ...config, log: { ...config.log, level: 'fatal' } });
  const first = await LiveStack.start(config, log);
  const wanted = Math.max(1, Math.min(sideBySide, scenarios));
  const others = Array.from({ length: wanted - 1 }, () => LiveStack.start(config, log, first.address));
  const stacks = [...(await Promise.all(others)), first];
  const leftovers = new Cleanup();
  // A server started for the scenarios is deleted with all its data.
  const ignore = config.temporal.address === undefined ? () => undefined : onInterrupt(() => removeAll(leftovers));
  return {
    lanes: stacks.map((stack) => ({
      journeys: new LiveRunner({ stack, leftovers, ...(timeScale !== undefined && { timeScale }) }),
      pipelines: new LivePipelineRunner(stack, leftovers),
    })),
    stop: async () => {
      ignore();
      for (const stack of stacks) await stack.stop();
    },
  };
}

async function removeAll(leftovers: Cleanup): Promise<void> {
  process.stderr.write('Removing runs and schedules of the scenarios; interrupt again to exit immediately.\n');
  await leftovers.removeAll();
}

/** Runs `work` before the process ends by a signal; returns a function that removes the handler. */
function onInterrupt(work: () => Promise<void>): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let again = false;
  const onSignal = () => {
    if (again) process.exit(130);
    again = true;
    void work().finally(() => process.exit(130));
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** Options of a session. */
export interface SessionOptions extends CatalogueOptions {
  filter?: string;
  temporal?: true;
  timeScale?: number;
  coverage?: boolean;
}

/** Results of a session. */
export interface SessionResult {
  totals: TestTotals;
  coverage?: CoverageReport;
  /** Scenario files with the document they test, if known. */
  about: ReadonlyMap<string, string | undefined>;
}

/** Loads scenarios, runs them and prints the results. */
export async function runSession(
  paths: readonly string[],
  config: Config,
  options: SessionOptions,
  printer: Printer,
): Promise<SessionResult> {
  const { references } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
  const loaded = await loadScenarios(paths, { ...references, specs: config.specs });
  const { findings, about } = loaded;
  const scenarios = loaded.scenarios.map((it) => ({
    ...it,
    scenario: { ...it.scenario, plugins: mergedProfiles(config.plugins, it.scenario.plugins) },
  }));
  const chosen: SelectedScenario[] = [...scenarios, ...loaded.pipelines].filter((it) => isChosen(it, options.filter));
  const coverage = options.coverage ? new Coverage() : undefined;
  if (coverage) {
    // Includes journeys without scenarios.
    for (const versions of (await readJourneys(paths, references)).byName.values())
      for (const { definition, file } of versions) coverage.add(definition, file);
    for (const it of chosen)
      if ('pipeline' in it) for (const { definition } of Object.values(it.pipeline.journeys)) coverage.add(definition);
      else coverage.add(it.definition, it.journeyFile);
  }
  printer.findings(findings);
  const { lanes, stop } = options.temporal
    ? await liveLanes(config, chosen.length, options.timeScale)
    : inVirtualTime(coverage);
  const totals: TestTotals = { passed: 0, failed: 0, skipped: 0, errors: findings.length };
  try {
    const results = inLanes(lanes, chosen, (lane, it) => playOne(it, lane, options.temporal ? config : undefined));
    for (const [i, it] of chosen.entries()) {
      const played = await results[i]!;
      totals['report' in played ? (played.report.passed ? 'passed' : 'failed') : 'skipped'] += 1;
      printer.report(it, played);
    }
  } finally {
    await stop();
  }
  const report = coverage && (await coverageReport(coverage));
  printer.totals(totals, report);
  return { totals, about, ...(report && { coverage: report }) };
}

/** Runs scenarios one after another. */
export interface Lane {
  journeys: ScenarioRunner;
  pipelines: PipelineRunner;
}

function inVirtualTime(coverage: Coverage | undefined): { lanes: Lane[]; stop(): Promise<void> } {
  const options = coverage ? { vocabulary: coverage.vocabulary } : {};
  const lane: Lane = {
    journeys: { run: (definition, scenario) => play(definition, scenario, options) },
    pipelines: { run: (definition, scenario) => runPipelineScenario(definition, scenario, options) },
  };
  return { lanes: [lane], stop: async () => undefined };
}

/** Runs one scenario; on a real server if `live` is given. */
async function playOne(it: SelectedScenario, { journeys, pipelines }: Lane, live?: Config): Promise<ScenarioResult> {
  if (live && it.scenario.virtualOnly) return { skipped: 'virtual time only' };
  const began = performance.now();
  const took = () => performance.now() - began;
  if ('pipeline' in it) return { report: await pipelines.run(it.pipeline, it.scenario), ms: took() };
  const { definition, journeyFile } = it;
  const report: ScenarioReport = await runScenario(definition, it.scenario, journeys);
  const { passed, observation } = report;
  if (passed || !observation) return { report, ms: took() };
  const place = await placeOfRun(definition, journeyFile, observation);
  const expected = isExpected(it.scenario.expect.schedules ?? []);
  const scheduled = await placesOfScheduledRuns(definition, journeyFile, observation.schedules ?? [], expected);
  // Virtual time needs no secrets: no call is signed or authenticated.
  const secrets = live ? missingSecrets(live, [it]).filter(({ usedBy }) => usedBy.length > 0) : [];
  const failed = { ...report, scheduled, secrets: secrets.map(({ reason }) => reason), ...(place && { place }) };
  return { report: failed, ms: took() };
}

/** Reports whether a scenario expects the error of a scheduled run. */
function isExpected(schedules: readonly JsonObject[]) {
  return ({ errorCode }: JsonObject, schedule: number, index: number): boolean => {
    const runs = schedules[schedule]?.runs as JsonObject[] | undefined;
    return runs?.[index]?.errorCode === errorCode;
  };
}

/** Processes the items concurrently, one per lane; results keep the order of the items. */
function inLanes<L, I, R>(
  lanes: readonly L[],
  items: readonly I[],
  work: (lane: L, item: I) => Promise<R>,
): Promise<R>[] {
  const answers: ((result: Promise<R>) => void)[] = [];
  const results = items.map(() => new Promise<R>((resolve) => answers.push(resolve)));
  let next = 0;
  const run = async (lane: L): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) {
      const result = work(lane, items[i]!);
      answers[i]!(result);
      await result.catch(() => undefined);
    }
  };
  for (const lane of lanes) void run(lane);
  return results;
}

function isChosen({ scenario, file }: SelectedScenario, filter = ''): boolean {
  const wanted = filter.toLowerCase();
  return scenario.name.toLowerCase().includes(wanted) || relative('.', file).toLowerCase().includes(wanted);
}
