import { describe, expect, it } from 'vitest';
import { asProblem } from '../../../src/temporal/classify-temporal-errors.js';

/** An error of the server, as grpc-js throws it. */
const grpc = (code: number, details: string) =>
  Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: { get: () => [] } });

describe('An error of the Temporal server', () => {
  it.each([
    ['is unavailable', grpc(14, 'connection refused')],
    ['did not respond in time', grpc(4, 'context deadline exceeded')],
    ['hides its own fault', grpc(2, 'something went wrong, please retry (fe65db1b)')],
    ['temporarily has no internal worker', grpc(9, 'no poller seen for task queue recently, worker may be down')],
  ])('that %s is a 503, which callers retry', (_, error) => {
    expect(asProblem(error).problem.code).toBe('TEMPORAL_UNAVAILABLE');
    const wrapped = Object.assign(new Error('Update-With-Start failed'), { cause: error });
    expect(asProblem(wrapped).problem.code).toBe('TEMPORAL_UNAVAILABLE');
  });

  it.each([
    ['a refusal', grpc(3, 'Workflow Id not set')],
    ['a conflict', grpc(9, 'mismatched conflict token')],
    ['an unknown fault', grpc(2, 'something else')],
  ])('that is %s is still a fault', (_, error) => {
    expect(() => asProblem(error)).toThrow(error);
  });
});
