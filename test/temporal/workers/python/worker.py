"""A worker of the tests with one activity, as a user would write it. Arguments: the address and the task queue."""

import asyncio
import sys
from datetime import timedelta

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker


@activity.defn(name="PythonWork")
async def python_work(order: dict, amount: float) -> dict:
    do, item = order["do"], order["item"]
    print(do, activity.info().attempt, flush=True)
    if do == "decline":
        raise ApplicationError("no money", item, type="CardDeclined", non_retryable=True)
    if do == "hang":
        await asyncio.sleep(60)
    if do == "beat" or (do == "survive" and activity.info().attempt == 1):
        try:
            while True:
                activity.heartbeat()
                await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            print("cancelled", flush=True)
            raise
    return {"by": "python", "item": item, "amount": amount}


async def main() -> None:
    client = await Client.connect(sys.argv[1])
    worker = Worker(
        client,
        task_queue=sys.argv[2],
        activities=[python_work],
        graceful_shutdown_timeout=timedelta(0),
    )
    print("ready", flush=True)
    await worker.run()


asyncio.run(main())
