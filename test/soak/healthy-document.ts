/** A well-behaved journey: it computes a little, calls a service, decides. */
export const healthyDocument = (service: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Journey',
    metadata: { name: 'healthy', version: '1.0.0' },
    spec: {
      start: 'greet',
      states: {
        greet: {
          type: 'transform',
          transform: {
            mapper: { lang: 'dataweave', expr: '"Hello " ++ context.name' },
            target: { kind: 'var' },
            resultVar: 'greeting',
          },
          next: 'call',
        },
        call: {
          type: 'task',
          task: { kind: 'httpCall:v1', method: 'POST', url: `${service}/answer`, body: { a: 1 }, resultVar: 'answer' },
          next: 'check',
        },
        check: {
          type: 'choice',
          choices: [{ when: { predicate: { lang: 'dataweave', expr: 'context.answer.ok' } }, next: 'done' }],
          default: 'failed',
        },
        done: { type: 'succeed', outputVar: 'greeting' },
        failed: { type: 'fail', errorCode: 'CALL_FAILED', reason: 'The call failed' },
      },
    },
  });
