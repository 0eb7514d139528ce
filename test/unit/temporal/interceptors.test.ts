import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Connection } from '@temporalio/client';
import { expect, it, onTestFinished } from 'vitest';
import { interceptors } from '../../../src/temporal/connection.js';
import { freePort } from '../../../src/temporal/server/tcp-ports.js';

/** A server that accepts connections and never responds, like a stopped one. */
async function silentServer(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('FLT-17 a call to a silent server times out by default', async () => {
  const connection = Connection.lazy({ address: await silentServer(), interceptors: interceptors(200) });
  onTestFinished(() => connection.close());
  await expect(connection.workflowService.listSchedules({ namespace: 'default' })).rejects.toMatchObject({ code: 4 });
});

it('FLT-17 a call that is retried after its connection was closed is rejected, not thrown', async () => {
  const address = `127.0.0.1:${await freePort('127.0.0.1')}`;
  const connection = Connection.lazy({ address, interceptors: interceptors() });
  const call = connection.workflowService.listSchedules({ namespace: 'default' });
  const failed = call.then(
    () => undefined,
    (error: { code: number }) => error.code,
  );
  // Nothing listens there: the first attempt has failed by now, and the next is pending.
  await new Promise((resolve) => setTimeout(resolve, 60));
  await connection.close();
  expect([1, 14]).toContain(await failed);
});
