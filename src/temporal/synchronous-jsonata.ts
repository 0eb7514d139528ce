/**
 * A webpack loader for the workflow bundle: JSONata without promises. In the sandbox Temporal records the stack of every promise. So
 * JSONata's promises (hundreds for one expression) cost milliseconds each, and one expression can reach the five seconds after which the
 * sandbox fails. Nothing that JSONata awaits is asynchronous unless a caller binds an asynchronous function, and we bind none, so the same
 * code without the keywords gives the same values.
 */
export default function synchronousJsonata(source: string): string {
  const code = source
    .replace(/\basync (?=function\b|\()/g, '')
    .replace(/\bawait Promise\.all\(/g, '(')
    .replace(/\bawait /g, '');
  if (code === source || /\bawait\b(?! \*)|\basync (function|\()/.test(code.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))) {
    throw new Error('This version of jsonata cannot be made synchronous; look at what changed in it.');
  }
  return code;
}
