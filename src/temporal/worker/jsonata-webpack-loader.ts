/**
 * A webpack loader for the workflow bundle: JSONata without promises. In the sandbox Temporal records the stack of every promise, so
 * JSONata's promises (hundreds for one expression) cost milliseconds each, and one expression can reach the limit of five seconds. JSONata
 * awaits only functions that its caller binds, and ours are synchronous, so the same code without the keywords returns the same values.
 */
export default function synchronousJsonata(source: string): string {
  const code = source
    .replace(/\basync (?=function\b|\()/g, '')
    .replace(/\bawait Promise\.all\(/g, '(')
    .replace(/\bawait /g, '');
  if (code === source || /\bawait\b(?! \*)|\basync (function|\()/.test(code.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))) {
    throw new Error('This version of jsonata cannot be made synchronous; check its changes.');
  }
  return code;
}
