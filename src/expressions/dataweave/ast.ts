/** A parsed expression. */
export interface Ast {
  readonly source: string;
}
