import { Admin, Consumer, Producer } from '@platformatic/kafka';

/** A topic of a real Kafka from the view of its producers and operators. */
export class KafkaTopic {
  private constructor(
    private readonly address: string,
    readonly name: string,
    private readonly partitions: number,
    private readonly producer: Producer<Buffer, Buffer, Buffer, Buffer>,
  ) {}

  static async create(address: string, name: string, partitions = 2): Promise<KafkaTopic> {
    const producer = new Producer({ clientId: 'test', bootstrapBrokers: [address] });
    const topic = new KafkaTopic(address, name, partitions, producer);
    await topic.asAdmin((admin) => admin.createTopics({ topics: [name], partitions, replicas: 1 }));
    return topic;
  }

  /** Writes values, spread over the partitions; texts are written as is, and undefined is a record without a value. */
  async write(values: readonly unknown[], partition?: number): Promise<void> {
    for (let from = 0; from < values.length; from += 1_000)
      await this.producer.send({
        messages: values.slice(from, from + 1_000).map((value, i) => ({
          topic: this.name,
          partition: partition ?? (from + i) % this.partitions,
          ...(value !== undefined && { value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)) }),
        })),
        acks: 1,
      });
  }

  /** Deletes the topic and creates it again, so that its offsets start at 0. */
  async recreate(): Promise<void> {
    const { name, partitions } = this;
    await this.asAdmin(async (admin) => {
      await admin.deleteTopics({ topics: [name] });
      // Kafka deletes it asynchronously.
      for (let tries = 0; ; tries++) {
        const error = await admin.createTopics({ topics: [name], partitions, replicas: 1 }).then(
          () => undefined,
          (it: unknown) => it,
        );
        if (!error) break;
        if (tries > 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
    this.producer.clearMetadata();
  }

  /** The offsets of a group in Kafka. */
  async committed(group: string): Promise<number[]> {
    const consumer = new Consumer({ clientId: 'test', bootstrapBrokers: [this.address], groupId: group });
    const partitions = Array.from({ length: this.partitions }, (_, i) => i);
    try {
      const offsets = await consumer.listCommittedOffsets({ topics: [{ topic: this.name, partitions }] });
      return (offsets.get(this.name) ?? []).map(Number);
    } finally {
      await consumer.close();
    }
  }

  async close(): Promise<void> {
    await this.producer.close();
  }

  private async asAdmin(work: (admin: Admin) => Promise<unknown>): Promise<void> {
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [this.address], retries: 10, retryDelay: 300 });
    try {
      await work(admin);
    } finally {
      await admin.close();
    }
  }
}
