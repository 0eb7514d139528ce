// A worker of the tests with one activity, as a user would write it. Arguments: the address and the task queue.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

type Order struct {
	Do   string `json:"do"`
	Item string `json:"item"`
}

func GoWork(ctx context.Context, order Order, amount float64) (map[string]any, error) {
	fmt.Printf("%s %d\n", order.Do, activity.GetInfo(ctx).Attempt)
	switch order.Do {
	case "decline":
		return nil, temporal.NewNonRetryableApplicationError("no money", "CardDeclined", nil, order.Item)
	case "hang":
		<-time.After(time.Minute)
	case "beat", "survive":
		if order.Do == "survive" && activity.GetInfo(ctx).Attempt > 1 {
			break
		}
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-ctx.Done():
				fmt.Println("cancelled")
				return nil, ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return map[string]any{"by": "go", "item": order.Item, "amount": amount}, nil
}

func main() {
	c, err := client.Dial(client.Options{HostPort: os.Args[1]})
	if err != nil {
		panic(err)
	}
	w := worker.New(c, os.Args[2], worker.Options{})
	w.RegisterActivity(GoWork)
	fmt.Println("ready")
	if err := w.Run(worker.InterruptCh()); err != nil {
		panic(err)
	}
}
