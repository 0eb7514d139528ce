import { relative, sep } from 'node:path';
import type { Json } from '../json/value.js';
import type { FileFinding } from '../library/files.js';
import { type CodeEntry, registry } from '../problems/registry.js';
import { version } from './package.js';

/** Findings as SARIF 2.1.0, which code scanning shows at their lines. */
export function sarif(findings: readonly FileFinding[]): Json {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'journeyman', version, rules: codes.map(rule) } },
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: codes.indexOf(finding.code),
          level: finding.severity,
          message: { text: sentence(finding) },
          locations: [
            { physicalLocation: { artifactLocation: { uri: uriOf(finding.file) }, region: region(finding) } },
          ],
        })),
      },
    ],
  };
}

/** What a code means, for whoever reads the report without us. */
function rule(code: string): Json {
  const { title, hint }: Partial<CodeEntry> = (registry as Readonly<Record<string, CodeEntry>>)[code] ?? {};
  return {
    id: code,
    ...(title !== undefined && { shortDescription: { text: title } }),
    ...(hint !== undefined && { help: { text: hint } }),
  };
}

function region({ line = 1, column = 1 }: FileFinding): Json {
  return { startLine: line, startColumn: column };
}

/** Findings as workflow commands of GitHub Actions, which shows them in the pull request. */
export function annotations(findings: readonly FileFinding[]): string {
  return findings
    .map((finding) => {
      const { severity, code, line = 1, column = 1 } = finding;
      const file = property(pathOf(finding.file));
      return `::${severity} file=${file},line=${line},col=${column},title=${property(code)}::${data(sentence(finding))}\n`;
    })
    .join('');
}

function sentence({ message, hint }: FileFinding): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

function pathOf(file: string): string {
  return (relative('.', file) || file).split(sep).join('/');
}

function uriOf(file: string): string {
  return pathOf(file).split('/').map(encodeURIComponent).join('/');
}

/** Text of a workflow command: what would end it is escaped. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
