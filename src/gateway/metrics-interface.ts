/** A finished request, as metrics count it. */
export interface AnsweredRequest {
  readonly method: string;
  /** The path of its route; absent if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
}

/** Metrics in Prometheus' text format. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** Counts a finished request. */
  answered(request: AnsweredRequest, seconds: number): void;
}
