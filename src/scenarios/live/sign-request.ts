import type { Json } from '../../base/json/value.js';
import type { Definition } from '../../engine/definition/definition.js';
import { requestSignature, signaturesOf } from '../../service/request-signature.js';

const scenarioSecret = 'the secret of the scenario';

/** The secrets by which submissions to a journey are signed, with the value that a scenario signs with. */
export function signatureSecrets(definition: Definition): Record<string, string> {
  const refs = Object.values(signaturesOf(definition)).flatMap(({ secretRefs }) => secretRefs);
  return Object.fromEntries(refs.map((ref) => [ref, scenarioSecret]));
}

/** The headers of a request with this body, signed as a step requires. */
export function signedHeaders(
  definition: Definition,
  stepId: string,
  headers: Record<string, string>,
  body: Json,
): Record<string, string> {
  const scheme = signaturesOf(definition)[stepId];
  if (!scheme) return headers;
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const moment = String(Math.floor(Date.now() / 1000));
  const bytes = Buffer.from(JSON.stringify(body));
  const signature = requestSignature(scheme, scenarioSecret, { headers: lower, body: bytes }, moment);
  const signed = { ...lower };
  const add = (name: string, value: string) => {
    signed[name] = signed[name] === undefined ? value : `${signed[name]},${value}`;
  };
  delete signed[scheme.header];
  if (scheme.timestamp) add(scheme.timestamp.header, scheme.timestamp.prefix + moment);
  add(scheme.header, scheme.prefix + signature);
  return signed;
}
