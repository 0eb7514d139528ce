import type { Node } from './tree.js';

/** Fills the `{{type}}` and `{{type with name:type}}` holes of a template; the label is the template itself. */
export function fill(type: string, template: string, make: (type: string, names: [string, string][]) => Node): Node {
  const parts = template.split(/\{\{(.*?)\}\}/).map((part, i) => {
    if (i % 2 === 0) return part;
    const [wanted, names = ''] = part.split(' with ');
    return make(
      wanted!,
      names.split(',').flatMap((it) => (it === '' ? [] : [it.split(':') as [string, string]])),
    );
  });
  return { type, label: template, parts: parts.filter((it) => it !== ''), atom: false, value: true };
}
