/** A problem document of the gateway. */
export interface ProblemBody {
  readonly code: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly hint?: string;
  readonly instance?: string;
  readonly errors?: readonly { readonly code: string; readonly message: string; readonly pointer: string }[];
}
