/** A bounded memo: when it is full, the oldest entry is dropped. Results never depend on it. */
export function boundedCache<V>(capacity: number): (key: string, make: () => V) => V {
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
