import { createHmac } from 'node:crypto';
import type { HttpRequest } from '../../src/tasks/http-call/request.js';

/** The request with its signature, made with a secret that only this process reads. */
export function signed(request: HttpRequest, reveal: (ref: string) => string): HttpRequest {
  const { sign, ...bare } = request;
  if (!sign) return request;
  const { algorithm, secretRef, over = bare.body ?? '', header, prefix, encoding } = sign;
  const signature = createHmac(algorithm.replace('hmac-', ''), reveal(secretRef)).update(over).digest(encoding);
  return { ...bare, headers: { ...bare.headers, [header]: `${prefix}${signature}` } };
}
