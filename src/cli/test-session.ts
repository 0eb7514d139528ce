import { relative } from 'node:path';
import { missingSecrets } from '../app/missing-secrets.js';
import type { Config } from '../config/config.js';
import type { JsonObject } from '../json/value.js';
import { readApiCatalogue } from '../library/api-documents.js';
import { readJourneys } from '../library/journeys.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import { Coverage } from '../scenarios/coverage.js';
import { loadScenarios } from '../scenarios/files.js';
import type { ScenarioRunner } from '../scenarios/observation.js';
import { runPipelineScenario } from '../scenarios/pipelines/run.js';
import type { PipelineRunner } from '../scenarios/pipelines/scenario.js';
import { mergedProfiles } from '../scenarios/read-profiles.js';
import { placeOfRun, placesOfScheduledRuns } from '../scenarios/run-place.js';
import { runScenario, type ScenarioReport } from '../scenarios/run-scenario.js';
import { play } from '../scenarios/virtual/runner.js';
import { type CatalogueOptions, catalogueFolders } from './options.js';
import { type CoverageReport, coverageReport } from './test-coverage.js';
import { liveLanes } from './test-live.js';
import type { Chosen, Played, Printer, Totals } from './test-report.js';

/** What is played, and how. */
export interface SessionOptions extends CatalogueOptions {
  filter?: string;
  temporal?: true;
  timeScale?: number;
  coverage?: boolean;
}

/** What came of all scenarios. */
export interface SessionResult {
  totals: Totals;
  coverage?: CoverageReport;
  /** Each file of scenarios with the document it is about, where one is known. */
  about: ReadonlyMap<string, string | undefined>;
}

/** Reads scenarios, plays them and shows what comes of them. */
export async function runSession(
  paths: readonly string[],
  config: Config,
  options: SessionOptions,
  printer: Printer,
): Promise<SessionResult> {
  const { catalogue } = await readApiCatalogue(catalogueFolders(config, options));
  const words = wordsWith(await readPlugins(config.plugins.modules, config.source.baseDir));
  const loading = { catalogue, words };
  const loaded = await loadScenarios(paths, loading);
  const { findings, about } = loaded;
  const scenarios = loaded.scenarios.map((it) => ({
    ...it,
    scenario: { ...it.scenario, plugins: mergedProfiles(config.plugins, it.scenario.plugins) },
  }));
  const chosen: Chosen[] = [...scenarios, ...loaded.pipelines].filter((it) => isChosen(it, options.filter));
  const coverage = options.coverage ? new Coverage() : undefined;
  if (coverage) {
    // A journey without any scenario is covered least of all.
    for (const versions of (await readJourneys(paths, loading)).byName.values())
      for (const { definition, file } of versions) coverage.add(definition, file);
    for (const it of chosen)
      if ('pipeline' in it) for (const { definition } of Object.values(it.pipeline.journeys)) coverage.add(definition);
      else coverage.add(it.definition, it.journeyFile);
  }
  printer.findings(findings);
  const { lanes, stop } = options.temporal
    ? await liveLanes(config, chosen.length, options.timeScale)
    : inVirtualTime(coverage);
  const totals: Totals = { passed: 0, failed: 0, skipped: 0, errors: findings.length };
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

/** What plays scenarios, one after the other. */
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

/** Plays one scenario; on a real server where there is the configuration of one. */
async function playOne(it: Chosen, { journeys, pipelines }: Lane, live?: Config): Promise<Played> {
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
  // In virtual time nothing is read: nothing is signed, and no call authenticates itself.
  const secrets = live ? missingSecrets(live, [it]).filter(({ usedBy }) => usedBy.length > 0) : [];
  const failed = { ...report, scheduled, secrets: secrets.map(({ reason }) => reason), ...(place && { place }) };
  return { report: failed, ms: took() };
}

/** Whether a scenario names the error of a run that a schedule started. */
function isExpected(schedules: readonly JsonObject[]) {
  return ({ errorCode }: JsonObject, schedule: number, index: number): boolean => {
    const runs = schedules[schedule]?.runs as JsonObject[] | undefined;
    return runs?.[index]?.errorCode === errorCode;
  };
}

/** Works through the items, as many at a time as there are lanes; the results are in the order of the items. */
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

function isChosen({ scenario, file }: Chosen, filter = ''): boolean {
  const wanted = filter.toLowerCase();
  return scenario.name.toLowerCase().includes(wanted) || relative('.', file).toLowerCase().includes(wanted);
}
