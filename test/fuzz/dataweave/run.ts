import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../../../src/base/json/value.js';
import { documents } from './documents.js';
import { Generator } from './generator.js';
import { judgeAll, type Verdict } from './judge.js';
import { kinds } from './kinds.js';
import { minimise } from './minimise.js';
import { Oracle, oracleMissing } from './oracle.js';
import { caseSeed, Random } from './random.js';
import { causeOf, type Finding, newTally, render, tally } from './report.js';
import { type Node, print } from './tree.js';

const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    kind: { type: 'string' },
    processes: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '1200' },
    shrink: { type: 'string', default: '80' },
    out: { type: 'string' },
    show: { type: 'boolean', default: false },
  },
});

interface Case {
  index: number;
  kind: string;
  tree: Node;
  bindings: JsonObject;
}

function make(seed: number, index: number): Case {
  const random = new Random(caseSeed(seed, index));
  const bindings = documents(random);
  const kind =
    kinds.find((it) => it.name === options.kind) ?? random.weighted(kinds.map((it) => [it.weight, it] as const));
  return { index, kind: kind.name, bindings, tree: kind.make(new Generator(random)) };
}

async function main(): Promise<number> {
  const missing = oracleMissing();
  if (missing) {
    console.error(missing);
    return 2;
  }
  const seed = Number(options.seed);
  const [first, cases] =
    options.case === undefined ? [0, Number(options.cases)] : [Number(options.case), Number(options.case) + 1];
  const ends = Date.now() + Number(options.seconds) * 1000;
  const oracle = new Oracle(Number(options.processes));
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const perKind = new Map(kinds.map(({ name }) => [name, newTally()]));
  const differing: { made: Case; verdict: Verdict & { kind: 'differ' } }[] = [];
  let index = first;
  while (index < cases && Date.now() < ends) {
    const batch = Array.from({ length: Math.min(200, cases - index) }, (_, i) => make(seed, index + i));
    index += batch.length;
    const verdicts = await judgeAll(
      oracle,
      batch.map(({ tree }) => tree),
      batch.map(({ bindings }) => bindings),
    );
    for (const [i, verdict] of verdicts.entries()) {
      tally(perKind.get(batch[i]!.kind)!, verdict);
      if (options.show) console.log(`#${batch[i]!.index} ${verdict.kind} ${print(batch[i]!.tree)}`);
      if (verdict.kind === 'agree') count(verdict.ok ? 'agree on a value' : 'agree on an error');
      else if (verdict.kind === 'differ') differing.push({ made: batch[i]!, verdict });
      else
        count(
          verdict.kind === 'known'
            ? `known: ${verdict.id}`
            : `${verdict.kind}: ${verdict.why.replace(/ \(line.*/, '')}`,
        );
    }
  }

  const findings = new Map<string, Finding>();
  const perCause = new Map<string, number>();
  let shrunk = 0;
  differing.sort((a, b) => print(a.made.tree).length - print(b.made.tree).length);
  for (const { made, verdict } of differing) {
    const coarse = causeOf(made.tree, verdict, true);
    const before = perCause.get(coarse) ?? 0;
    perCause.set(coarse, before + 1);
    const spare = before < 2 && shrunk < Number(options.shrink) && Date.now() < ends;
    if (spare) shrunk++;
    else if (shrunk > 0) continue;
    const small = spare ? await minimise(oracle, made.tree, made.bindings, verdict, 400) : { tree: made.tree, verdict };
    const cause = causeOf(small.tree, small.verdict, false);
    const known = findings.get(cause);
    if (known) known.cases.push(made.index);
    else findings.set(cause, { cause, ...small, bindings: made.bindings, cases: [made.index] });
  }
  oracle.close();

  const done = index - first;
  const text = render({
    seed,
    kind: options.kind,
    done,
    differing: differing.length,
    counts,
    perKind,
    findings: [...findings.values()],
  });
  console.log(text);
  if (options.out) writeFileSync(options.out, text);
  return differing.length > 0 ? 1 : 0;
}

process.exitCode = await main();
