import type { InboundBinding } from '../definition/definition.js';
import type { Change, Concerns } from './change.js';

/** What of a request is read no more, or goes elsewhere. The names of parameters in a path are nobody's business but where they go. */
export function bindingsBetween(
  concerns: Concerns,
  pointer: string,
  before: InboundBinding | undefined,
  after: InboundBinding | undefined,
): Change[] {
  const between = (field: string, what: string, was: Names, is: Names): Change[] =>
    Object.entries(was).flatMap(([name, to]) => {
      const now = Object.hasOwn(is, name) ? is[name] : undefined;
      if (now === to) return [];
      const message =
        now === undefined
          ? `The ${what} ${name} is read no more.`
          : `The ${what} ${name} goes to ${now} and did to ${to}.`;
      return [{ code: 'DIFF_BINDING', concerns, breaking: now === undefined, pointer: `${pointer}/${field}`, message }];
    });
  const paths = [before, after].map((it) => Object.values(it?.pathToContext ?? {}));
  const gone = paths[0]!.filter((field) => !paths[1]!.includes(field));
  return [
    ...between('queryToContext', 'query parameter', before?.queryToContext ?? {}, after?.queryToContext ?? {}),
    ...between('headersToContext', 'header', lower(before?.headersToContext), lower(after?.headersToContext)),
    ...between('headersPassthrough', 'header', passed(before), passed(after)),
    ...gone.map((field): Change => {
      const message = `The path gives no ${field} any more.`;
      return { code: 'DIFF_BINDING', concerns, breaking: false, pointer: `${pointer}/pathToContext`, message };
    }),
  ];
}

type Names = Readonly<Record<string, string>>;

/** Names of headers are the same in any case. */
function lower(names: Names = {}): Names {
  return Object.fromEntries(Object.entries(names).map(([name, to]) => [name.toLowerCase(), to]));
}

function passed(binding: InboundBinding | undefined): Names {
  return lower(Object.fromEntries((binding?.headersPassthrough ?? []).map(({ from, to }) => [from, to.toLowerCase()])));
}
