/** Which parts of one value some schema has looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Evaluated {
  private allProperties = false;
  private readonly properties = new Set<string>();
  /** Items before this index are evaluated. */
  private itemsUpTo = 0;
  private readonly items = new Set<number>();

  property(name: string): void {
    this.properties.add(name);
  }

  everyProperty(): void {
    this.allProperties = true;
  }

  item(index: number): void {
    this.items.add(index);
  }

  firstItems(count: number): void {
    this.itemsUpTo = Math.max(this.itemsUpTo, count);
  }

  everyItem(): void {
    this.itemsUpTo = Number.POSITIVE_INFINITY;
  }

  hasProperty(name: string): boolean {
    return this.allProperties || this.properties.has(name);
  }

  hasItem(index: number): boolean {
    return index < this.itemsUpTo || this.items.has(index);
  }

  /** Adds what was looked at by a subschema that applied to the same value and accepted it. */
  add(other: Evaluated): void {
    if (other.allProperties) this.allProperties = true;
    this.itemsUpTo = Math.max(this.itemsUpTo, other.itemsUpTo);
    for (const name of other.properties) this.properties.add(name);
    for (const index of other.items) this.items.add(index);
  }
}
