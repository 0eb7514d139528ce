/** Accepts two amounts; a third step is signed. */
export const signalShop = `
apiVersion: v1
kind: Journey
metadata: { name: signal-shop, version: 1.0.0 }
spec:
  key: { expr: context.orderId }
  start: paid
  states:
    paid: { type: wait, wait: { channel: manual, input: { schema: { type: object, required: [amount] } } }, next: keep }
    keep: { type: transform, transform: { expr: context.payload.amount, target: { kind: var }, resultVar: first }, next: again }
    again: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: done }
    pushed:
      type: webhook
      webhook: { input: { schema: true }, signature: { preset: github, secretRef: secret://shop/webhook } }
      next: done
    done: { type: succeed, output: { expr: "[context.first, context.payload.amount]" } }
`;

const sending = `
apiVersion: v1
kind: Journey
metadata: { name: signal-sender, version: 1.0.0 }
spec:
  start: tell
  states:
    tell:
      type: task
      task:
        kind: signal:v1
        journey: signal-shop
        key: { expr: context.orderId }
        step: STEP
        payload: { expr: context.body }
        resultVar: told
      next: done
      onError: failed
    done: { type: succeed, outputVar: told }
    failed: { type: succeed, outputVar: told }
`;
/** Signals this step of the shop. */
export const signalSender = (step: string) => sending.replace('STEP', step);
