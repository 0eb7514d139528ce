/** What operators watch, in Prometheus' text format. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** Counts a request that is over. */
  answered(method: string, status: number, seconds: number): void;
}
