/** Whether two values are the same JSON, with their fields in the same order. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
