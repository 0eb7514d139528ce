import type { Scalar } from 'yaml';

const truthy = /^(yes|no|on|off)$/i;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\S.*)?$/;
const sexagesimal = /^[-+]?\d+(:[0-5]?\d)+(\.\d*)?$/;
const leadingZero = /^[-+]?0\d+$/;
const notJson = /^[-+]?\.(inf|nan)$/i;

/**
 * Why an unquoted scalar means different things to different YAML readers, or undefined when it does not. The language takes text
 * as text only where it cannot be mistaken for something else.
 */
export function ambiguousPlain(node: Scalar): string | undefined {
  return node.type === 'PLAIN' ? ambiguousText(node.source ?? '') : undefined;
}

/** The same for the text of one. */
export function ambiguousText(text: string): string | undefined {
  if (truthy.test(text)) return `${text} is a boolean to some YAML readers and text to others.`;
  if (timestamp.test(text)) return `${text} is a date to some YAML readers and text to others.`;
  if (sexagesimal.test(text)) return `${text} is a base-60 number to some YAML readers and text to others.`;
  if (leadingZero.test(text)) return `${text} is an octal number to some YAML readers and decimal to others.`;
  if (notJson.test(text)) return `${text} has no JSON form.`;
  return undefined;
}
