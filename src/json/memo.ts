/** A bounded memo: the oldest entry goes when it is full. What it remembers never changes a result. */
export function memo<V>(capacity: number): (key: string, make: () => V) => V {
  const known = new Map<string, V>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (known.size >= capacity) known.delete(known.keys().next().value as string);
    known.set(key, made);
    return made;
  };
}
