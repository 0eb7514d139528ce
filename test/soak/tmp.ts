import { defaultLimits } from '../../src/expressions/expression.js';
import { compileExpression } from '../../src/expressions/index.js';

const n = 6000;
const list: [string, string][] = [
  ['dataweave', `sum((1 to ${n}) map ($ * 2))`],
  ['dataweave', `sizeOf((1 to ${n}) filter (($ mod 7) == 3))`],
  ['dataweave', `sizeOf((1 to ${n}) orderBy -$)`],
  ['dataweave', `do { fun f(n) = if (n < 2) 1 else f(n - 1) + f(n - 2) --- f(19) }`],
  ['dataweave', `sizeOf(dw::core::Strings::repeat("ab", ${n * 5}) scan /(a*)*b?/)`],
  ['dataweave', `(dw::core::Strings::repeat("a", ${n * 6}) ++ "!") matches /^(a|aa)+$/`],
  ['dataweave', `sizeOf(dw::core::Strings::repeat("x,", 20000) splitBy /(,|x)*y|,/)`],
  ['dataweave', `sizeOf(dw::core::Strings::repeat("x,", 20000) splitBy ",")`],
  ['dataweave', `dw::core::Strings::repeat("0123456789", 20000)`],
  ['dataweave', `(1 to 4000) map {id: $, text: "a text of thirty characters"}`],
  ['dataweave', `write((1 to 4000) map {id: $, text: "a text of thirty characters"}, "application/json")`],
  ['jsonata', `$sum($map([1..${n}], function($v) { $v * 2 }))`],
  ['jsonata', `$count([1..${n}][$ % 7 = 3])`],
  ['jsonata', `$count($split($join([1..${n}].$string($)), "1"))`],
  ['jsonata', `($f := function($n) { $n < 2 ? 1 : $f($n-1) + $f($n-2) }; $f(15))`],
  ['jsonata', `context.n = 1`],
  ['dataweave', `context.n == 1`],
];
for (const [lang, expr] of list) {
  const c = compileExpression({ lang, expr } as never, { kind: 'mapper', bindings: ['context', 'payload'] });
  const out: string[] = [];
  for (let i = 0; i < 3; i++) {
    let fuel = 0;
    const t = performance.now();
    let end = 'ok';
    try {
      await c.evaluate(
        { context: { n: 1 }, payload: null },
        {
          now: 0,
          uuid: () => '',
          random: () => 0,
          spend: (f: number) => {
            fuel += f;
          },
        } as never,
        defaultLimits,
      );
    } catch (e) {
      end = (e as any).problem?.code ?? String(e);
    }
    const ms = performance.now() - t;
    out.push(`${ms.toFixed(1)} ms ${fuel} fuel ${((ms / fuel) * 500).toFixed(3)} ms/unit ${end}`);
  }
  console.log(expr.slice(0, 60), '|', out.join(' | '));
}
