import { relative } from 'node:path';
import { type Output, paint, safe, safeJson } from '../../../app/safe-terminal-text.js';
import type { FileFinding } from '../../../library/read-journeys.js';
import type { LoadedScenario } from '../../../scenarios/load-scenarios.js';
import type { RunPlace } from '../../../scenarios/locate-run-end-in-source.js';
import type { LoadedPipelineScenario } from '../../../scenarios/pipelines/load-pipeline-scenarios.js';
import type { ScenarioReport } from '../../../scenarios/run-scenario.js';
import { placeInFile, placeText } from '../run-location-text.js';
import type { CoverageReport } from './coverage-report.js';
import { coverageText } from './coverage-report.js';

/** A selected scenario. */
export type SelectedScenario = LoadedScenario | LoadedPipelineScenario;

/** The result of a scenario, or the reason why it was skipped. */
export type ScenarioResult = { report: ScenarioReport; ms: number } | { skipped: string };

export interface TestTotals {
  passed: number;
  failed: number;
  skipped: number;
  errors: number;
}

/** Prints results of scenarios as they arrive. */
export interface Printer {
  findings(findings: readonly FileFinding[]): void;
  report(chosen: SelectedScenario, played: ScenarioResult): void;
  totals(totals: TestTotals, coverage?: CoverageReport): void;
}

/** Prints text. */
export class TextPrinter implements Printer {
  private file = '';

  constructor(private readonly streams: { out: Output; error: Output }) {}

  findings(findings: readonly FileFinding[]): void {
    for (const { file, line, column, code, message, hint } of findings) {
      const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
      const text = `${relative('.', file)}${place} ${code} ${message}${hint ? ` (${hint})` : ''}`;
      this.streams.error.write(`${safe(text)}\n`);
    }
  }

  report({ file, scenario: { name } }: SelectedScenario, played: ScenarioResult): void {
    const { out } = this.streams;
    const colours = paint(out);
    if (file !== this.file) out.write(`${colours.bold(relative('.', file))}\n`);
    this.file = file;
    if ('skipped' in played) {
      out.write(`  ${colours.yellow('-')} ${safe(name)} ${colours.dim(`(${played.skipped})`)}\n`);
      return;
    }
    const { report } = played;
    out.write(`  ${report.passed ? colours.green('✓') : colours.red('✗')} ${safe(name)}\n`);
    for (const { subject, message, hint, line, column } of report.mismatches) {
      const place = colours.dim(`${relative('.', file)}:${line}:${column}`);
      out.write(`      ${safe(`${subject}: ${message}${hint ? ` (${hint})` : ''}`)}  ${place}\n`);
    }
    for (const place of placesIn(report))
      out.write(`      ${safe(placeText(place))}  ${colours.dim(placeInFile(place))}\n`);
    const notes = report.passed ? [] : (report.observation?.notes ?? []);
    for (const note of notes) out.write(`      note: ${safe(note)}\n`);
    for (const secret of report.secrets ?? []) out.write(`      ${safe(secretText(secret))}\n`);
  }

  totals({ passed, failed, skipped, errors }: TestTotals, coverage?: CoverageReport): void {
    const { out } = this.streams;
    if (coverage) out.write(`${coverageText(coverage, paint(out))}\n`);
    const parts = [`${passed} passed`, `${failed} failed`];
    if (skipped > 0) parts.push(`${skipped} skipped`);
    if (errors > 0) parts.push(`${errors} ${errors === 1 ? 'error' : 'errors'} in files`);
    if (passed + failed + skipped + errors === 0) parts.splice(0, 2, 'No scenarios found.');
    out.write(`${parts.join(', ')}\n`);
  }
}

function secretText(reason: string): string {
  return `a secret is missing: ${reason}`;
}

function placesIn({ place, scheduled = [] }: ScenarioReport): RunPlace[] {
  return place ? [place, ...scheduled] : scheduled;
}

/** Prints one JSON object at the end. */
export class JsonPrinter implements Printer {
  private readonly scenarios: unknown[] = [];
  private errors: readonly FileFinding[] = [];

  constructor(private readonly out: Output) {}

  findings(findings: readonly FileFinding[]): void {
    this.errors = findings.map((it) => ({ ...it, file: relative('.', it.file) }));
  }

  report(it: SelectedScenario, played: ScenarioResult): void {
    const { file, scenario } = it;
    const report = 'report' in played ? played.report : undefined;
    const { outcome, phase, elapsedMs, states, calls, schedules, notes } = report?.observation ?? {};
    this.scenarios.push({
      file: relative('.', file),
      ...('pipeline' in it ? { pipeline: it.pipeline.name } : { journey: it.definition.name }),
      name: scenario.name,
      ...(report
        ? {
            passed: report.passed,
            mismatches: report.mismatches,
            ...(report.place && { endedAt: report.place }),
            ...(report.secrets?.length && { missingSecrets: report.secrets }),
            ...(report.scheduled?.length && { scheduledRunsEndedAt: report.scheduled }),
          }
        : { skipped: true, why: 'skipped' in played ? played.skipped : '' }),
      ...(report?.observation && {
        run: {
          phase,
          status: outcome?.status,
          outcome,
          elapsedMs,
          states,
          calls,
          schedules,
          ...(notes?.length && { notes }),
        },
      }),
    });
  }

  totals({ passed, failed, skipped }: TestTotals, coverage?: CoverageReport): void {
    const { errors: findings, scenarios } = this;
    this.out.write(`${safeJson({ passed, failed, skipped, findings, ...(coverage && { coverage }), scenarios }, 2)}\n`);
  }
}

/** Prints JUnit XML: a suite per file, a case per scenario. */
export class JunitPrinter implements Printer {
  private readonly suites = new Map<string, { cases: string[]; failures: number; skipped: number; ms: number }>();

  constructor(private readonly write: (text: string) => void) {}

  findings(findings: readonly FileFinding[]): void {
    for (const { file, line, column, code, message, hint } of findings) {
      const place = `${relative('.', file)}:${line ?? 1}:${column ?? 1}`;
      const suite = this.suite(file);
      suite.failures += 1;
      suite.cases.push(testcase(file, 'the file can be read', 0, failure(code, `${message} ${hint ?? ''}\n${place}`)));
    }
  }

  report({ file, scenario: { name } }: SelectedScenario, played: ScenarioResult): void {
    const suite = this.suite(file);
    if ('skipped' in played) {
      suite.skipped += 1;
      suite.cases.push(testcase(file, name, 0, `<skipped message="${xml(played.skipped)}"/>`));
      return;
    }
    const { report, ms } = played;
    suite.ms += ms;
    if (!report.passed) suite.failures += 1;
    const lines = report.mismatches.map(
      ({ subject, message, hint, line, column }) =>
        `${subject}: ${message}${hint ? ` (${hint})` : ''}\n  ${relative('.', file)}:${line}:${column}`,
    );
    for (const place of placesIn(report)) lines.push(`${placeText(place)}\n  ${placeInFile(place)}`);
    lines.push(...(report.secrets ?? []).map(secretText));
    const first = report.mismatches[0];
    const inner = first ? failure(`${first.subject}: ${first.message}`, lines.join('\n')) : '';
    suite.cases.push(testcase(file, name, ms, inner));
  }

  totals(): void {
    const suites = [...this.suites].map(([file, { cases, failures, skipped, ms }]) => {
      const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds(ms)}"`;
      return `  <testsuite name="${xml(relative('.', file))}" ${counts}>\n${cases.join('\n')}\n  </testsuite>`;
    });
    this.write(
      `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="journeyman">\n${suites.join('\n')}\n</testsuites>\n`,
    );
  }

  private suite(file: string) {
    const suite = this.suites.get(file) ?? { cases: [], failures: 0, skipped: 0, ms: 0 };
    this.suites.set(file, suite);
    return suite;
  }
}

/** Combines several printers. */
export function combinePrinters(printers: readonly Printer[]): Printer {
  const each = (show: (printer: Printer) => void) => {
    for (const printer of printers) show(printer);
  };
  return {
    findings: (findings) => each((it) => it.findings(findings)),
    report: (chosen, played) => each((it) => it.report(chosen, played)),
    totals: (totals, coverage) => each((it) => it.totals(totals, coverage)),
  };
}

function testcase(file: string, name: string, ms: number, inner: string): string {
  const head = `    <testcase name="${xml(name)}" classname="${xml(relative('.', file))}" time="${seconds(ms)}"`;
  return inner === '' ? `${head}/>` : `${head}>${inner}</testcase>`;
}

function failure(message: string, text: string): string {
  return `<failure message="${xml(message)}">${xml(text).replaceAll('&#10;', '\n')}</failure>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML 1.0 does not allow most control characters, escaped or not. */
function xml(text: string): string {
  const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' };
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"\n]/g, (char) => marks[char]!);
}
